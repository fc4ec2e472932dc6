import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that speaks as a provider does, as far as a test wants it to. */
export interface WireServer {
  readonly url: string;
  /** What was asked, as it arrived. */
  readonly requests: readonly RecordedRequest[];
  stop(): Promise<void>;
}

export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  /** Resolves when the client is gone before the answer ended. */
  readonly abandoned: Promise<void>;
}

/** Starts it on a free port of the loopback. The reply writes the whole answer, or as much of it as it likes. */
export async function startWireServer(reply: (response: ServerResponse, count: number) => void): Promise<WireServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const abandoned = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    requests.push({ path: request.url ?? '', headers: request.headers, body, abandoned });
    reply(response, requests.length);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

/** Server-sent events, one for each value; a string is sent as it is. */
export function sse(...values: readonly unknown[]): string {
  return values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join('');
}

/** Anthropic names its events. */
export function namedSse(...values: readonly { readonly type: string; readonly [key: string]: unknown }[]): string {
  return values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join('');
}

/** One piece of an answer in the dialect of OpenAI's chat completions. */
export function chunk(delta: object, finishReason: string | null = null): object {
  return {
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

/** Begins an answer that will be streamed. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** Sends the whole answer. */
export function sendStream(response: ServerResponse, text: string): void {
  beginStream(response);
  response.end(text);
}
