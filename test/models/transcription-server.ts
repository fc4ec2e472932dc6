import { createServer, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';

export interface ReceivedRecording {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { readonly name: string; readonly type: string; readonly text: string };
}

/** A server that transcribes as a test says, on the loopback. Ends with the test. */
export async function transcriptionServer(
  ...replies: readonly ((response: ServerResponse) => void)[]
): Promise<{ readonly url: string; readonly received: readonly ReceivedRecording[] }> {
  const received: ReceivedRecording[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const contentType = request.headers['content-type'] ?? '';
    const form = await new Response(Buffer.concat(chunks), { headers: { 'content-type': contentType } }).formData();
    received.push(await read(form, request.url ?? '', request.headers.authorization));
    (replies[received.length - 1] ?? replies.at(-1))?.(response);
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  return { url: `http://127.0.0.1:${port}`, received };
}

/** Answers with that status and body. */
export function replies(status: number, body: unknown): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', location: 'http://127.0.0.1:1/' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

async function read(form: FormData, path: string, authorization: string | undefined): Promise<ReceivedRecording> {
  const fields: Record<string, string> = {};
  let file = { name: '', type: '', text: '' };
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value;
    else file = { name: value.name, type: value.type, text: await value.text() };
  }
  return { path, authorization, fields, file };
}
