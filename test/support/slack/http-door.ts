import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeServer, listenOnLoopback } from '../loopback.ts';
import type { Changes } from '../wait-for.ts';
import { type Answer, refusalAnswer, tooMany } from './answer.ts';
import { type CallLog, doorNames, type TokenKind } from './call-log.ts';
import type { Fault, Faults } from './faults.ts';
import { Refusal } from './refusal.ts';
import type { Requests } from './requests.ts';
import type { SlackApp } from './slack-app.ts';

interface Dependencies {
  readonly requests: Requests;
  readonly apps: () => readonly SlackApp[];
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly changes: Changes;
  readonly now: () => number;
}

const page =
  '<!DOCTYPE html><html><head><title>Slack</title></head><body><h1>Something is wrong here.</h1></body></html>';

/** The HTTP side of Slack: answers, upgrades, and everything that can go wrong on the way. */
export class HttpDoor {
  readonly #dependencies: Dependencies;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #hung: (() => void)[] = [];
  #isOut = false;
  #isSilent = false;
  /** How many connections were taken so far. */
  connections = 0;
  /** Mistakes of the fake itself. A test that meets one cannot be trusted. */
  readonly mistakes: unknown[] = [];

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        if (request.destroyed && !request.complete) return;
        this.mistakes.push(error);
        response.destroy();
      });
    });
    this.#server.on('connection', (socket) => this.#admit(socket));
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Resolves with the port. */
  open(): Promise<number> {
    return listenOnLoopback(this.#server);
  }

  /** Resets every connection, old and new, until it is over. */
  outage(on: boolean): void {
    this.#isOut = on;
    if (!on) return;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Takes connections, and answers nothing on them. What was asked meanwhile is never answered. */
  silence(on: boolean): void {
    this.#isSilent = on;
  }

  /** Answers what hangs. */
  release(): void {
    for (const resume of this.#hung.splice(0)) resume();
  }

  async close(): Promise<void> {
    const closed = closeServer(this.#server);
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #admit(socket: Socket): void {
    if (this.#isOut) {
      socket.resetAndDestroy();
      return;
    }
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { requests, faults, calls, changes, now } = this.#dependencies;
    const { method, params, token, teamId, execute } = await requests.read(request);
    const fault = this.#isSilent ? undefined : faults.next(method, params);
    const hangs = this.#isSilent ? 'hang' : fault?.kind;
    const end = calls.begin({ method, params, token, teamId, at: now(), fault: hangs });
    changes.notify();
    if (this.#isSilent) return;
    const answer = await this.#answer(fault, execute);
    if (answer === 'drop') response.destroy();
    else {
      end(answer.status, answer.outcome);
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
    const fault = faults.next(doorNames.socket, params);
    const silent = this.#isSilent ? 'hang' : fault?.kind;
    const token: TokenKind = 'none';
    const end = calls.begin({ method: doorNames.socket, params, token, teamId: undefined, at: now(), fault: silent });
    changes.notify();
    socket.on('error', () => socket.destroy());
    if (silent === 'hang') return;
    if (fault?.kind === 'status' || fault?.kind === '429' || fault?.kind === 'html' || fault?.kind === 'error') {
      const status = fault.kind === 'status' ? fault.status : fault.kind === '429' ? 429 : 200;
      end(status, 'refused');
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    if (fault !== undefined) {
      socket.destroy();
      return;
    }
    if (apps().some(({ sockets }) => sockets.admit(ticket, request, socket, head))) end(101, 'ok');
    else {
      end(404, 'refused');
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
