import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ChannelError, type ChannelFault } from '../../src/contract.ts';
import { readBody } from '../../src/lib/http.ts';
import { readNetworkError, UnreadableFile } from './request-failure.ts';

export interface DownloadLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

interface DownloadRequest extends DownloadLimits {
  /** Display name: "Discord". */
  readonly platform: string;
  /** Fetches the URL. By default without a token and without following redirects. */
  readonly get?: (url: URL, signal: AbortSignal) => Promise<Response>;
}

/**
 * Downloads a file. Resolves with `too-large` above `maxBytes`, or with the status if the server refuses. Throws
 * `ChannelError` without the URL, which may give anybody access.
 */
export async function download(
  url: URL,
  { platform, maxBytes, signal, get = getPlainly }: DownloadRequest,
): Promise<Uint8Array | 'too-large' | number> {
  try {
    const response = await get(url, signal);
    const { status, headers, body } = response;
    if (status === 200) return await readBody(response, maxBytes);
    await body?.cancel();
    if (status !== 429) return status;
    const retryAfter = retryPause(headers.get('retry-after'));
    throw downloadError(platform, 'too many requests', { type: 'rate-limited', retryAfter });
  } catch (error) {
    if (error instanceof ChannelError) throw error;
    const words = signal.aborted ? 'the download was called off' : readNetworkError(error).words;
    throw downloadError(platform, words, { type: 'transient' });
  }
}

function getPlainly(url: URL, signal: AbortSignal): Promise<Response> {
  return fetch(url, { redirect: 'manual', signal });
}

export function statusError(platform: string, status: number): ChannelError {
  if (status >= 300 && status < 400)
    return downloadError(platform, 'the server sends us on to another address, which is not followed');
  return downloadError(platform, `the server answers ${status}`, { type: status >= 500 ? 'transient' : 'permanent' });
}

export function downloadError(
  platform: string,
  words: string,
  fault: ChannelFault = { type: 'permanent' },
): ChannelError {
  return new ChannelError(fault, `${platform}, download of a file: ${words}`);
}

const defaultRetrySecs = 5;

function retryPause(header: string | null): number {
  const secs = Number(header ?? Number.NaN);
  return (Number.isFinite(secs) ? secs : defaultRetrySecs) * 1000;
}

/** A file that is streamed from disk. Throws `UnreadableFile` if it is missing or a folder. */
export async function openFile(path: string, type?: string): Promise<Blob> {
  try {
    if ((await stat(path)).isFile()) return await openAsBlob(path, { type });
  } catch (error) {
    throw UnreadableFile.from(error);
  }
  throw new UnreadableFile('the file to send is no longer a file');
}

/** Slowest acceptable upload, in bytes per second. */
const slowestLine = 100_000;

/** Extra time for a request with an upload of this size, in ms. */
export function uploadTime(bytes: number): number {
  return Math.ceil((bytes * 1000) / slowestLine);
}
