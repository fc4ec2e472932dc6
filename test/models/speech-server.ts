import { createServer, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type JsonValue, parseJson } from '../../src/lib/json.ts';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';
import { Changes } from '../support/wait-for.ts';

interface SpeechRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: JsonValue | undefined;
}

/** A server that speaks as a test says, on the loopback. The last reply is repeated. Ends with the test. */
export async function speechServer(...replies: readonly ((response: ServerResponse) => void)[]) {
  const received: SpeechRequest[] = [];
  const changes = new Changes();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { url = '', headers } = request;
    received.push({
      path: url,
      authorization: headers.authorization,
      body: parseJson(Buffer.concat(chunks).toString()),
    });
    changes.notify();
    (replies[received.length - 1] ?? replies.at(-1))?.(response);
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    /** Resolves when it was asked so often. */
    asked: (times: number) =>
      changes.waitFor(() => received[times - 1], { what: `request ${times} to the speech server` }),
  };
}

/** Speaks: a recording with these first bytes. */
export function speaks(start = 'OggS'): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, { 'content-type': 'audio/ogg' });
    response.end(Buffer.from(`${start}….`, 'latin1'));
  };
}
