import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { HTTPModuleFunctions } from '@slack/bolt';
import type { ChannelHost } from '../../src/contract.ts';
import { backOff, type Clock, endsWithin, sleep } from '../../src/lib/clock.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import type { Log } from '../../src/lib/log.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import type { Reception } from '../kit/reception.ts';
import { libraryLogger } from './api.ts';
import type { SlackSettings } from './settings.ts';
import { slackWords } from './words.ts';

/** Far more than any event of Slack, in bytes. */
const largestBody = 1_000_000;
/** Slack redelivers after 3 s without an answer. In ms. */
const longestStoring = 2_900;
/** Largest difference between a signature's time and now, in ms. */
const signatureLife = 300_000;
/** How often the health is reported, in ms. */
const beat = 10_000;

/**
 * Serves Slack's requests until the signal aborts; a port that is not free is retried for ever. Answers 200 once `take`
 * has stored the event; otherwise 500, or 503 after `longestStoring`, so that Slack redelivers it. Refuses requests
 * without a valid signature. Never rejects.
 */
export async function receiveRequests(
  { http, signing_secret: signingSecret }: Pick<SlackSettings, 'http' | 'signing_secret'>,
  take: (body: unknown) => Promise<void>,
  reception: Reception,
  channelHost: Pick<ChannelHost, 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = channelHost;
  const { host, port, path } = http;
  const door: Door = { path, signingSecret, take, clock, log };
  const server = createServer((request, response) => void answer(request, response, door));
  server.on('error', (error) => log.debug({ err: error }, 'the server that Slack calls has failed'));
  for (let failures = 1; !signal.aborted && !server.listening; failures += 1) {
    try {
      server.listen({ host, port });
      await once(server, 'listening');
    } catch (error) {
      reception.health.fail(portWords(error, http));
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

/** What requests are answered with. */
interface Door extends Pick<ChannelHost, 'clock' | 'log'> {
  readonly path: string;
  readonly signingSecret: string;
  readonly take: (body: unknown) => Promise<void>;
}

async function answer(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
  const { path, signingSecret, take, clock, log } = door;
  const address = URL.parse(request.url ?? '', 'http://localhost');
  const isOurs = request.method === 'POST' && address?.pathname === path;
  const body = isOurs ? await read(request, signingSecret, clock.now(), log) : 404;
  if (typeof body === 'number') response.writeHead(body).end();
  else if (body.type === 'url_verification') HTTPModuleFunctions.buildUrlVerificationResponse(response, body);
  else response.writeHead(await statusOf(take(body), clock)).end();
}

/** The body, or the status to answer with. */
async function read(
  request: IncomingMessage,
  signingSecret: string,
  now: number,
  log: Log,
): Promise<number | Readonly<Record<string, unknown>>> {
  let isVerified = false;
  try {
    // Bolt rejects old timestamps, but accepts future ones.
    if (Number(request.headers['x-slack-request-timestamp']) * 1000 > now + signatureLife) return 401;
    const options = { signingSecret, logger: libraryLogger(log), bodyLimit: largestBody };
    const buffered = await HTTPModuleFunctions.parseAndVerifyHTTPRequest(options, request);
    isVerified = true;
    const body: unknown = HTTPModuleFunctions.parseHTTPRequestBody(buffered);
    if (!isJsonObject(body)) return 400;
    return 'ssl_check' in body ? 200 : body;
  } catch (error) {
    if (HTTPModuleFunctions.isRawBodyError(error)) return error.statusCode;
    return isVerified ? 400 : 401;
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

function portWords(error: unknown, { host, port }: SlackSettings['http']): InLanguage {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const address = `${host}:${port}`;
  if (code === 'EADDRINUSE') return (language) => slackWords[language].portTaken({ address });
  return (language) => slackWords[language].portFails({ address, code: String(code ?? error) });
}
