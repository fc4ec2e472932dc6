import { type Clock, sleep, withTimeout } from '../lib/clock.ts';
import { readBody } from '../lib/http.ts';
import type { Network } from '../lib/network/network.ts';
import type { InLanguage } from '../lib/words.ts';
import { type AudioFault, audioRefusal, audioUnreachable } from './audio-refusal.ts';
import { audioWords } from './words.ts';

/** A model that speaks, as the config describes it. */
export interface SpeechDescription {
  /** The address including the version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** The server's name for the model. */
  readonly name: string;
  readonly apiKey?: string | undefined;
  readonly voice: string;
  readonly format: string;
  /** How much of a text is spoken, in characters. */
  readonly longest: number;
  /** For one request, in ms. */
  readonly timeout: number;
}

/** A recording, as it is by its bytes. */
export interface SpokenWords {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  /** Without a dot. */
  readonly extension: string;
}

/** Why nothing was spoken: a clause without a full stop. Contains no key and none of the text. */
export class SpeechError extends Error {
  override readonly name = 'SpeechError';
  readonly saidIn: InLanguage;
  /** A retry may succeed. */
  readonly isTransient: boolean;

  /** The message is English, for the log. */
  constructor({ saidIn, isTransient }: AudioFault, options?: ErrorOptions) {
    super(saidIn('en'), options);
    this.saidIn = saidIn;
    this.isTransient = isTransient;
  }
}

interface SpeakParts {
  readonly description: SpeechDescription;
  readonly clock: Clock;
  readonly network: Network;
}

const server = 'speech';

const retryAfter = 1000;

/**
 * The text as spoken by a model behind OpenAI's `/audio/speech`. Retries a transient failure once, after a second. Throws
 * `SpeechError`, or the signal's reason.
 */
export async function speak(text: string, parts: SpeakParts, signal: AbortSignal): Promise<SpokenWords> {
  try {
    return await request(text, parts, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof SpeechError) || !error.isTransient) throw error;
    await sleep(parts.clock, retryAfter, signal);
    signal.throwIfAborted();
    return request(text, parts, signal);
  }
}

/** In bytes: an hour of speech. */
const longestRecording = 25_000_000;

async function request(
  input: string,
  { description, clock, network }: SpeakParts,
  signal: AbortSignal,
): Promise<SpokenWords> {
  const { baseUrl, apiKey, name: model, voice, format, timeout } = description;
  try {
    return await withTimeout({ clock, milliseconds: timeout, signal }, async (within) => {
      const response = await network.fetch(`${baseUrl.replace(/\/+$/, '')}/audio/speech`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, voice, input, response_format: format }),
        // A redirect would send the text to a place that the operator did not name.
        redirect: 'manual',
        signal: within,
      });
      const body = await readBody(response, longestRecording);
      if (!response.ok) throw refusal(response.status, body === 'too-large' ? '' : asText(body), description);
      if (body === 'too-large') throw failure((language) => audioWords[language].endless);
      return recordingOf(body);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpeechError) throw error;
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw failure((language) => audioWords[language].late({ server, seconds: Math.round(timeout / 1000) }));
    throw new SpeechError(audioUnreachable(error, server, baseUrl), { cause: error });
  }
}

function asText(body: Uint8Array): string {
  return Buffer.from(body).toString();
}

/** The formats by their first bytes: some servers write another one than they were asked for. */
const formats: readonly (readonly [start: RegExp, mediaType: string, extension: string])[] = [
  [/^OggS/, 'audio/ogg', 'ogg'],
  [/^ID3|^\xff[\xe2\xe3\xf2\xf3\xfa\xfb]/, 'audio/mpeg', 'mp3'],
  [/^\xff[\xf0\xf1\xf8\xf9]/, 'audio/aac', 'aac'],
  [/^fLaC/, 'audio/flac', 'flac'],
  [/^RIFF[\s\S]{4}WAVE/, 'audio/wav', 'wav'],
  [/^[\s\S]{4}ftyp/, 'audio/mp4', 'm4a'],
];

function recordingOf(bytes: Uint8Array): SpokenWords {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  const [, mediaType = '', extension = ''] = formats.find(([pattern]) => pattern.test(start)) ?? [];
  if (mediaType === '') throw failure((language) => audioWords[language].foreign({ server }));
  return { bytes, mediaType, extension };
}

function refusal(status: number, answer: string, description: SpeechDescription): SpeechError {
  return new SpeechError(audioRefusal(status, answer, { ...description, server }));
}

function failure(saidIn: InLanguage): SpeechError {
  return new SpeechError({ saidIn, isTransient: false });
}
