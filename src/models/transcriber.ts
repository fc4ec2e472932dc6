import { type Clock, sleep } from '../lib/clock.ts';
import { readBody } from '../lib/http.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import { oneLine } from '../lib/plain-text.ts';

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
  /** A retry may succeed. */
  readonly isTransient: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTransient: boolean }) {
    super(message, options);
    this.isTransient = options.isTransient;
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

const retryAfter = 1000;

/** A model behind OpenAI's `/audio/transcriptions`. Retries a transient failure once, after a second. */
export function openAiTranscriber(description: TranscriptionDescription, clock: Clock): Transcriber {
  return {
    async transcribe(recording, signal) {
      try {
        return await request(recording, description, clock, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof TranscriptionError) || !error.isTransient) throw error;
        await sleep(clock, retryAfter, signal);
        signal.throwIfAborted();
        return request(recording, description, clock, signal);
      }
    },
  };
}

async function request(
  recording: Recording,
  description: TranscriptionDescription,
  clock: Clock,
  signal: AbortSignal,
): Promise<string> {
  const { baseUrl, apiKey, timeout } = description;
  const deadline = new AbortController();
  const cancel = clock.after(timeout, () => deadline.abort());
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/audio/transcriptions`, {
      method: 'POST',
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      body: formOf(recording, description),
      // A redirect would send the recording to a place that the operator did not name.
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline.signal]),
    });
    // The address may lead to another server, whose answer may never end.
    const body = await readBody(response, longestAnswer);
    const answer = body === 'too-large' ? '' : Buffer.from(body).toString();
    if (!response.ok) throw refusal(response.status, answer, description);
    return wordsOf(answer);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TranscriptionError) throw error;
    if (deadline.signal.aborted)
      // Not retried: other messages have waited behind it long enough.
      throw failure(`the transcription took longer than ${Math.round(timeout / 1000)} s`, false);
    throw failure('the transcription server cannot be reached', true, error);
  } finally {
    cancel();
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
  const known = mediaType.toLowerCase().split(';')[0]?.trim() ?? '';
  const extension = Object.hasOwn(extensions, known) ? extensions[known] : undefined;
  return extension === undefined ? { type: 'audio/ogg', extension: 'ogg' } : { type: known, extension };
}

const extensions: Readonly<Record<string, string>> = {
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
  'audio/m4a': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/webm': 'webm',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

/** In bytes: far more than any transcript. */
const longestAnswer = 4_000_000;

function wordsOf(answer: string): string {
  const parsed = parseJson(answer);
  const text = isJsonObject(parsed) ? parsed.text : undefined;
  if (typeof text !== 'string')
    throw failure('what answers at transcription.base_url is no transcription server', false);
  if (text.trim() === '') throw failure('nothing in it could be understood', false);
  return text.trim().toWellFormed();
}

function refusal(status: number, answer: string, description: TranscriptionDescription): TranscriptionError {
  if (status === 401 || status === 403)
    return failure('the transcription server refuses the key: the owner has to check transcription.api_key', false);
  if (status === 404)
    return failure(
      `the transcription server does not know the model ${description.name}: the owner has to check transcription.name and transcription.base_url`,
      false,
    );
  if (status === 413) return failure('it is too long for the transcription server', false);
  if (status === 429) return failure('the transcription server takes no more requests for now', true);
  if (status >= 500 || status === 408) return failure(`the transcription server has a fault (${status})`, true);
  const reason = reasonOf(answer, description);
  return failure(`the transcription server refuses it (${status}${reason === '' ? '' : `: ${reason}`})`, false);
}

/** The server's message on one line, without the key. */
function reasonOf(answer: string, { apiKey }: TranscriptionDescription): string {
  const parsed = parseJson(answer);
  const error = isJsonObject(parsed) && isJsonObject(parsed.error) ? parsed.error.message : undefined;
  if (typeof error !== 'string') return '';
  const words = error.slice(0, 2000);
  return oneLine(apiKey === undefined ? words : words.replaceAll(apiKey, '…'), 200).replace(/\.$/, '');
}

function failure(message: string, isTransient: boolean, cause?: unknown): TranscriptionError {
  return new TranscriptionError(message, { isTransient, ...(cause === undefined ? {} : { cause }) });
}
