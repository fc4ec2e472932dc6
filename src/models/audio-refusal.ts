import { isJsonObject, parseJson } from '../lib/json.ts';
import { connectionFault } from '../lib/network/connection-fault.ts';
import { oneLine } from '../lib/plain-text.ts';
import type { InLanguage, Language } from '../lib/words.ts';
import { type AudioServerKind, audioWords } from './words.ts';

/** A server that transcribes or speaks. */
interface AudioServer {
  readonly server: AudioServerKind;
  readonly name: string;
  readonly apiKey?: string | undefined;
}

/** Why there is no recording or transcript: a clause without a full stop and without the key. */
export interface AudioFault {
  readonly saidIn: InLanguage;
  /** A retry may succeed. */
  readonly isTransient: boolean;
}

/** Why a server refuses. */
export function audioRefusal(status: number, answer: string, description: AudioServer): AudioFault {
  const { server, name } = description;
  switch (status) {
    case 401:
    case 403:
      return { saidIn: (language) => audioWords[language].keyRefused({ server }), isTransient: false };
    case 404:
      return { saidIn: (language) => audioWords[language].unknownModel({ server, name }), isTransient: false };
    case 413:
      return { saidIn: (language) => audioWords[language].tooLarge({ server }), isTransient: false };
    case 429:
      return { saidIn: (language) => audioWords[language].limited({ server }), isTransient: true };
  }
  if (status >= 500 || status === 408)
    return { saidIn: (language) => audioWords[language].fault({ server, status }), isTransient: true };
  const told = reasonOf(answer, description);
  return { saidIn: (language) => audioWords[language].refused({ server, status, told }), isTransient: false };
}

/** Why there was no answer at all. */
export function audioUnreachable(error: unknown, server: AudioServerKind, baseUrl: string): AudioFault {
  const fault = connectionFault(error, URL.parse(baseUrl)?.host ?? baseUrl);
  const clauseIn = (language: Language): string | undefined => fault?.wordsIn(language).replace(/[.。]$/, '');
  return {
    saidIn: (language) => audioWords[language].unreachable({ server, fault: clauseIn(language) }),
    isTransient: fault?.isFinal !== true,
  };
}

/** The server's message on one line, without the key. */
function reasonOf(answer: string, { apiKey }: AudioServer): string {
  const parsed = parseJson(answer);
  const error = isJsonObject(parsed) && isJsonObject(parsed.error) ? parsed.error.message : undefined;
  if (typeof error !== 'string') return '';
  const words = error.slice(0, 2000);
  return oneLine(apiKey === undefined ? words : words.replaceAll(apiKey, '…'), 200).replace(/\.$/, '');
}
