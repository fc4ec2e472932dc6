import { ChannelError } from '../../../src/contract.ts';
import { readNetworkError, readStatus, toChannelError } from '../web-api/failure.ts';
import { isTrusted } from '../web-api/trusted.ts';
import type { Content } from './content.ts';

const method = 'answering a command';

/**
 * Answers a slash command at the address that came with it, to the person who gave it and nobody else. Throws
 * `ChannelError`, which does not name the address: whoever knows it can answer too.
 */
export async function respond(
  url: string,
  content: Content,
  { apiUrl, requestTimeoutSecs }: { readonly apiUrl: string; readonly requestTimeoutSecs: number },
): Promise<void> {
  if (!URL.canParse(url) || !isTrusted(new URL(url), apiUrl))
    throw new ChannelError({ type: 'permanent' }, `Slack, ${method}: the address is not one of Slack's`);
  const status = await post(url, content, requestTimeoutSecs);
  if (status === 200) return;
  if (status >= 400 && status < 500 && status !== 429)
    throw new ChannelError({ type: 'permanent' }, `Slack, ${method}: it is too late, the server answers ${status}`);
  throw toChannelError(method, readStatus(status), false);
}

async function post(url: string, content: Content, timeoutSecs: number): Promise<number> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...content, response_type: 'ephemeral', replace_original: false }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutSecs * 1000),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    throw toChannelError(method, readNetworkError(error), false);
  }
}
