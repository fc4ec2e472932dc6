import { createServer, type IncomingMessage, request as passOn, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';

export type Door = ReturnType<typeof createDoor>;

/** A server of ours before one that others have written: what it does not answer itself is passed on. */
export function createDoor(serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  /** Mistakes of the door itself. A test that meets one cannot be trusted. */
  const mistakes: unknown[] = [];
  let port = 0;
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // Who is gone does not wait for an answer.
      if (!request.socket.destroyed) mistakes.push(error);
      response.destroy();
    });
  });
  return {
    server,
    mistakes,
    /** Where it listens, without the scheme. */
    host: () => `127.0.0.1:${port}`,
    open: async (): Promise<void> => {
      port = await listenOnLoopback(server);
    },
    close: async (): Promise<void> => {
      await closeServer(server);
      if (mistakes.length > 0) throw new AggregateError(mistakes, 'The door is wrong.');
    },
  };
}

/** Has the server on that port answer, and gives its answer as it is. */
export async function passTo(port: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  const inner = passOn({ host: '127.0.0.1', port, method, path: url, headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    inner.on('response', resolve);
    inner.on('error', reject);
  });
  const [answer] = await Promise.all([answered, pipeline(request, inner)]);
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, response);
}

/** Answers with JSON. */
export function answerWith(body: unknown, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}
