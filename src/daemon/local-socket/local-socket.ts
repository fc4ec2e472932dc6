/*
 * The socket in the data folder. It is made in a new folder that only this user can enter, gets its mode there, and is
 * moved into place: so nobody else can connect at any instant, and it replaces what a killed process has left. The daemon
 * holds the lock of the data folder, so another socket there is never in use.
 */

import { once } from 'node:events';
import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../../lib/log.ts';
import {
  type LocalAnswer,
  type LocalConnection,
  type LocalRequest,
  longestRequest,
  longestStreamLine,
  protocolVersion,
  RefusedRequest,
  readRequest,
} from './protocol.ts';
import { socketAddress, socketName } from './socket-place.ts';

interface SocketParts {
  /** The data folder. */
  readonly folder: string;
  readonly log: Log;
  /** Rejects with `RefusedRequest` if the request cannot be answered. */
  readonly answer: (request: LocalRequest, connection: LocalConnection) => Promise<LocalAnswer & { readonly ok: true }>;
}

/** Answers the commands of this machine while the daemon runs. */
export interface LocalSocket {
  /** Never rejects: where there can be no socket, the log says so, and all else works. */
  open(): Promise<void>;
  /** Ends all connections, and removes the socket. */
  close(): void;
}

interface SocketState extends SocketParts {
  readonly connections: Set<Socket>;
  /** Those that stay open: chats, and logs that are followed. */
  readonly streams: Set<Socket>;
  server: Server | undefined;
  /** The length of all lines whose end has not come. */
  unread: number;
}

/** More are refused. Streams leave room for the commands that ask once. */
const mostConnections = 32;
const mostStreams = 24;
/** A stream whose reader has stopped is ended, so that what it has not read does not fill the memory. In bytes. */
const mostUnread = 8 * 2 ** 20;
/** Of all lines whose end has not come; beyond it, a long one is refused. */
const mostUnfinished = 2 * longestStreamLine;
/** How long a connection may say nothing, in ms. */
const longestSilence = 60_000;

export function createLocalSocket(parts: SocketParts): LocalSocket {
  const state: SocketState = { ...parts, connections: new Set(), streams: new Set(), server: undefined, unread: 0 };
  return {
    open: () => open(state),
    close: () => close(state),
  };
}

async function open(state: SocketState): Promise<void> {
  const { folder, log } = state;
  try {
    const server = createServer((socket) => serve(socket, state));
    server.maxConnections = mostConnections;
    state.server = server;
    await (process.platform === 'win32' ? listenAt(server, folder, socketName) : listenIn(server, folder));
    // The daemon lives for its channels.
    server.unref();
    server.on('error', (err) => log.warn({ err }, 'the local socket has failed'));
  } catch (error) {
    state.server = undefined;
    const why = error instanceof Error ? error.message : String(error);
    log.warn({ folder, why }, 'there is no local socket, so "keyturn status" and the like cannot reach this process');
  }
}

/** Made apart, and moved into place with its mode. */
async function listenIn(server: Server, folder: string): Promise<void> {
  const apart = mkdtempSync(join(folder, '.control-'));
  try {
    await listenAt(server, apart, 's');
    chmodSync(join(apart, 's'), 0o600);
    renameSync(join(apart, 's'), join(folder, socketName));
  } finally {
    rmSync(apart, { recursive: true, force: true });
  }
}

async function listenAt(server: Server, folder: string, name: string): Promise<void> {
  const address = socketAddress(folder, name);
  if (address === undefined) throw new Error('its path is too long: choose a data_dir with a shorter path');
  try {
    const listening = once(server, 'listening');
    server.listen(address.path);
    // Closed before it listens, it would never say so.
    await Promise.race([listening, once(server, 'close')]);
  } finally {
    address.release();
  }
}

function close({ server, connections, folder, log }: SocketState): void {
  if (server === undefined) return;
  server.close();
  for (const socket of connections) socket.destroy();
  try {
    if (process.platform !== 'win32') rmSync(join(folder, socketName), { force: true });
  } catch (err) {
    log.warn({ err }, 'the local socket could not be removed; the next start replaces it');
  }
}

/** A connection, and what reads its lines once it is a stream. */
interface Served extends LocalConnection {
  readonly socket: Socket;
  take: ((line: string) => void) | undefined;
}

/** Answers the requests of a connection one after the other, or hands its lines on once it is a stream. */
function serve(socket: Socket, state: SocketState): void {
  const { connections, streams, log } = state;
  const served = servedBy(socket, state);
  connections.add(socket);
  socket.unref();
  socket.setEncoding('utf8');
  socket.setTimeout(longestSilence, () => socket.destroy());
  socket.on('close', () => {
    connections.delete(socket);
    streams.delete(socket);
  });
  socket.on('error', (err) => log.debug({ err }, 'a connection to the local socket has failed'));
  const unread: Unread = { chunks: [], length: 0 };
  let answering: Promise<void> = Promise.resolve();
  socket.on('close', () => forget(unread, state));
  socket.on('data', (chunk: string) => {
    const lines = linesOf(chunk, unread, state);
    const isTooLong = unread.length > (served.take === undefined ? longestRequest : longestStreamLine);
    if (isTooLong || (unread.length > longestRequest && state.unread > mostUnfinished)) {
      forget(unread, state);
      write(socket, refusal(0, new RefusedRequest('malformed', 'the request is too long')));
      socket.end();
      return;
    }
    for (const line of lines.filter((one) => one.trim() !== ''))
      answering = answering.then(() => takeLine(line, served, state));
  });
}

/** The beginning of a line whose end has not come: in the chunks in which it came, so that each costs only its own length. */
interface Unread {
  readonly chunks: string[];
  length: number;
}

/** The lines that a chunk completes. What is behind them is kept. */
function linesOf(chunk: string, unread: Unread, state: SocketState): readonly string[] {
  const [first = '', ...others] = chunk.split('\n');
  const rest = others.pop();
  if (rest === undefined) {
    keep(chunk, unread, state);
    return [];
  }
  const line = `${unread.chunks.join('')}${first}`;
  forget(unread, state);
  keep(rest, unread, state);
  return [line, ...others];
}

function keep(chunk: string, unread: Unread, state: SocketState): void {
  unread.chunks.push(chunk);
  unread.length += chunk.length;
  state.unread += chunk.length;
}

function forget(unread: Unread, state: SocketState): void {
  state.unread -= unread.length;
  unread.chunks.length = 0;
  unread.length = 0;
}

function servedBy(socket: Socket, state: SocketState): Served {
  const gone = new AbortController();
  socket.on('close', () => gone.abort());
  const served: Served = {
    socket,
    take: undefined,
    gone: gone.signal,
    write: (line) => write(socket, line),
    become: (take) => become(take, served, state),
  };
  return served;
}

function become(take: (line: string) => void, served: Served, { streams }: SocketState): boolean {
  // Its end was told already: nobody would give the place back.
  if (served.gone.aborted || streams.size >= mostStreams) return false;
  streams.add(served.socket);
  served.socket.setTimeout(0);
  served.take = take;
  return true;
}

async function takeLine(line: string, served: Served, state: SocketState): Promise<void> {
  if (served.take !== undefined) served.take(line);
  else write(served.socket, await answerTo(line, served, state));
}

async function answerTo(line: string, served: Served, { answer, log }: SocketState): Promise<LocalAnswer> {
  let id = 0;
  try {
    const request = readRequest(line);
    id = request.id;
    return await answer(request, served);
  } catch (error) {
    if (error instanceof RefusedRequest) return refusal(id, error);
    log.error({ err: error }, 'a request at the local socket could not be answered');
    return refusal(id, new RefusedRequest('fault', 'a fault in Keyturn: its log has more'));
  }
}

function refusal(id: number, { code, message }: RefusedRequest): LocalAnswer {
  return { v: protocolVersion, id, ok: false, code, reason: message };
}

function write(socket: Socket, line: object): void {
  if (socket.destroyed) return;
  socket.write(`${JSON.stringify(line)}\n`);
  if (socket.writableLength > mostUnread) socket.destroy();
}
