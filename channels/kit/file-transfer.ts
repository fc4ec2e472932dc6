import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ChannelError, type Network } from '../../src/contract.ts';
import { innermostError, readBody } from '../../src/lib/http.ts';
import type { InLanguage, Words } from '../../src/lib/words.ts';
import {
  FailedRequest,
  lost,
  type RequestFailure,
  readNetworkError,
  requestError,
  serverAnswers,
  type Tried,
  tooMany,
} from './request-failure.ts';
import { kitWords } from './words.ts';

export interface DownloadLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

interface DownloadRequest extends DownloadLimits {
  /** Display name: "Discord". */
  readonly platform: string;
  /** Fetches the URL: `fetchPlainly`, or with a token. */
  readonly get: (url: URL, signal: AbortSignal) => Promise<Response>;
}

/**
 * Downloads a file. `too-large`: more than `maxBytes`. Throws `ChannelError` without the URL, which may give anybody
 * access; `refusalCode` is the status if the server refuses.
 */
export async function download(
  url: URL,
  { platform, maxBytes, signal, get }: DownloadRequest,
): Promise<Uint8Array | 'too-large'> {
  try {
    const response = await get(url, signal);
    if (response.status === 200) return await readBody(response, maxBytes);
    await response.body?.cancel();
    throw new FailedRequest(statusFailure(response));
  } catch (error) {
    if (error instanceof ChannelError) throw error;
    const failure = signal.aborted
      ? lost((language) => kitWords[language].downloadCalledOff)
      : readNetworkError(error, url.host);
    throw requestError(tried(platform), failure, true);
  }
}

/** Without a token, and without following redirects. */
export function fetchPlainly(network: Network): DownloadRequest['get'] {
  return (url, signal) => network.fetch(url, { redirect: 'manual', signal });
}

function statusFailure({ status, headers }: Response): RequestFailure {
  const secs = Number(headers.get('retry-after') ?? Number.NaN);
  if (status === 429) return tooMany(Number.isFinite(secs) ? secs * 1000 : undefined);
  const isRedirect = status >= 300 && status < 400;
  const words: InLanguage = isRedirect ? (language) => kitWords[language].sentOn : serverAnswers(status);
  return { fault: { type: status === 401 ? 'auth' : status >= 500 ? 'transient' : 'permanent' }, words, code: status };
}

/** Errors for files that can never be downloaded. */
export function refusing(platform: string): (words: Words) => ChannelError {
  return (words) => requestError(tried(platform), { fault: { type: 'permanent' }, words }, true);
}

function tried(platform: string): Tried {
  return { platform, tried: (language) => kitWords[language].downloadingFile };
}

/** A file that is streamed from disk. Throws `FailedRequest` if it is missing or a folder. */
export async function openFile(path: string, type?: string): Promise<Blob> {
  let words: InLanguage = (language) => kitWords[language].noFileAnyMore;
  try {
    if ((await stat(path)).isFile()) return await openAsBlob(path, { type });
  } catch (error) {
    const { code = 'unknown' } = innermostError(error);
    words = (language) => kitWords[language].fileUnreadableNow({ code });
  }
  throw new FailedRequest({ fault: { type: 'permanent' }, words });
}

/** Slowest acceptable upload, in bytes per second. */
const slowestLine = 100_000;

/** Extra time for a request with an upload of this size, in ms. */
export function uploadTime(bytes: number): number {
  return Math.ceil((bytes * 1000) / slowestLine);
}
