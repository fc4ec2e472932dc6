/** The outside world, run by the attacker: pages, a search engine and an MCP server. Records every request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../src/lib/json.ts';
import type { HostLookup } from '../../src/tools/guard/network/network-rules.ts';
import { closeServer, listenOnLoopback } from '../../test/support/loopback.ts';

export interface Page {
  readonly body: string | Uint8Array;
  readonly type?: string;
  readonly status?: number;
  readonly location?: string;
}

interface ServedTool {
  readonly name: string;
  readonly description: string;
  readonly content: readonly JsonObject[];
  /** Default: one for a query, a recipient and a text. */
  readonly inputSchema?: JsonObject;
}

/** The site's name leads here. */
export const leadsHere: HostLookup = async () => [{ address: '127.0.0.1', family: 4 }];

export class Internet {
  readonly #pages = new Map<string, Page>();
  /** The tools of each MCP server, by path. */
  readonly #tools = new Map<string, readonly ServedTool[]>();
  readonly #heard: string[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #port = 0;

  static async open(): Promise<Internet> {
    const internet = new Internet();
    internet.#port = await listenOnLoopback(internet.#server);
    return internet;
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }

  /** The address of a site that people know. */
  get site(): string {
    return `http://site.example:${this.#port}`;
  }

  /** The attacker's address, by a name that no person has said. */
  get evil(): string {
    return `http://localhost:${this.#port}`;
  }

  /** The same URL with the address in place of the name, for what looks names up by itself. */
  byNumber(url: string): string {
    return url.replace('site.example', '127.0.0.1');
  }

  put(path: string, page: Page): string {
    this.#pages.set(path, page);
    return `${this.site}${path}`;
  }

  serve(path: string, tools: readonly ServedTool[]): void {
    this.#tools.set(path, tools);
  }

  /** Whether any request had these words in its URL, headers or body. */
  hasHeard(words: string): boolean {
    return this.#heard.some((heard) => heard.includes(words.toLowerCase()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/', headers, method } = request;
    const body = await textOf(request);
    const { pathname } = new URL(url, this.site);
    const tools = this.#tools.get(pathname);
    if (tools !== undefined) return answerRpc(method, parseJson(body), tools, response);
    this.#heard.push(decoded([url, JSON.stringify(headers), body].join('\n')));
    const { body: content, type = 'text/plain', status = 200, location } = this.#pages.get(pathname) ?? nothing;
    response.writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) });
    response.end(content);
  }
}

const nothing: Page = { body: 'ok' };

function decoded(text: string): string {
  return text
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .toLowerCase();
}

function answerRpc(
  method: string | undefined,
  asked: JsonValue | undefined,
  tools: readonly ServedTool[],
  response: ServerResponse,
): void {
  const request = isJsonObject(asked) ? asked : {};
  if (method !== 'POST' || request.id === undefined) {
    response.writeHead(method === 'GET' ? 405 : 202).end();
    return;
  }
  const params = isJsonObject(request.params) ? request.params : {};
  const outcome = rpcResult(request.method, params, tools);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...outcome }));
}

function rpcResult(method: JsonValue | undefined, params: JsonObject, tools: readonly ServedTool[]): JsonObject {
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'desk', version: '1' };
      return { result: { protocolVersion: params.protocolVersion ?? '', capabilities: { tools: {} }, serverInfo } };
    }
    case 'tools/list':
      return { result: { tools: tools.map(({ content: _, ...tool }) => ({ inputSchema, ...tool })) } };
    case 'tools/call':
      return { result: { content: [...(tools.find(({ name }) => name === params.name)?.content ?? [])] } };
    case 'ping':
      return { result: {} };
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

const inputSchema: JsonObject = {
  type: 'object',
  properties: { query: { type: 'string' }, to: { type: 'string' }, text: { type: 'string' } },
};
