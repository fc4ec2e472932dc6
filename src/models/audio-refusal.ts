import { isJsonObject, parseJson } from '../lib/json.ts';
import { oneLine } from '../lib/plain-text.ts';

/** A server that transcribes or speaks. */
interface AudioServer {
  /** As people call it: `the transcription server`. */
  readonly title: string;
  /** Its block of the config. */
  readonly block: string;
  /** What is too much for it, as a sentence without an end: `it is too long`. */
  readonly what: string;
  readonly name: string;
  readonly apiKey?: string | undefined;
}

/** Why a server refuses: a clause without a full stop and without the key. `isTransient`: a retry may succeed. */
export function audioRefusal(status: number, answer: string, server: AudioServer) {
  const { title, block, name, what } = server;
  const final = (words: string) => ({ words, isTransient: false });
  switch (status) {
    case 401:
    case 403:
      return final(`${title} refuses the key: the owner has to check ${block}.api_key`);
    case 404: {
      const advice = `the owner has to check ${block}.name and ${block}.base_url`;
      return final(`${title} does not know the model ${name}: ${advice}`);
    }
    case 413:
      return final(`${what} for ${title}`);
    case 429:
      return { words: `${title} takes no more requests for now`, isTransient: true };
  }
  if (status >= 500 || status === 408) return { words: `${title} has a fault (${status})`, isTransient: true };
  const reason = reasonOf(answer, server);
  return final(`${title} refuses it (${status}${reason === '' ? '' : `: ${reason}`})`);
}

/** The server's message on one line, without the key. */
function reasonOf(answer: string, { apiKey }: AudioServer): string {
  const parsed = parseJson(answer);
  const error = isJsonObject(parsed) && isJsonObject(parsed.error) ? parsed.error.message : undefined;
  if (typeof error !== 'string') return '';
  const words = error.slice(0, 2000);
  return oneLine(apiKey === undefined ? words : words.replaceAll(apiKey, '…'), 200).replace(/\.$/, '');
}
