import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { HTTPModuleFunctions } from '@slack/bolt';
import type { ChannelHost } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { type Clock, endsWithin, sleep } from '../../src/lib/clock.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import type { Log } from '../../src/lib/log.ts';
import type { Reception } from '../kit/reception.ts';
import { libraryLogger } from './api.ts';
import type { SlackSettings } from './settings.ts';

/** Slack's events are far smaller, in bytes. */
const largestBody = 1_000_000;
/** Slack waits for 3 s. What is stored later than that is delivered again, in milliseconds. */
const longestStoring = 2_900;
/** How far a signature may be from now, in milliseconds. */
const signatureLife = 300_000;
/** How often it says that it still listens, in milliseconds. */
const beat = 10_000;

/**
 * Listens for the requests that Slack makes, until the signal aborts; a port that is not free is tried again for ever. A
 * request is answered with 200 once `take` has stored what it brings, and with 500 if it has not, so that Slack delivers it
 * again. What is not signed with the app's secret is refused. Never throws.
 */
export async function receiveRequests(
  { http, signing_secret: signingSecret }: Pick<SlackSettings, 'http' | 'signing_secret'>,
  take: (body: unknown) => Promise<void>,
  reception: Reception,
  { clock, log }: Pick<ChannelHost, 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const { host, port, path } = http;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = URL.parse(request.url ?? '', 'http://localhost');
    const isOurs = request.method === 'POST' && address?.pathname === path;
    const body = isOurs ? await read(request, signingSecret, clock.now(), log) : 404;
    if (typeof body === 'number') response.writeHead(body).end();
    else if (body.type === 'url_verification') HTTPModuleFunctions.buildUrlVerificationResponse(response, body);
    else response.writeHead(await statusOf(take(body), clock)).end();
  };
  const server = createServer((request, response) => void answer(request, response));
  server.on('error', (error) => log.debug({ err: error }, 'the server that Slack calls has failed'));
  for (let failures = 1; !signal.aborted && !server.listening; failures += 1) {
    try {
      server.listen({ host, port });
      await once(server, 'listening');
    } catch (error) {
      reception.health.fail(portWords(error, { host, port }));
      await reception.health.accompany(sleep(clock, backOff(failures), signal), signal);
    }
  }
  if (server.listening && !signal.aborted) {
    log.info({ address: server.address(), path }, 'slack is listened for');
    reception.opened();
  }
  while (!signal.aborted) {
    await sleep(clock, beat, signal);
    if (!signal.aborted) reception.heard();
  }
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** What Slack has sent, or the status with which the request is refused. */
async function read(
  request: IncomingMessage,
  signingSecret: string,
  now: number,
  log: Log,
): Promise<number | Readonly<Record<string, unknown>>> {
  let buffered: Parameters<typeof HTTPModuleFunctions.parseHTTPRequestBody>[0];
  try {
    // Bolt refuses what was signed long ago, and takes what will be.
    if (Number(request.headers['x-slack-request-timestamp']) * 1000 > now + signatureLife) return 401;
    const options = { signingSecret, logger: libraryLogger(log), bodyLimit: largestBody };
    buffered = await HTTPModuleFunctions.parseAndVerifyHTTPRequest(options, request);
  } catch (error) {
    return HTTPModuleFunctions.isRawBodyError(error) ? error.statusCode : 401;
  }
  try {
    const body: unknown = HTTPModuleFunctions.parseHTTPRequestBody(buffered);
    if (!isJsonObject(body)) return 400;
    return 'ssl_check' in body ? 200 : body;
  } catch {
    // It is no JSON.
    return 400;
  }
}

async function statusOf(storing: Promise<void>, clock: Clock): Promise<number> {
  try {
    return (await endsWithin(storing, { clock, milliseconds: longestStoring })) ? 200 : 503;
  } catch {
    // `take` has logged it.
    return 500;
  }
}

function portWords(error: unknown, { host, port }: { readonly host: string; readonly port: number }): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const place = `${host}:${port}`;
  const begin = "Slack's requests cannot be listened for";
  switch (code) {
    case 'EADDRINUSE':
      return `${begin}: ${place} is used by another program. End that, or set channels.slack.http.port. It is tried again.`;
    case 'EACCES':
      return `${begin}: this user may not open ${place}. Set channels.slack.http.port to one above 1023.`;
    default:
      return `${begin} at ${place} (${code ?? String(error)}). Set channels.slack.http.host and port.`;
  }
}
