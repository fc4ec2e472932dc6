import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ChannelError, type ChannelFault } from '../../src/contract.ts';
import { readBody } from '../../src/lib/read-body.ts';
import { readNetworkError, UnreadableFile } from './request-failure.ts';

/** What a download may cost, and what ends it. */
export interface DownloadLimits {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

interface DownloadRequest extends DownloadLimits {
  /** As people know it: "Discord". */
  readonly platform: string;
  /** Asks for what lies at the address. Without it nobody's token is sent, and no redirect is followed. */
  readonly get?: (url: URL, signal: AbortSignal) => Promise<Response>;
}

/**
 * The file at an address, `too-large` where it has more than `maxBytes`, or the status with which the server refuses it.
 * Throws `ChannelError`, which does not name the address: it may let anybody have the file.
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

/** A file that is read from disk while it is sent. Throws `UnreadableFile` if there is none: a folder is none. */
export async function openFile(path: string, type?: string): Promise<Blob> {
  try {
    if ((await stat(path)).isFile()) return await openAsBlob(path, { type });
  } catch (error) {
    throw UnreadableFile.from(error);
  }
  throw new UnreadableFile('what should be sent is not a file any more');
}

/** Bytes a second: a line that is slower is as good as dead. */
const slowestLine = 100_000;

/** How much longer than another request one with so many bytes may take, in milliseconds. */
export function uploadTime(bytes: number): number {
  return Math.ceil((bytes * 1000) / slowestLine);
}
