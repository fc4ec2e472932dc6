/*
 * Requests over `node:http` alone. What a message needs costs a third of what it costs by `fetch`, whose web streams are
 * made again for each answer: docs/decisions/0177-http-over-kept-connections.md.
 */

import type { ClientRequest, Agent as HttpAgent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createBody, type KeptBody } from './kept-body.ts';
import { directNetwork, longestIdle, type Network } from './network.ts';

/** HTTP requests over connections that are kept open for the next. They take as long as their signal lets them. */
export interface KeptRequests {
  /**
   * Resolves when the head of an answer has come, whatever its status; follows no redirect. Rejects with the signal's
   * reason, or with Node's error, whose `code` tells what happened.
   */
  send(request: OutgoingRequest): Promise<IncomingAnswer>;
  /** Closes all connections, those in use too. Later requests open new ones. */
  close(): void;
}

export interface OutgoingRequest {
  /** http or https. */
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** A body that comes in pieces is sent once at most. Its error is the request's. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Ends the request, and the reading of its answer. */
  readonly signal?: AbortSignal;
  /**
   * The server may do it twice. Then it is asked once more, over a new connection, if a kept one died as soon as it was
   * written to: the server may have closed it just then.
   */
  readonly isRepeatable?: boolean;
}

export interface IncomingAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /**
   * Decompressed. Throws if it is cut. Can be read once. The connection is kept if it is read to its end, and closed if
   * the loop is left before.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Reads no further, and closes the connection unless all has come. */
  cancel(): void;
}

/** `now`: milliseconds that pass, whatever the clock says. */
export function createKeptRequests(
  network: Network = directNetwork,
  now: () => number = () => performance.now(),
): KeptRequests {
  const connections: Connections = { network, now, agents: new Map() };
  return {
    send: (request) => send(request, connections),

    close() {
      for (const agent of connections.agents.values()) agent.destroy();
      connections.agents.clear();
    },
  };
}

/** Whoever hears of a request later than that may have worked for it. */
const soonMs = 2_000;

interface Connections {
  readonly network: Network;
  readonly now: () => number;
  /** By origin. */
  readonly agents: Map<string, HttpAgent>;
}

async function send(request: OutgoingRequest, connections: Connections): Promise<IncomingAnswer> {
  if (request.signal?.aborted) throw reasonOf(request.signal);
  const agent = agentTo(request.url, connections);
  const begunAt = connections.now();
  const exchange = begin(request, agent);
  return exchange.answer.promise.catch((error: unknown) => {
    const isSoon = connections.now() - begunAt < soonMs;
    if (!isSoon || !isWorthAnother(request, exchange.sent, error)) throw error;
    // They are as old as the one that has died.
    for (const kept of Object.values(agent.freeSockets)) for (const socket of kept ?? []) socket.destroy();
    return begin(request, agent).answer.promise;
  });
}

function agentTo(url: URL, { network, agents }: Connections): HttpAgent {
  const known = agents.get(url.origin);
  if (known !== undefined) return known;
  const { Agent } = httpFor(url);
  const agent = network.agentFor(url) ?? new Agent({ keepAlive: true, timeout: longestIdle });
  agents.set(url.origin, agent);
  return agent;
}

function httpFor({ protocol }: URL): typeof import('node:http') | typeof import('node:https') {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
}

/** A request, and what becomes of it. */
interface Exchange {
  readonly sent: ClientRequest;
  readonly answer: PromiseWithResolvers<IncomingAnswer>;
  /** Once the head has come. */
  body?: KeptBody;
}

function begin({ url, method, headers, body, signal }: OutgoingRequest, agent: HttpAgent): Exchange {
  const sent = httpFor(url).request(url, { method, headers, agent });
  const exchange: Exchange = { sent, answer: Promise.withResolvers() };
  const abort = (): void => callOff(exchange, reasonOf(signal));
  const heedNoMore = (): void => signal?.removeEventListener('abort', abort);
  signal?.addEventListener('abort', abort);
  sent
    .once('socket', (socket) => {
      if (!sent.reusedSocket) limitConnecting(socket, sent);
    })
    .once('response', (incoming) => {
      exchange.body = createBody(incoming, heedNoMore);
      exchange.answer.resolve(answerOf(incoming, exchange.body));
    })
    // Stays: what is wrong with the rest of an answer is an event of the request, too.
    .on('error', exchange.answer.reject)
    .once('close', () => {
      // The rest of an answer may still have to be read.
      if (exchange.body === undefined) heedNoMore();
      // Node gives up an answer that switches to another protocol, and says nothing.
      exchange.answer.reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    });
  if (isWhole(body)) sent.end(body);
  else void sendPieces(body, sent);
  return exchange;
}

function callOff({ sent, answer, body }: Exchange, reason: unknown): void {
  answer.reject(reason);
  body?.fail(reason);
  sent.destroy();
}

type Body = OutgoingRequest['body'];

function isWhole(body: Body): body is Exclude<Body, AsyncIterable<Uint8Array>> {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array;
}

/** Never rejects: an error of the body is the request's. */
async function sendPieces(body: AsyncIterable<Uint8Array>, sent: ClientRequest): Promise<void> {
  try {
    for await (const piece of body) {
      // Leaving the loop closes what the body comes from.
      if (sent.destroyed) return;
      if (!sent.write(piece)) await drained(sent);
    }
    sent.end();
  } catch (error) {
    sent.destroy(error instanceof Error ? error : new Error('The body could not be read.', { cause: error }));
  }
}

async function drained(sent: ClientRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  sent.once('drain', resolve).once('close', resolve);
  await promise;
  sent.off('drain', resolve).off('close', resolve);
}

function answerOf(incoming: IncomingMessage, body: KeptBody): IncomingAnswer {
  const { statusCode: status = 0, headers } = incoming;
  return { status, headers, body, cancel: () => body.cancel() };
}

/** Real time, as for all connections, in ms. */
const longestConnecting = 10_000;

/** The system alone would try for two minutes. */
function limitConnecting(socket: Socket, sent: ClientRequest): void {
  const isSecure = 'encrypted' in socket;
  // A tunnel is open already.
  if (!socket.connecting && !isSecure) return;
  const late = Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => sent.destroy(late), longestConnecting);
  const end = (): void => clearTimeout(timer);
  socket.once(isSecure ? 'secureConnect' : 'connect', end).once('close', end);
}

function isWorthAnother({ isRepeatable, body, signal }: OutgoingRequest, sent: ClientRequest, error: unknown): boolean {
  if (isRepeatable !== true || !isWhole(body) || !sent.reusedSocket || signal?.aborted === true) return false;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** As `fetch` has it. */
function reasonOf(signal: AbortSignal | undefined): unknown {
  return signal?.reason ?? new DOMException('This operation was aborted', 'AbortError');
}
