import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type App, HTTPModuleFunctions, HTTPReceiver, HTTPReceiverDeferredRequestError } from '@slack/bolt';
import type { ChannelHost } from '../../../src/contract.ts';
import { backOff } from '../../../src/lib/back-off.ts';
import { sleep } from '../../../src/lib/clock.ts';
import { boltLogger } from './bolt-logger.ts';
import type { Link } from './link.ts';

export interface HttpDoorDependencies {
  readonly app: App;
  readonly signingSecret: string;
  readonly http: { readonly host: string; readonly port: number; readonly path: string };
  readonly link: Link;
  readonly host: ChannelHost;
}

/** Slack's events are far smaller, in bytes. */
const largestBody = 1_000_000;
/** Slack waits for 3 s. What is stored later than that is delivered again, in milliseconds. */
const longestStoring = 2_900;
/** How often it says that it still listens, in milliseconds. */
const beat = 10_000;

/**
 * Listens for the requests that Slack makes. A request is answered with 200 once what it brings is stored, and with 500
 * if it is not, so that Slack delivers it again. What is not signed with the app's secret is refused.
 */
export class HttpDoor {
  readonly #dependencies: HttpDoorDependencies;

  constructor(dependencies: HttpDoorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Listens until the signal aborts. A port that cannot be had is tried again for ever. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { host, link } = this.#dependencies;
    for (let failures = 1; !signal.aborted; failures += 1) {
      const server = await this.#open();
      if (server !== undefined) return this.#serve(server, signal);
      await link.accompany(sleep(host.clock, backOff(failures), signal), signal);
    }
  }

  async #open(): Promise<Server | undefined> {
    const { http, link } = this.#dependencies;
    try {
      return await this.#makeReceiver().start({ host: http.host, port: http.port });
    } catch (error) {
      link.fail(portWords(error, http));
      return undefined;
    }
  }

  async #serve(server: Server, signal: AbortSignal): Promise<void> {
    const { host, http, link } = this.#dependencies;
    host.log.info({ address: server.address(), path: http.path }, 'slack is listened for');
    try {
      link.opened();
      while (!signal.aborted) {
        await sleep(host.clock, beat, signal);
        if (!signal.aborted) link.heard(host.clock.now());
      }
    } finally {
      await closed(server);
    }
  }

  #makeReceiver(): HTTPReceiver {
    const { app, signingSecret, http, host } = this.#dependencies;
    const receiver = new HTTPReceiver({
      signingSecret,
      endpoints: [http.path],
      bodyLimit: largestBody,
      unhandledRequestTimeoutMillis: longestStoring,
      unhandledRequestHandler: ({ response }) => {
        answer(response, 503);
      },
      processEventErrorHandler: async ({ response }) => {
        answer(response, 500);
        return true;
      },
      logger: boltLogger(host.log),
    });
    receiver.init(app);
    guard(receiver);
    return receiver;
  }
}

/**
 * The one place where what Bolt cannot bear is kept from it: it reads each request in a function that nobody waits for,
 * and a body that is null would end there, unanswered, as an unhandled rejection.
 */
function guard(receiver: HTTPReceiver): void {
  const listen = receiver.requestListener;
  receiver.requestListener = (request, response) => {
    if (request.method !== 'POST') return listen(request, response);
    isReadable(request).then(
      (isSound) => (isSound ? pass(listen, request, response) : answer(response, 400)),
      (error: unknown) => answer(response, HTTPModuleFunctions.isRawBodyError(error) ? error.statusCode : 400),
    );
  };
}

/** Bolt's own reading takes the body that was read here. */
async function isReadable(request: IncomingMessage): Promise<boolean> {
  const buffered = await HTTPModuleFunctions.bufferIncomingMessage(request, largestBody);
  const body: unknown = HTTPModuleFunctions.parseHTTPRequestBody(buffered);
  return typeof body === 'object' && body !== null;
}

function pass(listen: HTTPReceiver['requestListener'], request: IncomingMessage, response: ServerResponse): void {
  try {
    listen(request, response);
  } catch (error) {
    // Bolt throws what it has no path for.
    answer(response, error instanceof HTTPReceiverDeferredRequestError ? 404 : 500);
  }
}

function answer(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status).end();
}

/** Resolves when nobody is connected any more: who still is, is cut off. */
async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function portWords(error: unknown, { host, port }: { readonly host: string; readonly port: number }): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const place = `${host}:${port}`;
  switch (code) {
    case 'EADDRINUSE':
      return `Slack's requests cannot be listened for: ${place} is used by another program. End that, or set channels.slack.http.port. It is tried again.`;
    case 'EACCES':
      return `Slack's requests cannot be listened for: this user may not open ${place}. Set channels.slack.http.port to one above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `Slack's requests cannot be listened for: ${host} is not an address of this machine. Set channels.slack.http.host.`;
    default:
      return `Slack's requests cannot be listened for at ${place}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
