import { type Clock, sleep, withTimeout } from '../lib/clock.ts';
import { readBody } from '../lib/http.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import { directNetwork, type Network } from '../lib/network/network.ts';
import type { InLanguage } from '../lib/words.ts';
import { type AudioFault, audioRefusal, audioUnreachable } from './audio-refusal.ts';
import { audioWords } from './words.ts';

export interface Recording {
  readonly bytes: Uint8Array;
  /** From the platform; may be anything. */
  readonly mediaType?: string;
}

/** The port to a speech-to-text model. */
export interface Transcriber {
  /** The transcript, never blank. Throws `TranscriptionError`, or the signal's reason. */
  transcribe(recording: Recording, signal: AbortSignal): Promise<string>;
}

/** Why there is no transcript: a clause for the speaker, without a full stop. Contains no key. */
export class TranscriptionError extends Error {
  override readonly name = 'TranscriptionError';
  readonly saidIn: InLanguage;
  /** A retry may succeed. */
  readonly isTransient: boolean;

  /** The message is English, for the log and the model. */
  constructor({ saidIn, isTransient }: AudioFault, options?: ErrorOptions) {
    super(saidIn('en'), options);
    this.saidIn = saidIn;
    this.isTransient = isTransient;
  }
}

/** A transcription model as the config describes it. */
export interface TranscriptionDescription {
  /** The address including the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** The server's name for the model. */
  readonly name: string;
  readonly apiKey?: string;
  /** ISO 639. Default: the model detects it. */
  readonly language?: string;
  /** For one request, in ms. */
  readonly timeout: number;
}

const server = 'transcription';

const retryAfter = 1000;

/** A model behind OpenAI's `/audio/transcriptions`. Retries a transient failure once, after a second. */
export function openAiTranscriber(
  description: TranscriptionDescription,
  clock: Clock,
  network: Network = directNetwork,
): Transcriber {
  const parts = { description, clock, network };
  return {
    async transcribe(recording, signal) {
      try {
        return await request(recording, parts, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof TranscriptionError) || !error.isTransient) throw error;
        await sleep(clock, retryAfter, signal);
        signal.throwIfAborted();
        return request(recording, parts, signal);
      }
    },
  };
}

interface RequestParts {
  readonly description: TranscriptionDescription;
  readonly clock: Clock;
  readonly network: Network;
}

async function request(
  recording: Recording,
  { description, clock, network }: RequestParts,
  signal: AbortSignal,
): Promise<string> {
  const { baseUrl, apiKey, timeout } = description;
  try {
    return await withTimeout({ clock, milliseconds: timeout, signal }, async (within) => {
      const response = await network.fetch(`${baseUrl.replace(/\/+$/, '')}/audio/transcriptions`, {
        method: 'POST',
        headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
        body: formOf(recording, description),
        // A redirect would send the recording to a place that the operator did not name.
        redirect: 'manual',
        signal: within,
      });
      // The address may lead to another server, whose answer may never end.
      const body = await readBody(response, longestAnswer);
      const answer = body === 'too-large' ? '' : Buffer.from(body).toString();
      if (!response.ok) throw refusal(response.status, answer, description);
      return wordsOf(answer);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TranscriptionError) throw error;
    // Not retried: other messages have waited behind it long enough.
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw failure((language) => audioWords[language].late({ server, seconds: Math.round(timeout / 1000) }));
    throw new TranscriptionError(audioUnreachable(error, server, baseUrl), { cause: error });
  }
}

function formOf({ bytes, mediaType }: Recording, { name, language }: TranscriptionDescription): FormData {
  const { type, extension } = formatOf(mediaType);
  const form = new FormData();
  form.set('model', name);
  // The server detects the format by the extension.
  form.set('file', new Blob([new Uint8Array(bytes)], { type }), `recording.${extension}`);
  if (language !== undefined) form.set('language', language);
  form.set('response_format', 'json');
  return form;
}

/** Unknown types are sent as Opus in Ogg, which phones record. */
function formatOf(mediaType = ''): { readonly type: string; readonly extension: string } {
  const [type, subtype] =
    /^(?:audio|video)\/(?:x-)?(ogg|mpeg|mp3|mp4|m4a|wav|webm|flac)(?![^;\s])/i.exec(mediaType) ?? [];
  if (type === undefined || subtype === undefined) return { type: 'audio/ogg', extension: 'ogg' };
  return { type: type.toLowerCase(), extension: subtype.toLowerCase().replace('mpeg', 'mp3') };
}

/** In bytes: far more than any transcript. */
const longestAnswer = 4_000_000;

function wordsOf(answer: string): string {
  const parsed = parseJson(answer);
  const text = isJsonObject(parsed) ? parsed.text : undefined;
  if (typeof text !== 'string') throw failure((language) => audioWords[language].foreign({ server }));
  if (text.trim() === '') throw failure((language) => audioWords[language].nothingHeard);
  return text.trim().toWellFormed();
}

function refusal(status: number, answer: string, description: TranscriptionDescription): TranscriptionError {
  return new TranscriptionError(audioRefusal(status, answer, { ...description, server }));
}

function failure(saidIn: InLanguage): TranscriptionError {
  return new TranscriptionError({ saidIn, isTransient: false });
}
