import { ChannelError, type ChannelFault } from '../../src/contract.ts';
import { readBody } from '../../src/lib/read-body.ts';
import { readFailure, toChannelError } from './failure.ts';
import type { FilePlace } from './receiving.ts';

export interface DownloadOptions {
  readonly api: { getFile(fileId: string, signal: AbortSignal): Promise<FilePlace> };
  /** The address below which files lie. It holds the token, so it is in no error. */
  readonly root: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Fetches a file that somebody has sent. `too-large`: it has more than `maxBytes`, or more than Telegram hands out, which
 * is 20 MiB. Throws `ChannelError`.
 */
export async function fetchFile(fileId: string, options: DownloadOptions): Promise<Uint8Array | 'too-large'> {
  const place = await locate(fileId, options);
  if (place === 'too-large' || (place.file_size ?? 0) > options.maxBytes) return 'too-large';
  const url = `${options.root}/${checkedPath(place.file_path)}`;
  try {
    return await download(url, options);
  } catch (error) {
    if (error instanceof ChannelError) throw error;
    // What the client throws may name the address, which holds the token: it is neither repeated nor kept as the cause.
    const words = options.signal.aborted ? 'the download was called off' : 'the connection broke';
    throw new ChannelError({ type: 'transient' }, `${prefix} ${words}`);
  }
}

async function locate(fileId: string, { api, signal }: DownloadOptions): Promise<FilePlace | 'too-large'> {
  try {
    return await api.getFile(fileId, signal);
  } catch (error) {
    const failure = readFailure(error);
    if (failure.type === 'refused' && /file is too big/i.test(failure.words)) return 'too-large';
    throw toChannelError('getFile', failure, true);
  }
}

/** A Bot API server of one's own may name a place on its own disk, which is nothing to ask it for. */
function checkedPath(path: string | undefined): string {
  if (path === undefined) throw refused('the server does not say where the file is');
  if (/^(?:[/\\]|[a-z]:)|(?:^|\/)\.\.?(?:\/|$)/i.test(path))
    throw refused(
      'the Bot API server runs with --local, and names a place on its own disk. Start it without --local to have files',
    );
  return path.split('/').map(encodeURIComponent).join('/');
}

async function download(url: string, { maxBytes, signal }: DownloadOptions): Promise<Uint8Array | 'too-large'> {
  const response = await fetch(url, { redirect: 'manual', signal });
  const { status, headers, body } = response;
  if (status !== 200) {
    await body?.cancel();
    throw refusal(status, headers.get('retry-after'));
  }
  return readBody(response, maxBytes);
}

function refusal(status: number, retryAfter: string | null): ChannelError {
  if (status >= 300 && status < 400)
    return refused('the server sends us on to another address, which is not followed. Check api_root');
  return new ChannelError(faultOf(status, Number(retryAfter ?? Number.NaN)), `${prefix} the server answers ${status}`);
}

const defaultRetrySecs = 5;

function faultOf(status: number, retryAfterSecs: number): ChannelFault {
  const secs = Number.isFinite(retryAfterSecs) ? retryAfterSecs : defaultRetrySecs;
  if (status === 429) return { type: 'rate-limited', retryAfter: secs * 1000 };
  if (status === 401) return { type: 'auth' };
  return { type: status >= 500 ? 'transient' : 'permanent' };
}

const prefix = 'Telegram, download of a file:';

function refused(words: string): ChannelError {
  return new ChannelError({ type: 'permanent' }, `${prefix} ${words}.`);
}
