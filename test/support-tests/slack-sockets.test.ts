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

/** A socket that remembers what it is sent. */
async function connect() {
  const { url = '' } = await slackClient(slack, slack.appToken).apps.connections.open({});
  const socket = new WebSocket(url);
  const heard: Record<string, unknown>[] = [];
  socket.on('message', (data) => heard.push(JSON.parse(String(data))));
  await once(socket, 'message');
  return { socket, heard };
}

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
