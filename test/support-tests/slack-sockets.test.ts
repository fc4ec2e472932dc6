import { once } from 'node:events';
import { SocketModeClient } from '@slack/socket-mode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { SlackServer } from '../support/slack-server.ts';
import { silent, slackClient } from './slack-client.ts';

const channel = 'C1';
let slack: SlackServer;

beforeEach(async () => {
  slack = await SlackServer.start({ pingMs: 20 });
  slack.home.addChannel(channel);
});

afterEach(() => slack.close());

/** Where time is short: an event must be acknowledged within 30 ms. */
async function hurry(timeScale = 0.01): Promise<void> {
  await slack.close();
  slack = await SlackServer.start({ timeScale, pingMs: 20 });
  slack.home.addChannel(channel);
}

/** A socket that remembers what it is sent and says what it is told to. */
async function connect() {
  const { url = '' } = await slackClient(slack, slack.appToken).apps.connections.open({});
  const socket = new WebSocket(url);
  const heard: Record<string, unknown>[] = [];
  socket.on('message', (data) => heard.push(JSON.parse(String(data))));
  await once(socket, 'message');
  const acknowledge = (at: number, payload?: object): void =>
    socket.send(JSON.stringify({ envelope_id: heard[at]?.envelope_id, payload }));
  return { socket, heard, acknowledge };
}

test('a socket is greeted, told of what happens, and acknowledges it', async () => {
  const { heard, acknowledge } = await connect();
  expect(heard[0]).toMatchObject({ type: 'hello', num_connections: 1, connection_info: { app_id: 'A00000001' } });
  const { deliveries, ts } = slack.say(channel, 'hello');
  await expect.poll(() => heard.length).toBe(2);
  expect(heard[1]).toMatchObject({
    ...{ type: 'events_api', accepts_response_payload: false, retry_attempt: 0, retry_reason: '' },
    payload: { type: 'event_callback', team_id: 'T00000001', event: { type: 'message', channel, ts, text: 'hello' } },
  });
  acknowledge(1);
  await slack.waitFor(() => deliveries[0]?.state === 'acknowledged');
  expect(slack.pending).toEqual([]);
});

test('each payload goes through one socket, one after the other', async () => {
  const [one, two] = [await connect(), await connect()];
  expect(two.heard[0]).toMatchObject({ num_connections: 2 });
  for (const text of ['a', 'b', 'c', 'd']) slack.say(channel, text);
  await expect.poll(() => [one.heard.length, two.heard.length]).toEqual([3, 3]);
});

test('what is not acknowledged comes again at once, after a minute and after five, and is lost then', async () => {
  await hurry(0.003);
  const { heard } = await connect();
  const started = Date.now();
  const { deliveries } = slack.say(channel, 'hello');
  await slack.waitFor(() => deliveries[0]?.state === 'lost', { timeoutMs: 10_000 });
  // 4 times 9 ms for an acknowledgement, 180 ms and 900 ms.
  expect(Date.now() - started).toBeGreaterThanOrEqual(1_100);
  const retries = heard.slice(1).map(({ retry_attempt, retry_reason }) => [retry_attempt, retry_reason]);
  expect(retries).toEqual([
    [0, ''],
    [1, 'timeout'],
    [2, 'timeout'],
    [3, 'timeout'],
  ]);
  expect(new Set(heard.slice(1).map(({ envelope_id }) => envelope_id)).size).toBe(4);
  const ids = heard.slice(1).map(({ payload }) => JSON.stringify(payload));
  expect(new Set(ids).size).toBe(1);
  expect(slack.lost).toHaveLength(1);
});

test('what happens while no socket is open comes a minute later', async () => {
  await hurry(0.05);
  const { deliveries } = slack.say(channel, 'hello');
  await slack.waitFor(() => deliveries[0]?.attempts === 2);
  const { heard, acknowledge } = await connect();
  await expect.poll(() => heard.length, { timeout: 10_000 }).toBe(2);
  expect(heard[1]).toMatchObject({ retry_attempt: 2, retry_reason: 'connection_failed' });
  acknowledge(1);
  await slack.waitFor(() => deliveries[0]?.state === 'acknowledged');
});

test('an acknowledgement that comes late does not count', async () => {
  await hurry();
  const { heard, acknowledge } = await connect();
  slack.say(channel, 'hello');
  await expect.poll(() => heard.length).toBe(3);
  acknowledge(1);
  await expect.poll(() => heard.length).toBe(4);
});

test('presses and commands are not tried again', async () => {
  await hurry();
  const { heard } = await connect();
  const { delivery } = slack.home.command(channel, '/keyturn', 'help');
  await slack.waitFor(() => delivery.state === 'lost');
  expect(delivery.attempts).toBe(1);
  expect(heard[1]).toMatchObject({ type: 'slash_commands', accepts_response_payload: true });
  expect(heard[1]).not.toHaveProperty('retry_attempt');
});

test('an event can be delivered once more', async () => {
  const { heard, acknowledge } = await connect();
  const [first] = slack.say(channel, 'hello').deliveries;
  await expect.poll(() => heard.length).toBe(2);
  acknowledge(1);
  if (first === undefined) throw new Error('There is no delivery.');
  await slack.acknowledged(first);
  slack.redeliver(first);
  await expect.poll(() => heard.length).toBe(3);
  expect(heard[2]).toMatchObject({ retry_attempt: 1, payload: heard[1]?.payload });
});

test('a ticket is good for one socket; the eleventh is one too many', async () => {
  const { socket } = await connect();
  const again = new WebSocket(socket.url);
  await expect(once(again, 'open')).rejects.toThrow('404');
  for (let count = 1; count < 10; count += 1) await connect();
  const { heard, socket: eleventh } = await connect();
  expect(heard[0]).toMatchObject({ type: 'disconnect', reason: 'too_many_websockets' });
  if (eleventh.readyState !== eleventh.CLOSED) await once(eleventh, 'close');
  expect(slack.sockets.count).toBe(10);
});

test('who is asked to go is sent nothing more, and is put out if he stays', async () => {
  await hurry(0.1);
  const [one, two] = [await connect(), await connect()];
  slack.sockets.disconnect('warning', 1);
  slack.sockets.disconnect('refresh_requested', 0);
  for (const text of ['a', 'b']) slack.say(channel, text);
  await expect.poll(() => two.heard.length).toBe(4);
  expect(two.heard[1]).toMatchObject({ type: 'disconnect', reason: 'warning' });
  expect(one.heard).toMatchObject([{ type: 'hello' }, { type: 'disconnect', reason: 'refresh_requested' }]);
  await once(one.socket, 'close');
  await slack.waitFor(() => slack.sockets.count === 1);
});

test('a socket is pinged, and answers pings; one that has fallen silent does neither', async () => {
  await hurry();
  const { socket, heard } = await connect();
  await once(socket, 'ping');
  socket.ping();
  await once(socket, 'pong');
  slack.sockets.fallSilent();
  let signs = 0;
  for (const sign of ['ping', 'pong', 'message']) socket.on(sign, () => (signs += 1));
  socket.ping();
  const { deliveries } = slack.say(channel, 'hello');
  await slack.waitFor(() => deliveries[0]?.attempts === 3);
  expect([signs, heard.length, socket.readyState]).toEqual([0, 1, socket.OPEN]);
  expect(slack.sockets.count).toBe(1);
});

test('sockets can break without notice, and new ones be refused', async () => {
  const { socket } = await connect();
  slack.sockets.drop();
  const [code] = await once(socket, 'close');
  expect(code).toBe(1006);
  const refused = slack.refuseSockets(503);
  await expect(connect()).rejects.toThrow('503');
  refused.remove();
  await connect();
  expect(slack.callsOf('socket').map(({ status }) => status)).toEqual([101, 503, 101]);
});

test('in silence connections are taken, and nothing is answered; what comes after it is', async () => {
  const { socket } = await connect();
  slack.silence(true);
  const client = slackClient(slack);
  const unanswered = client.auth.test().catch(() => 'no answer');
  await slack.waitFor(() => slack.callsOf('auth.test').length === 1);
  slack.silence(false);
  expect((await client.auth.test()).ok).toBe(true);
  expect(socket.readyState).toBe(socket.OPEN);
  expect(slack.callsOf('auth.test').map(({ status }) => status)).toEqual([undefined, 200]);
  await slack.close();
  expect(await unanswered).toBe('no answer');
  slack = await SlackServer.start();
});

test('the real Socket Mode client connects, acknowledges with an answer, and leaves', async () => {
  const client = new SocketModeClient({
    appToken: slack.appToken,
    logger: silent,
    clientOptions: { slackApiUrl: slack.apiUrl },
  });
  client.on('slash_commands', ({ ack }: { ack: (answer: object) => Promise<void> }) => ack({ text: 'It helps.' }));
  await client.start();
  const { delivery } = slack.home.command(channel, '/keyturn', 'help', { from: 'U5' });
  await slack.acknowledged(delivery);
  expect(delivery.answer).toEqual({ text: 'It helps.' });
  expect(slack.home.ephemerals(channel, 'U5')).toMatchObject([{ text: 'It helps.' }]);
  await client.disconnect();
  await slack.waitFor(() => slack.sockets.count === 0);
});
