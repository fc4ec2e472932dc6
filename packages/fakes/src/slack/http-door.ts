import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { BreakableServer } from '../breakable-server.ts';
import { CallLog } from '../call-log.ts';
import type { Changes } from '../changes.ts';
import { type CommonFault, type MethodRule, methodFaults } from '../fault-rules.ts';
import { Refusal } from './parameters.ts';
import { type Answer, pageAnswer, type ReadRequest, refusalAnswer } from './requests.ts';
import type { SlackApp } from './slack-app.ts';

/** How a request goes wrong. */
type Fault =
  | CommonFault
  /** Refuses with a code, as methods do: HTTP 200. Nothing is done. */
  | { readonly kind: 'error'; readonly error: string }
  /** Answers another status than 200. Nothing is done. */
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** Too many requests, for that many seconds. Nothing is done. */
  | { readonly kind: '429'; readonly retryAfter: number };

export type FaultKind = Fault['kind'];
/** Requests that are no method of the Web API go by the names `upload`, `download`, `response_url` and `socket`. */
export type FaultRule = MethodRule<Fault>;

/** One request of the app. */
export interface ApiCall extends Omit<ReadRequest, 'execute'> {
  /** In milliseconds since 1970, by the server's clock. */
  readonly at: number;
  /** The status of the answer, whether or not it arrived; undefined as long as there is none. */
  readonly status?: number;
  /** `ok`, or the code of the refusal; undefined as long as there is no answer. */
  readonly outcome?: string;
  /** What went wrong on purpose. */
  readonly fault: FaultKind | undefined;
}

/** One line about a request. */
export function describeCall({ method, params, status, outcome, fault }: ApiCall): string {
  return `  ${method} ${JSON.stringify(params).slice(0, 200)} → ${status} ${outcome} (${fault ?? 'no fault'})`;
}

interface DoorParts {
  readonly read: (request: IncomingMessage) => Promise<ReadRequest>;
  readonly apps: readonly SlackApp[];
  readonly changes: Changes;
  readonly now: () => number;
}

const page = '<!DOCTYPE html><html><body><h1>Something is wrong here.</h1></body></html>';

/** The HTTP side of Slack: answers, upgrades, and everything that can go wrong on the way. */
export class HttpDoor {
  readonly server = new BreakableServer({
    serve: (request, response) => this.#serve(request, response),
    upgrade: (...asked) => this.#upgrade(...asked),
  });
  readonly faults = methodFaults<Fault>();
  readonly calls = new CallLog<ApiCall>('slack', (call, name) => call.method === name);
  readonly #parts: DoorParts;
  #hung: (() => void)[] = [];
  #isSilent = false;

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  /** Takes connections, and answers nothing on them. What was asked meanwhile is never answered. */
  silence(on: boolean): void {
    this.#isSilent = on;
  }

  /** Answers what hangs. */
  release(): void {
    const waiting = this.#hung;
    this.#hung = [];
    for (const resume of waiting) resume();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { read, changes, now } = this.#parts;
    const { execute, ...asked } = await read(request);
    // On a machine that stands still, a request may have been given up before it is read. It is not carried out: a second
    // one, sent since, may have been already.
    await setImmediate();
    const isSilent = this.#isSilent;
    const isGone = request.socket.destroyed && ({ kind: 'drop-before' } as const);
    const fault = isSilent ? undefined : isGone || this.faults.next(asked);
    const end = this.calls.begin({ ...asked, at: now(), fault: isSilent ? 'hang' : fault?.kind });
    changes.notify();
    if (this.#isSilent) return;
    const answer = await this.#answerTo(fault, execute);
    if (answer === 'drop') response.destroy();
    else {
      const { status, outcome, body, type, headers = {} } = answer;
      end({ status, outcome });
      response.writeHead(status, { 'content-type': type, ...headers }).end(body);
    }
    changes.notify();
  }

  async #answerTo(fault: Fault | undefined, execute: () => Answer): Promise<Answer | 'drop'> {
    switch (fault?.kind) {
      case undefined:
        return execute();
      case 'error':
        return refusalAnswer(new Refusal(fault.error));
      case 'status':
        return pageAnswer(fault.status, fault.body ?? '', 'text/plain');
      case '429':
        return {
          ...refusalAnswer(new Refusal('ratelimited'), { 'retry-after': String(fault.retryAfter) }),
          status: 429,
        };
      case 'html':
        return pageAnswer(200, page);
      case 'drop-before':
        return 'drop';
      case 'drop-after':
        execute();
        return 'drop';
      case 'hang': {
        const done = fault.done === true ? execute() : undefined;
        this.#parts.changes.notify();
        await new Promise<void>((resolve) => this.#hung.push(resolve));
        return done ?? execute();
      }
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { apps, changes, now } = this.#parts;
    const ticket = new URL(request.url ?? '/', 'http://localhost').searchParams.get('ticket') ?? '';
    const asked = { method: 'socket', params: { ticket } };
    const fault = this.#isSilent ? ({ kind: 'hang' } as const) : this.faults.next(asked);
    const end = this.calls.begin({ ...asked, token: 'none', at: now(), fault: fault?.kind });
    const refuse = (status: number): void => {
      end({ status, outcome: 'refused' });
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    };
    socket.on('error', () => socket.destroy());
    if (fault === undefined) {
      if (apps.some(({ sockets }) => sockets.admit(ticket, request, socket, head))) end({ status: 101, outcome: 'ok' });
      else refuse(404);
    } else if (fault.kind === 'status') refuse(fault.status);
    else if (fault.kind !== 'hang') socket.destroy();
    changes.notify();
  }
}
