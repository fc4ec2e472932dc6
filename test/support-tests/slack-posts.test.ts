import { createServer, type IncomingMessage, type Server } from 'node:http';
import { HTTPReceiver, isValidSlackRequest } from '@slack/bolt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';
import { SlackServer } from '../support/slack-server.ts';
import { silent } from './slack-client.ts';

const channel = 'C1';
let slack: SlackServer;
let app: Server;
let url: string;
let heard: { readonly headers: IncomingMessage['headers']; readonly body: string }[];
/** What the app answers to all but the challenge. */
let answer: { status: number; body?: string; headers?: Record<string, string> } | 'nothing';

beforeEach(async () => {
  slack = await SlackServer.start({ timeScale: 0.01 });
  slack.home.addChannel(channel);
  heard = [];
  answer = { status: 200 };
  app = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const challenge = /"challenge":"([^"]+)"/.exec(body)?.[1];
    if (challenge !== undefined) return response.end(challenge);
    heard.push({ headers: request.headers, body });
    return answer === 'nothing' ? undefined : response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  url = `http://127.0.0.1:${await listenOnLoopback(app)}/slack/events`;
});

afterEach(async () => {
  await slack.close();
  await closeServer(app);
});

const isValid = (at: number): boolean => {
  const { headers, body } = heard[at] ?? { headers: {}, body: '' };
  const timestamp = Number(headers['x-slack-request-timestamp']);
  const signature = String(headers['x-slack-signature']);
  const { signingSecret } = slack.home.installation;
  return isValidSlackRequest({
    signingSecret,
    body,
    headers: { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature },
  });
};

test('an address that does not answer the challenge is not taken', async () => {
  await expect(slack.deliverTo(`${slack.root}/nothing`)).rejects.toThrow('challenge');
});

test('events are posted as JSON, presses and commands as forms, all signed', async () => {
  await slack.deliverTo(url);
  const { deliveries } = slack.say(channel, 'hello');
  await slack.waitFor(() => deliveries[0]?.state === 'acknowledged');
  expect(JSON.parse(heard[0]?.body ?? '')).toMatchObject({ type: 'event_callback', event: { text: 'hello' } });
  expect(heard[0]?.headers).not.toHaveProperty('x-slack-retry-num');
  answer = { status: 200, body: 'It helps.' };
  await slack.acknowledged(slack.home.command(channel, '/keyturn', 'help', { from: 'U2' }).delivery);
  expect(new URLSearchParams(heard[1]?.body).get('command')).toBe('/keyturn');
  expect(slack.home.ephemerals(channel, 'U2')).toMatchObject([{ text: 'It helps.' }]);
  expect([isValid(0), isValid(1)]).toEqual([true, true]);
});

test('what is answered with an error, or not in time, comes again; after the third time it is lost', async () => {
  await slack.deliverTo(url);
  answer = { status: 500 };
  const { deliveries } = slack.say(channel, 'hello');
  await slack.waitFor(() => deliveries[0]?.attempts === 2);
  answer = 'nothing';
  await slack.waitFor(() => deliveries[0]?.state === 'lost', { timeoutMs: 10_000 });
  const retries = heard.map(({ headers }) => [headers['x-slack-retry-num'], headers['x-slack-retry-reason']]);
  expect(retries).toEqual([
    [undefined, undefined],
    ['1', 'http_error'],
    ['2', expect.stringMatching(/http_(?:error|timeout)/)],
    ['3', 'http_timeout'],
  ]);
});

test('who asks for no retry gets none', async () => {
  await slack.deliverTo(url);
  answer = { status: 500, headers: { 'x-slack-no-retry': '1' } };
  const { deliveries } = slack.say(channel, 'hello');
  await slack.waitFor(() => deliveries[0]?.state === 'lost');
  expect(heard).toHaveLength(1);
});

test('anybody can post what is signed wrongly, not at all or long ago', async () => {
  const posts = slack.postsTo(url);
  for (const signing of ['wrong', 'missing', 'stale', 'true'] as const)
    await posts.post('events_api', { type: 'event_callback' }, { signing });
  expect(heard.map((_request, at) => isValid(at))).toEqual([false, false, false, true]);
});

test('the receiver of Bolt takes the challenge and refuses what is not signed', async () => {
  const receiver = new HTTPReceiver({ signingSecret: slack.home.installation.signingSecret, logger: silent });
  const server = await receiver.start(0);
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const boltUrl = `http://127.0.0.1:${port}/slack/events`;
  await slack.deliverTo(boltUrl);
  const refused = await slack.postsTo(boltUrl).post('events_api', { type: 'event_callback' }, { signing: 'wrong' });
  expect(refused.status).toBe(401);
  await receiver.stop();
});
