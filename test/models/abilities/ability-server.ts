import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { isJsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';
import { chunk, sendStream, sse } from '../wire-server.ts';

/** What a server answers on a path: a body, or all that it likes. */
export type Route = object | string | ((response: ServerResponse, body: JsonValue) => void);

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: JsonValue;
}

/** A model server that tells on some paths what its model can. Chats are answered with `hello`, and with what they took. */
export async function abilityServer(first: Readonly<Record<string, Route>> = {}) {
  const asked: Asked[] = [];
  const state = { routes: first, promptTokens: 0, isDown: false };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const piece of request) chunks.push(piece);
    const text = Buffer.concat(chunks).toString();
    const body: JsonValue = text === '' ? null : JSON.parse(text);
    const [path = ''] = (request.url ?? '').split('?');
    if (state.isDown) return void request.socket.destroy();
    asked.push({ method: request.method ?? '', path, headers: request.headers, body });
    answer(response, path, body);
  });

  function answer(response: ServerResponse, path: string, body: JsonValue): void {
    const route = state.routes[path];
    if (typeof route === 'function') route(response, body);
    else if (typeof route === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(route);
    else if (route !== undefined) sendJson(response, route);
    else if (path.endsWith('/chat/completions')) says(response, 'hello', state.promptTokens);
    else response.writeHead(404).end('{"error":"not found"}');
  }

  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  return {
    ...{ asked, state },
    url: `http://127.0.0.1:${port}`,
    /** The chats, oldest first. */
    chats: () => asked.filter(({ path }) => path.endsWith('/chat/completions')).map(({ body }) => chatOf(body)),
    /** What it was asked of what it can. */
    questions: () => asked.filter(({ path }) => !path.endsWith('/chat/completions')),
  };
}

export type AbilityServer = Awaited<ReturnType<typeof abilityServer>>;

export function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A whole answer of the model. */
export function says(response: ServerResponse, text: string, promptTokens = 0): void {
  const usage = { prompt_tokens: promptTokens, completion_tokens: 1, total_tokens: promptTokens + 1 };
  sendStream(response, sse(chunk({ content: text }), { ...chunk({}, 'stop'), usage }, '[DONE]'));
}

/** What of a chat matters here. */
function chatOf(body: JsonValue) {
  const { tools, messages } = isJsonObject(body) ? body : {};
  const all = JSON.stringify(messages ?? []);
  return {
    tools: Array.isArray(tools) ? tools.length : 0,
    describesTools: all.includes('<tool_call>'),
    hasPicture: all.includes('image_url'),
    text: all,
  };
}
