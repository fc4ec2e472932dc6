import type { KeptRequests } from '../../lib/network/kept-requests.ts';
import type { Network } from '../../lib/network/network.ts';

export type Sender = Pick<KeptRequests, 'send'>;

/** The same requests by `fetch`. */
export function fetchedRequests(fetch: Network['fetch']): Sender {
  return {
    async send({ url, method, headers, body, signal }) {
      const given = body instanceof Uint8Array ? Buffer.from(body) : null;
      const init: RequestInit = { method, headers: { ...headers }, body: given, redirect: 'manual' };
      const response = await fetch(url, signal === undefined ? init : { ...init, signal });
      const reader = response.body?.getReader();
      const cancel = (): void => void reader?.cancel().catch(() => undefined);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: piecesOf(reader),
        cancel,
      };
    },
  };
}

async function* piecesOf(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): AsyncGenerator<Uint8Array> {
  for (;;) {
    const value = (await reader?.read())?.value;
    if (value === undefined) return;
    yield value;
  }
}
