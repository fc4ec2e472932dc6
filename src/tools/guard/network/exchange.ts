import { readDecoded } from './decoded-body.ts';
import { type ConnectionRules, guardedConnector } from './guarded-connector.ts';
import { type Hop, isRedirect } from './redirect.ts';
import type { WebResponse } from './web-client.ts';

/**
 * Sends one request and reads its answer, on a connection of its own that is gone afterwards. What only redirects is not
 * read. Proxies of the environment are not used: behind one, nobody would see where a connection leads.
 */
export async function exchange(
  { url, method, headers, body }: Hop,
  { maxBytes, ...rules }: Omit<ConnectionRules, 'url'> & { readonly maxBytes: number },
): Promise<WebResponse> {
  const { Agent, buildConnector, request } = await import('undici');
  const connect = guardedConnector(buildConnector, { ...rules, url });
  const dispatcher = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const answer = await request(url, {
      dispatcher,
      method,
      headers: { 'user-agent': 'Keyturn', accept: '*/*', ...headers, 'accept-encoding': 'gzip, br' },
      body: body ?? null,
      reset: true,
      signal: rules.signal,
    });
    const head = { url: url.href, status: answer.statusCode, headers: joined(answer.headers) };
    if (isRedirect(head)) return { ...head, body: Buffer.alloc(0), truncated: false };
    return { ...head, ...(await readDecoded(answer.body, head.headers['content-encoding'] ?? '', maxBytes)) };
  } finally {
    await dispatcher.destroy();
  }
}

function joined(headers: NodeJS.Dict<string | readonly string[]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [name, typeof value === 'string' ? value : value.join(', ')]),
  );
}
