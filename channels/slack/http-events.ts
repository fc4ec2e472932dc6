import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { ChannelHost } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { type Clock, endsWithin, sleep } from '../../src/lib/clock.ts';
import { sameSecret } from '../../src/lib/ids.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import type { Reception } from '../kit/reception.ts';
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
    const body = isOurs ? await read(request, signingSecret, clock.now()) : 404;
    if (typeof body === 'number') response.writeHead(body).end();
    else if (body.type === 'url_verification')
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ challenge: body.challenge }));
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
async function read(request: IncomingMessage, signingSecret: string, now: number): Promise<number | JsonObject> {
  const text = await textOf(request).catch(() => 400);
  if (typeof text === 'number') return text;
  const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
  const form: JsonObject = isForm ? Object.fromEntries(new URLSearchParams(text)) : {};
  // Slack looks whether somebody answers, and does not sign that.
  if (form.ssl_check === '1') return 200;
  if (!isSigned(request, text, signingSecret, now)) return 401;
  const json = isForm ? form.payload : text;
  const body = typeof json === 'string' ? parseJson(json) : form;
  return isJsonObject(body) ? body : 400;
}

/** 413 where it is too large. Throws if the connection breaks. */
async function textOf(request: IncomingMessage): Promise<string | 413> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The rest of a request that is too large is not read, but the connection has to stay for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > largestBody) return 413;
  }
  return Buffer.concat(chunks).toString();
}

function isSigned({ headers }: IncomingMessage, text: string, signingSecret: string, now: number): boolean {
  const { 'x-slack-request-timestamp': seconds, 'x-slack-signature': signature } = headers;
  if (typeof seconds !== 'string' || typeof signature !== 'string') return false;
  // What is no number is no time that is near.
  if (!(Math.abs(now - Number(seconds) * 1000) <= signatureLife)) return false;
  const hash = createHmac('sha256', signingSecret).update(`v0:${seconds}:${text}`).digest('hex');
  return sameSecret(signature, `v0=${hash}`);
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
