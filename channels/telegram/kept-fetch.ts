import type { IncomingAnswer, KeptRequests } from '../../src/lib/network/kept-requests.ts';

/** What grammY's client gives to its `fetch`, and takes of it. */
type ClientFetch = (address: string, request: ClientRequest) => Promise<ClientAnswer>;

interface ClientRequest {
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

interface ClientAnswer {
  /** Rejects with a `SyntaxError` if it is not JSON. */
  json(): Promise<unknown>;
}

/** For grammY's client: its requests, over kept connections. Redirects are errors, since the address holds the token. */
export function keptFetch(requests: KeptRequests): ClientFetch {
  return async (address, { method, headers, body, signal }) => {
    const answer = await requests.send({ url: new URL(address), method, headers, body, signal });
    if (isRedirect(answer)) {
      answer.cancel();
      throw new Error('unexpected redirect');
    }
    return { json: () => readJson(answer) };
  };
}

function isRedirect({ status, headers }: IncomingAnswer): boolean {
  return status >= 300 && status < 400 && headers.location !== undefined;
}

async function readJson({ body }: IncomingAnswer): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString());
}
