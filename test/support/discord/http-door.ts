import type { IncomingMessage, ServerResponse } from 'node:http';
import { BreakableServer } from '../breakable-server.ts';
import type { CallLog } from '../call-log.ts';
import type { Changes } from '../wait-for.ts';
import { type Answer, bannedAnswer, htmlAnswer, jsonAnswer, limitedAnswer, refusalAnswer } from './answer.ts';
import type { Attachments } from './attachments.ts';
import type { BotAccount } from './bot-account.ts';
import type { ApiCall } from './call-log.ts';
import type { Fault, Faults, MetFault } from './faults.ts';
import type { Gateway } from './gateway.ts';
import type { BucketState, RateLimits } from './rate-limits.ts';
import { Refusal } from './refusal.ts';
import { type RequestBody, readRequestBody } from './request-body.ts';
import type { Route } from './route.ts';
import { findRoute } from './route-table.ts';

interface Dependencies {
  readonly account: BotAccount;
  readonly attachments: Attachments;
  readonly calls: CallLog<ApiCall>;
  readonly changes: Changes;
  readonly faults: Faults;
  readonly gateway: Gateway;
  readonly limits: RateLimits;
  readonly routes: readonly Route[];
  readonly now: () => number;
}

/** A request, read as far as it can be. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: RequestBody | Refusal;
  readonly authorization: string | undefined;
}

const root = '/api/v10';

/** The HTTP side of Discord: tokens, bodies, limits, answers, and everything that can go wrong on the way. */
export class HttpDoor {
  readonly #dependencies: Dependencies;
  readonly server: BreakableServer;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.server = new BreakableServer({
      serve: (request, response) => this.#serve(request, response),
      upgrade: (request, socket, head) => dependencies.gateway.upgrade(request, socket, head),
    });
  }

  async close(): Promise<void> {
    this.#dependencies.gateway.close();
    await this.server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const { authorization } = request.headers;
    const method = request.method ?? 'GET';
    const query = Object.fromEntries(url.searchParams);
    const path = decodeURIComponent(url.pathname.replace(root, ''));
    const body = await readBody(request);
    const asked = { method, path, query, body, authorization };
    const execute = url.pathname.startsWith('/attachments/')
      ? async () => this.#download(url)
      : async () => this.#execute(asked, url.pathname.startsWith(`${root}/`));
    await this.#call(asked, response, execute);
  }

  async #call(asked: Asked, response: ServerResponse, execute: () => Promise<Answer>): Promise<void> {
    const { faults, calls, changes, now, routes, limits } = this.#dependencies;
    const { method, path, query, authorization } = asked;
    const { json, uploads } = asked.body instanceof Refusal ? { json: undefined, uploads: new Map() } : asked.body;
    const met = faults.next({ method, path, body: json });
    const template = findRoute(routes, method, path)?.route.template ?? path;
    const files = [...uploads.values()].map(({ name }) => name);
    const told = { method, path, query, authorization, files, body: json, route: `${method} ${template}` };
    const end = calls.begin({ ...told, at: now(), status: undefined, code: undefined, fault: met?.fault.kind });
    changes.notify();
    const answer = await answerWith(met, execute);
    if (answer === 'drop') response.destroy();
    else {
      // A limit that others share, or that is the server's own, is nobody's fault.
      if ([401, 403, 429].includes(answer.status) && answer.headers?.['x-ratelimit-scope'] !== 'shared')
        limits.countInvalid();
      end({ status: answer.status, code: answer.code });
      send(response, answer);
    }
    changes.notify();
  }

  async #execute({ method, path, query, body, authorization }: Asked, isApi: boolean): Promise<Answer> {
    const { limits, routes } = this.#dependencies;
    if (limits.isShutOut) return bannedAnswer();
    const found = isApi ? findRoute(routes, method, path) : undefined;
    if (found === undefined) return refusalAnswer(this.#unknown(method, path));
    const { route, parts } = found;
    if (route.isOpen !== true && !this.#isAuthorized(authorization))
      return refusalAnswer(new Refusal(401, 0, '401: Unauthorized'));
    const allowance = limits.take(route, parts.channel ?? parts.guild ?? '');
    if (!allowance.isAllowed) return limitedAnswer(allowance);
    return run(allowance.state, () => {
      if (body instanceof Refusal) throw body;
      return route.answer({ ...body, path: parts, query });
    });
  }

  #isAuthorized(authorization: string | undefined): boolean {
    const { token } = this.#dependencies.account;
    return token !== undefined && authorization === `Bot ${token}`;
  }

  /** There may be another method for the path. */
  #unknown(method: string, path: string): Refusal {
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => other !== method);
    const isKnown = others.some((other) => findRoute(this.#dependencies.routes, other, path) !== undefined);
    return isKnown ? new Refusal(405, 0, '405: Method Not Allowed') : new Refusal(404, 0, '404: Not Found');
  }

  #download(url: URL): Answer {
    const file = this.#dependencies.attachments.at(url);
    const type = 'text/plain;charset=UTF-8';
    if (file === undefined) return { status: 404, body: 'This content is no longer available.', type };
    return { status: 200, body: file.bytes, type: file.mediaType };
  }
}

function run(state: BucketState | undefined, answer: () => unknown): Answer {
  try {
    return jsonAnswer(answer(), state);
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(error, state);
    throw error;
  }
}

async function answerWith(met: MetFault | undefined, execute: () => Promise<Answer>): Promise<Answer | 'drop'> {
  if (met === undefined) return execute();
  const { fault, released } = met;
  switch (fault.kind) {
    case 'status':
      return statusAnswer(fault);
    case '429':
      return limitedAnswer({ isGlobal: fault.global === true, retryAfter: fault.retryAfter * 1000, state: undefined });
    case 'html':
      return htmlAnswer(502, 'Bad Gateway');
    case 'drop-before':
      return 'drop';
    case 'drop-after':
      await execute();
      return 'drop';
    case 'hang': {
      const answer = fault.done === true ? await execute() : undefined;
      await released;
      return answer ?? execute();
    }
  }
}

function statusAnswer({ status, code = 0, message, body }: Fault & { kind: 'status' }): Answer {
  if (body !== undefined) return { status, body };
  return refusalAnswer(new Refusal(status, code, message ?? `${status}: made to fail`));
}

async function readBody(request: IncomingMessage): Promise<RequestBody | Refusal> {
  try {
    return await readRequestBody(request);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function send(response: ServerResponse, { status, body, type = 'application/json', headers = {} }: Answer): void {
  if (response.destroyed) return;
  // An empty answer must not say that it is JSON.
  response.writeHead(status, { ...headers, ...(body !== undefined && { 'content-type': type }) });
  response.end(body);
}
