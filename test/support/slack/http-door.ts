import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { BreakableServer } from '../breakable-server.ts';
import type { CallLog } from '../call-log.ts';
import type { Changes } from '../wait-for.ts';
import { type Answer, refusalAnswer, tooMany } from './answer.ts';
import { type ApiCall, doorNames, type TokenKind } from './call-log.ts';
import type { Fault, Faults } from './faults.ts';
import { Refusal } from './refusal.ts';
import type { Requests } from './requests.ts';
import type { SlackApp } from './slack-app.ts';

interface Dependencies {
  readonly requests: Requests;
  readonly apps: () => readonly SlackApp[];
  readonly faults: Faults;
  readonly calls: CallLog<ApiCall>;
  readonly changes: Changes;
  readonly now: () => number;
}

const page =
  '<!DOCTYPE html><html><head><title>Slack</title></head><body><h1>Something is wrong here.</h1></body></html>';
const unanswered = { status: undefined, outcome: undefined } as const;

/** The HTTP side of Slack: answers, upgrades, and everything that can go wrong on the way. */
export class HttpDoor {
  readonly #dependencies: Dependencies;
  readonly server: BreakableServer;
  #hung: (() => void)[] = [];
  #isSilent = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.server = new BreakableServer({
      serve: (request, response) => this.#serve(request, response),
      upgrade: (request, socket, head) => this.#upgrade(request, socket, head),
    });
  }

  /** Takes connections, and answers nothing on them. What was asked meanwhile is never answered. */
  silence(on: boolean): void {
    this.#isSilent = on;
  }

  /** Answers what hangs. */
  release(): void {
    for (const resume of this.#hung.splice(0)) resume();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { requests, faults, calls, changes, now } = this.#dependencies;
    const { method, params, token, teamId, execute } = await requests.read(request);
    // On a machine that stands still, a request may have been given up before it is read. It is not carried out: a second
    // one, sent since, may have been already.
    await setImmediate();
    const isGone = request.socket.destroyed;
    const fault = this.#isSilent
      ? undefined
      : isGone
        ? { kind: 'drop-before' as const }
        : faults.next({ method, params });
    const hangs = this.#isSilent ? 'hang' : fault?.kind;
    const end = calls.begin({ ...unanswered, method, params, token, teamId, at: now(), fault: hangs });
    changes.notify();
    if (this.#isSilent) return;
    const answer = await this.#answer(fault, execute);
    if (answer === 'drop') response.destroy();
    else {
      end({ status: answer.status, outcome: answer.outcome });
      send(response, answer);
    }
    changes.notify();
  }

  async #answer(fault: Fault | undefined, execute: () => Promise<Answer>): Promise<Answer | 'drop'> {
    switch (fault?.kind) {
      case undefined:
        return execute();
      case 'error':
        return refusalAnswer(new Refusal(fault.error, fault.details));
      case 'status':
        return { status: fault.status, body: fault.body ?? '', type: 'text/plain', outcome: `HTTP ${fault.status}` };
      case '429':
        return tooMany(fault.retryAfter);
      case 'html':
        return { status: 200, body: page, type: 'text/html; charset=utf-8', outcome: 'a page of HTML' };
      case 'drop-before':
        return 'drop';
      case 'drop-after':
        await execute();
        return 'drop';
      case 'hang': {
        const done = fault.done === true ? await execute() : undefined;
        this.#dependencies.changes.notify();
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#hung.push(resolve);
        await promise;
        return done ?? execute();
      }
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { faults, calls, changes, now, apps } = this.#dependencies;
    const ticket = new URL(request.url ?? '/', 'http://localhost').searchParams.get('ticket') ?? '';
    const params = { ticket };
    const fault = faults.next({ method: doorNames.socket, params });
    const silent = this.#isSilent ? 'hang' : fault?.kind;
    const token: TokenKind = 'none';
    const end = calls.begin({
      ...unanswered,
      method: doorNames.socket,
      params,
      token,
      teamId: undefined,
      at: now(),
      fault: silent,
    });
    changes.notify();
    socket.on('error', () => socket.destroy());
    if (silent === 'hang') return;
    if (fault?.kind === 'status' || fault?.kind === '429' || fault?.kind === 'html' || fault?.kind === 'error') {
      const status = fault.kind === 'status' ? fault.status : fault.kind === '429' ? 429 : 200;
      end({ status, outcome: 'refused' });
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    if (fault !== undefined) {
      socket.destroy();
      return;
    }
    if (apps().some(({ sockets }) => sockets.admit(ticket, request, socket, head))) end({ status: 101, outcome: 'ok' });
    else {
      end({ status: 404, outcome: 'refused' });
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    }
    changes.notify();
  }
}

function send(response: ServerResponse, { status, body, type, headers = {} }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(body);
}
