import type { IncomingMessage, ServerResponse } from 'node:http';
import { BreakableServer } from '../breakable-server.ts';
import { CallLog } from '../call-log.ts';
import { type ActiveFault, type CommonFault, type FaultOdds, FaultRules } from '../fault-rules.ts';
import { type RequestBody, readRequestBody } from './files.ts';
import { Refusal } from './refusal.ts';
import { findRoute, matchesRoute, type Route } from './routes.ts';
import type { DiscordWorld } from './world.ts';

/** How a request goes wrong. */
type Fault =
  | CommonFault
  /** Answers an error, as the server does itself or with a body of its own. Nothing is done. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly code?: number;
      readonly message?: string;
      readonly body?: string;
    }
  /** Too many requests, for that many seconds. Nothing is done. */
  | { readonly kind: '429'; readonly retryAfter: number; readonly global?: boolean };

export type FaultKind = Fault['kind'];

export type FaultRule = Fault &
  FaultOdds & {
    /** `*` is every one; else a method and a path, as `callsOf` takes them. */
    readonly route: string;
    /** For which requests, by the JSON of their bodies. */
    readonly when?: (body: unknown) => boolean;
  };

/** A rule that was given, and what it has done. When it is removed, what hangs goes on hanging. */
export interface ReleasableFault extends ActiveFault {
  /** What hangs because of it is done, if it was not, and answered. */
  release(): void;
}

/** One request of the bot. */
export interface ApiCall {
  /** The method and the template of the path, such as `POST /channels/:channel/messages`; of an unknown one, its path. */
  readonly route: string;
  readonly method: string;
  /** Below `/api/v10`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The JSON of the body, undefined if there is none. */
  readonly body: unknown;
  readonly authorization: string | undefined;
  /** In milliseconds since 1970, by the server's clock. */
  readonly at: number;
  /** The status of the answer, whether or not it arrived; undefined as long as there is none. */
  readonly status?: number;
  /** Discord's own number for what was wrong, if anything was. */
  readonly code?: number | undefined;
  /** What went wrong on purpose. */
  readonly fault: FaultKind | undefined;
}

/** One line about a request. */
export function describeCall({ method, path, body, status, code = 0, fault }: ApiCall): string {
  return `  ${method} ${path} ${JSON.stringify(body)?.slice(0, 200)} → ${status} ${code} (${fault ?? 'no fault'})`;
}

/** What goes back over HTTP. */
interface Answer {
  readonly status: number;
  /** None with 204. */
  readonly body?: string | Buffer;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Discord's own number for what was wrong. */
  readonly code?: number;
}

type Rule = FaultRule & { readonly released: Promise<void> };
type Asked = Pick<ApiCall, 'method' | 'path' | 'query' | 'authorization'> & { readonly body: RequestBody | Refusal };

const root = '/api/v10';

/** The HTTP side of Discord: tokens, bodies, limits, answers, and everything that can go wrong on the way. */
export class HttpDoor {
  readonly server: BreakableServer;
  readonly calls = new CallLog<ApiCall>('discord', ({ method, path }, name) => matchesRoute(name, method, path));
  readonly rules = new FaultRules<Rule, Pick<ApiCall, 'method' | 'path' | 'body'>>(
    (rule, { method, path, body }) => matchesRoute(rule.route, method, path) && (rule.when?.(body) ?? true),
  );
  readonly #world: DiscordWorld;
  readonly #routes: readonly Route[];
  readonly #takeAllowance: TakeAllowance;

  constructor(world: DiscordWorld, routes: readonly Route[]) {
    this.#world = world;
    this.#routes = routes;
    this.#takeAllowance = rateLimits(world);
    this.server = new BreakableServer({
      serve: (request, response) => this.#serve(request, response),
      upgrade: (...asked) => world.gateway.upgrade(...asked),
    });
  }

  fault(rule: FaultRule): ReleasableFault {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const active = this.rules.add({ ...rule, released });
    return {
      get fired() {
        return active.fired;
      },
      remove: () => active.remove(),
      release() {
        active.remove();
        resolve();
      },
    };
  }

  async close(): Promise<void> {
    this.#world.gateway.close();
    await this.server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { changes, now } = this.#world;
    const url = new URL(request.url ?? '/', 'http://localhost');
    const { method = 'GET', headers } = request;
    const path = decodeURIComponent(url.pathname.replace(root, ''));
    const body = await readRequestBody(request).catch(refusalIn);
    const about = { method, path, query: Object.fromEntries(url.searchParams), authorization: headers.authorization };
    const json = body instanceof Refusal ? undefined : body.json;
    const rule = this.rules.next({ ...about, body: json });
    const template = findRoute(this.#routes, method, path)?.route.template ?? path;
    const route = `${method} ${template}`;
    const end = this.calls.begin({ ...about, body: json, route, at: now(), fault: rule?.kind });
    changes.notify();
    const isFile = url.pathname.startsWith('/attachments/');
    const answer = await answerWith(rule, () => (isFile ? this.#download(url) : this.#execute({ ...about, body })));
    if (answer === 'drop') response.destroy();
    else {
      const { status, code, body: content, type = 'application/json', headers: more } = answer;
      end({ status, code });
      // An empty answer must not say that it is JSON.
      response.writeHead(status, { ...more, ...(content !== undefined && { 'content-type': type }) }).end(content);
    }
    changes.notify();
  }

  #execute({ method, path, query, body, authorization }: Asked): Answer {
    const { account } = this.#world;
    const found = findRoute(this.#routes, method, path);
    if (found === undefined) return refused(new Refusal(404, 0, '404: Not Found'));
    const { route, parts } = found;
    const isAuthorized = account.token !== undefined && authorization === `Bot ${account.token}`;
    if (!route.isOpen && !isAuthorized) return refused(new Refusal(401, 0, '401: Unauthorized'));
    const { retryAfter, headers } = this.#takeAllowance(route, parts.channel ?? parts.guild ?? '');
    if (retryAfter > 0) return limited(retryAfter, headers);
    try {
      if (body instanceof Refusal) throw body;
      const answer = route.answer({ ...body, path: parts, query });
      return answer === undefined ? { status: 204, headers } : { status: 200, body: JSON.stringify(answer), headers };
    } catch (error) {
      return refused(refusalIn(error), headers);
    }
  }

  #download(url: URL): Answer {
    const file = this.#world.attachments.at(url);
    if (file !== undefined) return { status: 200, body: file.bytes, type: file.mediaType };
    return { status: 404, body: 'This content is no longer available.', type: 'text/plain;charset=UTF-8' };
  }
}

function refusalIn(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

async function answerWith(rule: Rule | undefined, execute: () => Answer): Promise<Answer | 'drop'> {
  switch (rule?.kind) {
    case undefined:
      return execute();
    case 'status': {
      const { status, code = 0, message = `${status}: made to fail`, body } = rule;
      return body === undefined ? refused(new Refusal(status, code, message)) : { status, body };
    }
    case '429':
      return limited(rule.retryAfter * 1000, {}, rule.global);
    case 'html':
      return { status: 502, body: '<html><body><h1>502 Bad Gateway</h1></body></html>', type: 'text/html' };
    case 'drop-before':
      return 'drop';
    case 'drop-after':
      execute();
      return 'drop';
    case 'hang': {
      const answer = rule.done === true ? execute() : undefined;
      await rule.released;
      return answer ?? execute();
    }
  }
}

type Headers = Readonly<Record<string, string>>;

function refused({ status, code, message, details }: Refusal, headers: Headers = {}): Answer {
  const wait = typeof details.retry_after === 'number' && { 'retry-after': String(details.retry_after) };
  return { status, code, body: JSON.stringify({ message, code, ...details }), headers: { ...headers, ...wait } };
}

/** 429, with the time that it lasts in the header and in the body. */
function limited(milliseconds: number, headers: Headers, isGlobal = false): Answer {
  const wait = seconds(milliseconds);
  const scope: Headers = isGlobal ? { 'x-ratelimit-global': 'true' } : {};
  return {
    status: 429,
    code: 0,
    body: JSON.stringify({ message: 'You are being rate limited.', retry_after: wait, global: isGlobal, code: 0 }),
    headers: { ...headers, ...scope, 'retry-after': String(wait), 'x-ratelimit-scope': isGlobal ? 'global' : 'user' },
  };
}

/** Upwards, so that nobody comes back too early. */
function seconds(milliseconds: number): number {
  return Math.ceil(Math.max(1, milliseconds)) / 1000;
}

type TakeAllowance = (route: Route, major: string) => { readonly retryAfter: number; readonly headers: Headers };

/** The buckets of the REST side: how long a request has to wait, if it has to, and what the headers tell. */
function rateLimits({ times, now }: DiscordWorld): TakeAllowance {
  const windows = new Map<string, { readonly startedAt: number; used: number }>();
  return ({ method, template, isOpen, limit: [most, length] }: Route, major: string) => {
    if (isOpen) return { retryAfter: 0, headers: {} };
    const key = `${method} ${template} ${major}`;
    const known = windows.get(key);
    const isNew = known === undefined || now() - known.startedAt >= length * times.rateScale;
    const window = isNew ? { startedAt: now(), used: 0 } : known;
    windows.set(key, window);
    const resetAfter = window.startedAt + length * times.rateScale - now();
    const isFull = window.used >= most;
    if (!isFull) window.used += 1;
    const headers = {
      // Buckets have names that mean nothing, the same for every channel.
      'x-ratelimit-bucket': Buffer.from(`${method} ${template}`).toString('hex').slice(0, 40),
      'x-ratelimit-limit': String(most),
      'x-ratelimit-remaining': String(most - window.used),
      'x-ratelimit-reset-after': String(seconds(resetAfter)),
    };
    return { retryAfter: isFull ? resetAfter : 0, headers };
  };
}
