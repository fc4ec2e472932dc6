import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';

export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  /** Resolves when the client is gone before the answer ended. */
  readonly abandoned: Promise<void>;
}

/** Writes the whole answer, or as much of it as it likes. `count`: which request it is, from 1 on. */
export type Reply = (response: ServerResponse, count: number) => void;

/** A server that speaks as a provider does, as far as a test wants it to. Starts it on a free port of the loopback. It ends with the test at the latest. */
export async function startWireServer(reply: Reply) {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    // It says nothing of what it can.
    if (request.method === 'GET') return void response.writeHead(404).end();
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const abandoned = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    requests.push({ path: request.url ?? '', headers: request.headers, body, abandoned });
    reply(response, requests.length);
  });
  const port = await listenOnLoopback(server);
  let ended: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    ended ??= closeServer(server);
    return ended;
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${port}`, requests, stop };
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

/** A whole answer of Anthropic, of these blocks: each as it begins, and what is added to it. */
export function claudeStream(...blocks: readonly (readonly [block: object, ...deltas: readonly object[]])[]): string {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage };
  const hasCall = blocks.some(([block]) => 'type' in block && block.type === 'tool_use');
  return namedSse(
    { type: 'message_start', message },
    ...blocks.flatMap(([content_block, ...deltas], index) => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: hasCall ? 'tool_use' : 'end_turn' }, usage },
    { type: 'message_stop' },
  );
}

/** A whole answer of OpenAI's, of one item: as it begins, what is added to it, and as it is in the end. */
export function openAiStream(
  item: object,
  delta: Readonly<Record<string, unknown>> & { type: string },
  done: object,
): string {
  return namedSse(
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
    { type: 'response.output_item.added', output_index: 0, item },
    { item_id: 'i', output_index: 0, ...delta },
    { type: 'response.output_item.done', output_index: 0, item: done },
    { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } },
  );
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

/** An answer that is nothing but these events. */
export function streaming(text: string): Reply {
  return (response) => sendStream(response, text);
}

/** Takes the request, and refuses it: for what is sent. */
export const refusing: Reply = (response) => response.writeHead(418).end();
