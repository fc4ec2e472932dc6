import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ChannelError, type OutboundFile } from '../../../src/contract.ts';
import { readNetworkError, readStatus, toChannelError } from '../web-api/failure.ts';
import { isTrusted } from '../web-api/trusted.ts';

/** Bytes a second: a line that is slower is as good as dead. */
const slowestLine = 100_000;
const method = 'upload of a file';

/** How large the file is, in bytes. Throws a permanent `ChannelError` if it can't be read any more. */
export async function sizeOf({ path }: OutboundFile): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw unreadable(error);
  }
}

/**
 * Puts the bytes of a file where Slack wants them; they are read while they are sent. Nobody sees anything of it yet, so a
 * lost answer is transient. Throws `ChannelError`, which does not name the address.
 */
export async function uploadBytes(
  url: string,
  file: OutboundFile,
  { apiUrl, requestTimeoutSecs }: { readonly apiUrl: string; readonly requestTimeoutSecs: number },
): Promise<void> {
  if (!URL.canParse(url) || !isTrusted(new URL(url), apiUrl))
    throw new ChannelError({ type: 'permanent' }, `Slack, ${method}: the address is not one of Slack's. Check api_url`);
  const body = await openAsBlob(file.path).catch((error: unknown) => {
    throw unreadable(error);
  });
  const timeout = (requestTimeoutSecs + body.size / slowestLine) * 1000;
  const status = await post(url, body, Math.ceil(timeout));
  if (status !== 200) throw toChannelError(method, readStatus(status), true);
}

async function post(url: string, body: Blob, timeout: number): Promise<number> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    // What a Blob throws when its file was changed or taken away.
    if (error instanceof DOMException && error.name === 'NotReadableError') throw unreadable(error);
    throw toChannelError(method, readNetworkError(error), true);
  }
}

function unreadable(error: unknown): ChannelError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return toChannelError(method, { type: 'unreadable', words: `the file can't be read any more (${code})` }, false);
}
