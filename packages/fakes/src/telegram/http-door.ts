import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { BreakableServer } from '../breakable-server.ts';
import { CallLog } from '../call-log.ts';
import type { Changes } from '../changes.ts';
import { type CommonFault, type MethodRule, methodFaults } from '../fault-rules.ts';
import { isJsonObject, parseJson } from '../json.ts';
import { type Method, methodTable, type TelegramState } from './methods.ts';
import { type ApiRequest, badRequest, Refusal, type Upload } from './parameters.ts';

/** How a request goes wrong. */
export type Fault =
  | CommonFault
  /** Answers an error, as the server does itself or with a body of its own. Nothing is done. */
  | { readonly kind: 'status'; readonly status: number; readonly description?: string; readonly body?: string }
  /** Too many requests, for that many seconds. Nothing is done. */
  | { readonly kind: '429'; readonly retryAfter: number };

export type FaultKind = Fault['kind'];
/** A download goes by the name `download`. */
export type FaultRule = MethodRule<Fault>;

/** One request of the bot. */
export interface ApiCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** In milliseconds since 1970, by the server's clock. */
  readonly at: number;
  /** The status of the answer, whether or not it arrived; undefined as long as there is none. */
  readonly status?: number;
  /** What went wrong on purpose. */
  readonly fault: FaultKind | undefined;
}

/** One line about a request. */
export function describeCall({ method, params, status = 0, fault = 'hang' }: ApiCall): string {
  return `  ${method} ${JSON.stringify(params).slice(0, 200)} → ${status} (${fault})`;
}

interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly type?: string;
}

const proxyPage = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

/** The HTTP side of the Bot API: tokens, bodies, answers, and everything that can go wrong on the way. */
export class HttpDoor {
  readonly server = new BreakableServer({ serve: (request, response) => this.#serve(request, response) });
  readonly faults = methodFaults<Fault>();
  readonly calls = new CallLog<ApiCall>('telegram', (call, name) => call.method.toLowerCase() === name.toLowerCase());
  readonly #state: TelegramState;
  readonly #changes: Changes;
  readonly #methods: ReadonlyMap<string, Method>;
  #token: string;

  constructor(state: TelegramState, changes: Changes, token: string) {
    this.#state = state;
    this.#changes = changes;
    this.#methods = methodTable(state);
    this.#token = token;
  }

  /** From now on, this token is the bot's, and no other. */
  exchangeToken(next: string): void {
    this.#token = next;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const [, isFile, given = '', rest = ''] = /^(\/file)?\/bot([^/]+)\/(.+)$/.exec(decodeURI(pathname)) ?? [];
    // A token is the number of the bot and 35 characters.
    if (given !== this.#token) {
      const isToken = /^\d+:[\w-]{35}$/.test(given);
      return send(response, refusalAnswer(isToken ? new Refusal(401, 'Unauthorized') : new Refusal(404, 'Not Found')));
    }
    const body = isFile === undefined ? await readRequest(request).catch(refusalIn) : undefined;
    const method = body === undefined ? 'download' : rest;
    const params = body === undefined ? { path: rest } : body instanceof Refusal ? {} : body.params;
    const fault = this.faults.next({ method, params });
    const end = this.calls.begin({ method, params, at: this.#state.now(), fault: fault?.kind });
    this.#changes.notify();
    const closed = new AbortController();
    response.on('close', () => closed.abort());
    const answer = await answerWith(fault, async () =>
      body === undefined ? this.#download(rest) : this.#execute(rest, body, closed.signal),
    );
    if (answer === 'drop') response.destroy();
    else if (answer !== 'hang') {
      end({ status: answer.status });
      send(response, answer);
    }
    this.#changes.notify();
  }

  async #execute(name: string, body: ApiRequest | Refusal, closed: AbortSignal): Promise<Answer> {
    try {
      if (body instanceof Refusal) throw body;
      const method = this.#methods.get(name.toLowerCase());
      if (method === undefined) throw new Refusal(404, 'Not Found: method not found');
      return { status: 200, body: JSON.stringify({ ok: true, result: await method(body, closed) }) };
    } catch (error) {
      return refusalAnswer(refusalIn(error));
    }
  }

  #download(path: string): Answer {
    const file = this.#state.files.all.get(path.replace(/^documents\//, ''));
    if (file === undefined) return refusalAnswer(new Refusal(404, 'Not Found'));
    return { status: 200, body: file.bytes, type: 'application/octet-stream' };
  }
}

async function answerWith(fault: Fault | undefined, execute: () => Promise<Answer>): Promise<Answer | 'drop' | 'hang'> {
  switch (fault?.kind) {
    case undefined:
      return execute();
    case 'status': {
      const { status, description = 'Internal Server Error', body } = fault;
      return body === undefined ? refusalAnswer(new Refusal(status, description)) : { status, body };
    }
    case '429': {
      const { retryAfter: retry_after } = fault;
      return refusalAnswer(new Refusal(429, `Too Many Requests: retry after ${retry_after}`, { retry_after }));
    }
    case 'html':
      return { status: 502, body: proxyPage, type: 'text/html' };
    case 'drop-before':
      return 'drop';
    case 'drop-after':
      await execute();
      return 'drop';
    case 'hang':
      if (fault.done === true) await execute();
      return 'hang';
  }
}

function refusalIn(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

function refusalAnswer({ status, message, parameters }: Refusal): Answer {
  return { status, body: JSON.stringify({ ok: false, error_code: status, description: message, parameters }) };
}

function send(response: ServerResponse, { status, body, type = 'application/json' }: Answer): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}

/** Reads JSON, or a form with files; what stands in the address, too. Throws a refusal if it cannot. */
async function readRequest(request: IncomingMessage): Promise<ApiRequest> {
  const inAddress = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const { params, uploads } = await readBody(request);
  return { params: { ...Object.fromEntries(inAddress), ...params }, uploads };
}

async function readBody(request: IncomingMessage): Promise<ApiRequest> {
  const body = await buffer(request);
  const contentType = request.headers['content-type'] ?? '';
  if (body.length === 0) return { params: {}, uploads: new Map() };
  const [, quoted, bare] = /^multipart\/form-data;.*boundary=(?:"([^"]+)"|([^;]+))/.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary !== undefined) return parseForm(body, boundary);
  const params = parseJson(body.toString());
  if (!contentType.startsWith('application/json') || !isJsonObject(params)) throw badRequest("can't parse JSON object");
  return { params, uploads: new Map() };
}

function parseForm(body: Buffer, boundary: string): ApiRequest {
  const params: Record<string, unknown> = {};
  const uploads = new Map<string, Upload>();
  // latin1 keeps every byte as one character.
  const parts = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`).slice(1, -1);
  for (const part of parts) {
    const end = part.indexOf('\r\n\r\n');
    const head = Buffer.from(part.slice(0, end), 'latin1').toString();
    const content = Buffer.from(part.slice(end + 4), 'latin1');
    const [name = '', fileName] = [attribute(head, 'name'), attribute(head, 'filename')];
    if (fileName === undefined) params[name] = content.toString();
    else uploads.set(name, { name: fileName, bytes: content });
  }
  return { params, uploads };
}

/** As the real server reads it: up to a semicolon, even one within quotes; then without the spaces and quotes around it. */
function attribute(head: string, name: string): string | undefined {
  const match = new RegExp(`[;\\s]${name}=([^;\\r\\n]*)`, 'i').exec(head);
  return match?.[1]?.trim().replace(/^"(.*)"$/, '$1');
}
