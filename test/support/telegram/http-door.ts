import type { IncomingMessage, ServerResponse } from 'node:http';
import { BreakableServer } from '../breakable-server.ts';
import type { CallLog } from '../call-log.ts';
import type { Changes } from '../wait-for.ts';
import type { ApiCall } from './call-log.ts';
import type { Fault, Faults } from './faults.ts';
import type { Files } from './files.ts';
import type { Method } from './method-table.ts';
import { Refusal } from './refusal.ts';
import { type ApiRequest, readApiRequest } from './request-body.ts';

interface Dependencies {
  readonly token: string;
  readonly methods: ReadonlyMap<string, Method>;
  readonly files: Files;
  readonly faults: Faults;
  readonly calls: CallLog<ApiCall>;
  readonly changes: Changes;
  readonly now: () => number;
}

interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly type?: string;
}

const proxyPage = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

/** As what a download stands in the log of calls, and is named in a rule for faults. */
const downloadName = 'download';

/** The HTTP side of the Bot API: tokens, bodies, answers, and everything that can go wrong on the way. */
export class HttpDoor {
  readonly #dependencies: Dependencies;
  readonly server: BreakableServer;

  #token: string;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#token = dependencies.token;
    this.server = new BreakableServer({
      serve: (request, response) => this.#serve(request, response),
    });
  }

  /** From now on, this token is the bot's, and no other. */
  exchangeToken(token: string): void {
    this.#token = token;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, isFile, token, rest] = /^(\/file)?\/bot([^/]+)\/(.+)$/.exec(decodeURI(url.pathname)) ?? [];
    if (token === undefined || rest === undefined) return send(response, refusalAnswer(new Refusal(404, 'Not Found')));
    const wrong = this.#checkToken(token);
    if (wrong !== undefined) return send(response, refusalAnswer(wrong));
    if (isFile !== undefined) {
      const download = { params: { path: rest }, uploads: new Map() };
      return this.#call(downloadName, download, response, async () => this.#download(rest));
    }
    const body = await readBody(request, url);
    await this.#call(rest, body, response, () => this.#execute(rest, body, closedSignal(response)));
  }

  async #call(
    method: string,
    body: ApiRequest | Refusal,
    response: ServerResponse,
    execute: () => Promise<Answer>,
  ): Promise<void> {
    const { faults, calls, changes, now } = this.#dependencies;
    const params = body instanceof Refusal ? {} : body.params;
    const fault = faults.next({ method, params });
    const end = calls.begin({ method, params, at: now(), status: undefined, fault: fault?.kind });
    changes.notify();
    const answer = await answerWith(fault, execute);
    if (answer === 'drop') response.destroy();
    else if (answer !== 'hang') {
      end({ status: answer.status });
      send(response, answer);
    }
    changes.notify();
  }

  async #execute(method: string, body: ApiRequest | Refusal, closed: AbortSignal): Promise<Answer> {
    try {
      if (body instanceof Refusal) throw body;
      const execute = this.#dependencies.methods.get(method.toLowerCase());
      if (execute === undefined) throw new Refusal(404, 'Not Found: method not found');
      return { status: 200, body: JSON.stringify({ ok: true, result: await execute(body, closed) }) };
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error);
      throw error;
    }
  }

  #checkToken(token: string): Refusal | undefined {
    if (token === this.#token) return undefined;
    return isWellFormedToken(token) ? new Refusal(401, 'Unauthorized') : new Refusal(404, 'Not Found');
  }

  #download(path: string): Answer {
    const file = this.#dependencies.files.atPath(path);
    if (file === undefined) return refusalAnswer(new Refusal(404, 'Not Found'));
    return { status: 200, body: file.bytes, type: 'application/octet-stream' };
  }
}

async function answerWith(fault: Fault | undefined, execute: () => Promise<Answer>): Promise<Answer | 'drop' | 'hang'> {
  switch (fault?.kind) {
    case undefined:
      return execute();
    case 'status':
      return statusAnswer(fault.status, fault.description, fault.body);
    case '429':
      return refusalAnswer(tooMany(fault.retryAfter));
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

/** The number of the bot and 35 characters. */
function isWellFormedToken(token: string): boolean {
  return /^\d+:[\w-]{35}$/.test(token);
}

async function readBody(request: IncomingMessage, url: URL): Promise<ApiRequest | Refusal> {
  try {
    return await readApiRequest(request, url);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function tooMany(seconds: number): Refusal {
  return new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
}

function statusAnswer(status: number, description = 'Internal Server Error', body?: string): Answer {
  return body === undefined ? refusalAnswer(new Refusal(status, description)) : { status, body };
}

function refusalAnswer({ status, message, parameters }: Refusal): Answer {
  return { status, body: JSON.stringify({ ok: false, error_code: status, description: message, parameters }) };
}

function send(response: ServerResponse, { status, body, type = 'application/json' }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}

/** Aborts when the other side goes away before it has its answer. */
function closedSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  return controller.signal;
}
