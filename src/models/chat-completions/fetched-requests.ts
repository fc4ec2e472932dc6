import type { IncomingAnswer, KeptRequests, OutgoingRequest } from '../../lib/network/kept-requests.ts';
import type { Network } from '../../lib/network/network.ts';

export type Sender = Pick<KeptRequests, 'send'>;

/** The same requests by `fetch`, whose client knows what a proxy answers for itself. */
export function fetchedRequests(fetch: Network['fetch']): Sender {
  return { send: (request) => send(request, fetch) };
}

async function send(
  { url, method, headers, body, signal }: OutgoingRequest,
  fetch: Network['fetch'],
): Promise<IncomingAnswer> {
  const given = body instanceof Uint8Array ? Buffer.from(body) : null;
  const asked: RequestInit = { method, headers: { ...headers }, body: given, redirect: 'manual' };
  const response = await fetch(url, signal === undefined ? asked : { ...asked, signal });
  const reader = response.body?.getReader();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: piecesOf(reader),
    // What is wrong with a body that nobody wants matters to nobody.
    cancel: () => void reader?.cancel().catch(() => undefined),
  };
}

async function* piecesOf(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): AsyncGenerator<Uint8Array> {
  for (;;) {
    const value = (await reader?.read())?.value;
    if (value === undefined) return;
    yield value;
  }
}
