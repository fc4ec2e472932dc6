import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type HostAddress, pinned } from './guarded-connector.ts';
import { hostOf, portOf } from './host-name.ts';

/** Where a proxy was asked to connect to. */
export interface ProxyTarget {
  readonly url: URL;
  /** The addresses that may be connected to. */
  readonly found: readonly HostAddress[];
  /** Is told of the connection. */
  readonly keep: (socket: Socket) => void;
}

/** Asks there for `GET http://host/path` in our own words, on a connection of its own, and hands back the answer. */
export function passOn(request: IncomingMessage, response: ServerResponse, { url, found, keep }: ProxyTarget): void {
  // Not imported: that would load all of Node's HTTP at each start, for a proxy that few need.
  const { request: httpRequest } = process.getBuiltinModule('node:http');
  const outgoing = httpRequest({
    host: hostOf(url),
    port: portOf(url),
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...endToEnd(request), ...framing(request.headers), host: url.host, connection: 'close' },
    agent: false,
    lookup: pinned(found),
  });
  const fail = (): void => {
    outgoing.destroy();
    if (response.headersSent || response.destroyed) response.destroy();
    else response.writeHead(502, { connection: 'close' }).end(`${url.host} did not answer.\n`);
  };
  outgoing.on('socket', (socket) => keep(socket));
  outgoing.on('error', fail);
  outgoing.on('close', () => response.headersSent || fail());
  outgoing.on('response', (answer) => {
    answer.on('error', fail);
    const { statusCode = 0 } = answer;
    if (statusCode < 200) return fail();
    response.writeHead(statusCode, { ...endToEnd(answer), ...lengthOf(answer.headers) });
    answer.pipe(response);
  });
  response.on('error', fail).on('close', () => outgoing.destroy());
  request.on('error', fail);
  request.pipe(outgoing);
}

/** Joins a socket that asked for a tunnel with a connection there. Nothing that came before our answer is read until then. */
export function carry(socket: Socket, head: Buffer, { url, found, keep }: ProxyTarget): void {
  const outgoing = connect({ host: hostOf(url), port: portOf(url), lookup: pinned(found), allowHalfOpen: true });
  keep(outgoing);
  let isOpen = false;
  outgoing.on('error', () => {
    if (isOpen) socket.destroy();
    else socket.end('HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n');
  });
  outgoing.on('close', () => socket.destroySoon());
  socket.on('close', () => outgoing.destroySoon());
  outgoing.once('connect', () => {
    isOpen = true;
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    outgoing.write(head);
    socket.pipe(outgoing).pipe(socket);
  });
}

/** What is meant for the other end. What is between two neighbours ends here. */
function endToEnd({ headersDistinct, headers }: IncomingMessage): Record<string, string[]> {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  const dropped = new Set([...hopByHop, ...named.map((name) => name.trim())]);
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values]) =>
      values === undefined || dropped.has(name) || !values.every((value) => sendable.test(value))
        ? []
        : [[name, values]],
    ),
  );
}

/** What node's parser takes and its writer does not. */
const sendable = /^[\t\x20-\x7e\x80-\xff]*$/;

const hopByHop = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  // The last two are written again: see `framing`.
  ...['upgrade', 'expect', 'http2-settings', 'transfer-encoding', 'content-length'],
] as const;

/** How the other end knows where the body ends: by one word, and also where node takes a GET for one without. */
function framing(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  return lengthOf(headers);
}

/** The same for an answer, where node chooses if the length is not known. */
function lengthOf(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const length = headers['transfer-encoding'] === undefined ? headers['content-length'] : undefined;
  return length === undefined ? {} : { 'content-length': length };
}
