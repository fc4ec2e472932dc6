/*
 * The port for Prometheus. It has nothing but `GET /metrics`, for who has the token; without a token, for programs of this
 * machine alone: a web page that has its name lead here is refused by its `Host`, and any page by its `Origin`.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { FeatureCore } from '../../feature-points.ts';
import { type InLanguage, type Words, wordsIn } from '../../lib/words.ts';
import { isOfThisMachine, type MetricsSettings } from './settings.ts';
import { metricsWords } from './words.ts';

interface ServerParts extends Pick<FeatureCore, 'clock' | 'log'> {
  /** The current ones. */
  readonly settings: () => MetricsSettings;
  readonly page: Page;
}

/** What Prometheus gets. */
export interface Page {
  readonly contentType: string;
  text(): Promise<string>;
}

/** How long a request may take to arrive, in ms. */
const patience = 10_000;
/** Prometheus needs one. */
const mostConnections = 50;
/** How long it waits until it tries a taken port again, in ms. */
const again = 5_000;

export class MetricsServer {
  readonly #parts: ServerParts;
  #server: Server | undefined;
  #callOff: (() => void) | undefined;
  #fault: Words | undefined;
  /** Counts openings and closings: what a former one brings is not wanted any more. */
  #turn = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  /** Why nothing can be fetched; undefined if it can. */
  get fault(): Words | undefined {
    return this.#fault;
  }

  /** Resolves once it listens, or has failed for the first time: then it tries again by itself. Never rejects. */
  open(): Promise<void> {
    const turn = ++this.#turn;
    const { host, port } = this.#parts.settings();
    const made = makeServer(this.#parts);
    return new Promise((resolve) => {
      made.once('error', (error) => {
        if (turn === this.#turn) this.#failed(error);
        resolve();
      });
      made.listen(port, host.replace(/^\[(.*)\]$/, '$1'), () => {
        made.removeAllListeners('error');
        if (turn === this.#turn) this.#listens(made);
        else made.close();
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    this.#turn += 1;
    this.#callOff?.();
    this.#fault = undefined;
    const closing = this.#server;
    this.#server = undefined;
    if (closing === undefined) return;
    const closed = new Promise<void>((resolve) => closing.close(() => resolve()));
    closing.closeAllConnections();
    await closed;
  }

  #listens(server: Server): void {
    const { log } = this.#parts;
    this.#server = server;
    this.#fault = undefined;
    server.on('error', (err) => log.debug({ err }, 'a connection for metrics could not be taken'));
    log.info({ address: addressOf(server) }, 'metrics can be fetched');
  }

  #failed(error: NodeJS.ErrnoException): void {
    const { clock, log, settings } = this.#parts;
    const words = listenFault(error, settings());
    if (this.#fault === undefined) log.warn({ err: error }, wordsIn('en', words));
    this.#fault = words;
    this.#callOff = clock.after(again, () => void this.open());
  }
}

function listenFault({ code, message }: NodeJS.ErrnoException, { host, port }: MetricsSettings): InLanguage {
  return (language) =>
    code === 'EADDRINUSE'
      ? metricsWords[language].portTaken({ host, port })
      : metricsWords[language].cannotListen({ why: message, host, port });
}

function addressOf(server: Server): string {
  const found = server.address();
  if (typeof found !== 'object' || found === null) return '';
  const { address, family, port } = found;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`;
}

function makeServer(parts: ServerParts): Server {
  const made = createServer(
    { headersTimeout: patience, requestTimeout: patience, maxHeaderSize: 16_384 },
    (request, response) => void answer(request, response, parts),
  );
  made.maxConnections = mostConnections;
  // A client that does not read what it has asked for.
  made.timeout = 3 * patience;
  return made;
}

async function answer(request: IncomingMessage, response: ServerResponse, parts: ServerParts): Promise<void> {
  response.on('error', () => response.destroy());
  const refusal = refusalOf(request, parts.settings());
  if (refusal !== undefined) return send(response, refusal, refusal.text);
  const { page, log } = parts;
  try {
    const text = await page.text();
    send(response, { status: 200, type: page.contentType }, request.method === 'HEAD' ? '' : text);
  } catch (error) {
    log.error({ err: error }, 'the metrics could not be put together');
    send(response, { status: 500 }, 'Something went wrong inside Keyturn. It is in its log.\n');
  }
}

interface Refusal {
  readonly status: number;
  /** A program reads it. */
  readonly text: string;
}

/** Why a request gets nothing; undefined if it gets the metrics. */
function refusalOf({ method, url = '', headers }: IncomingMessage, { host, token }: MetricsSettings) {
  if (headers.origin !== undefined) return refusal(403, 'Web pages get nothing here.');
  if (token === undefined && !isCalledRightly(headers.host, host))
    return refusal(403, 'This server is not called by that name: see metrics.host, or set metrics.token.');
  if (token !== undefined && !isBearer(headers.authorization, token))
    return refusal(401, 'Send metrics.token as "Authorization: Bearer TOKEN".');
  const [path] = url.split('?');
  if (path !== '/metrics') return refusal(404, 'There is nothing here but /metrics.');
  return method === 'GET' || method === 'HEAD' ? undefined : refusal(405, 'Use GET.');
}

function refusal(status: number, error: string): Refusal {
  return { status, text: `${error}\n` };
}

/** Programs of this machine reach it by an address, or as `localhost`: any other name belongs to somebody else. */
function isCalledRightly(called = '', host: string): boolean {
  const name = called.replace(/:\d*$/, '');
  return isOfThisMachine(name) || name.toLowerCase() === host.toLowerCase();
}

function isBearer(authorization = '', token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function send(
  response: ServerResponse,
  { status, type = 'text/plain; charset=utf-8' }: { readonly status: number; readonly type?: string },
  body: string,
): void {
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  response.writeHead(status, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...challenge,
  });
  response.end(body);
}
