import type { IncomingAnswer, OutgoingRequest } from './kept-requests.ts';
import type { Network } from './network.ts';

/** A request whose body does not come in pieces. */
export interface WholeRequest extends OutgoingRequest {
  readonly body?: string | Uint8Array;
}

/** What sends requests and promises what `KeptRequests` does, over whatever connections. */
export interface Sender {
  send(request: WholeRequest): Promise<IncomingAnswer>;
}

/** The same requests by `fetch`, whose client knows what a proxy answers for itself. */
export function fetchedRequests(fetch: Network['fetch']): Sender {
  return { send: (request) => send(request, fetch) };
}

async function send(
  { url, method, headers, body, signal }: WholeRequest,
  fetch: Network['fetch'],
): Promise<IncomingAnswer> {
  const given = body instanceof Uint8Array ? Buffer.from(body) : body;
  const asked: RequestInit = { method, headers: { ...headers }, body: given ?? null, redirect: 'manual' };
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
  try {
    for (let step = await reader?.read(); step?.value !== undefined; step = await reader?.read()) yield step.value;
  } finally {
    // Who leaves the loop closes the connection. It is closed already if reading has failed.
    await reader?.cancel().catch(() => undefined);
  }
}
