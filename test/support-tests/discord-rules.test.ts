import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { DiscordServer } from '../../packages/fakes/src/discord-server.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** What the fake Discord refuses, as Discord does: what asks for too much is seen in a test. */

const clock = new ManualClock(Date.UTC(2026, 0, 1));
const person = '2001';
let discord: DiscordServer;
let guildId: string;
let channelId: string;

beforeEach(async () => {
  discord = await DiscordServer.start({ now: () => clock.now() });
  guildId = discord.scenery.addGuild({ owner: person }).id;
  channelId = discord.scenery.addChannel(guildId);
});

afterEach(() => discord.close());

const answerShape = z.looseObject({ code: z.number().optional(), id: z.string().optional() });

/** The status of the answer, and Discord's own code where it is a refusal. */
async function ask(name: string, body?: object, token = `Bot ${discord.token}`) {
  const [method = '', path = ''] = name.split(' ');
  const headers = { authorization: token, 'content-type': 'application/json' };
  const content = body !== undefined && { body: JSON.stringify(body) };
  const response = await fetch(`${discord.apiUrl}/v10${path}`, { method, headers, ...content });
  const text = await response.text();
  const { code = 0, id = '' } = text.startsWith('{') ? answerShape.parse(JSON.parse(text)) : {};
  return {
    outcome: code === 0 ? String(response.status) : `${response.status} ${code}`,
    id,
    headers: response.headers,
  };
}

async function outcome(...asked: Parameters<typeof ask>): Promise<string> {
  return (await ask(...asked)).outcome;
}

const button = { type: 2, style: 1, label: 'a', custom_id: 'a' };
const row = (...components: readonly object[]) => ({ components: [{ type: 1, components }] });
const long = (length: number): string => 'a'.repeat(length);

test.each<readonly [string, object, string]>([
  ['nothing', { content: ' ' }, '400 50006'],
  ['a long text', { content: long(2001) }, '400 50035'],
  ['as long a text as there can be', { content: long(2000), ...row({ ...button, label: long(80) }) }, '200'],
  ['a long nonce', { content: 'a', nonce: long(26) }, '400 50035'],
  ['a long label', row({ ...button, label: long(81) }), '400 50035'],
  ['a long custom id', row({ ...button, custom_id: long(101) }), '400 50035'],
  ['one custom id twice', row(button, button), '400 50035'],
  ['six buttons in a row', row(...[1, 2, 3, 4, 5, 6].map((id) => ({ ...button, custom_id: `${id}` }))), '400 50035'],
  ['no button in a row', row(), '400 50035'],
  [
    'six rows',
    { components: Array.from({ length: 6 }, (_, id) => row({ ...button, custom_id: `${id}` }).components[0]) },
    '400 50035',
  ],
  ['an unknown field', { content: 'a', colour: 1 }, '400 50035'],
  [
    'an answer to what is not there',
    { content: 'a', message_reference: { message_id: '1', fail_if_not_exists: true } },
    '400 50035',
  ],
])('of a message with %s', async (_what, body, expected) => {
  expect(await outcome(`POST /channels/${channelId}/messages`, body)).toBe(expected);
});

test('of what the bot may not do, each in its own way', async () => {
  const { id } = discord.say(channelId, 'hello');
  const [channel, content] = [`/channels/${channelId}`, { content: 'a' }];
  expect(await outcome('GET /channels/1')).toBe('404 10003');
  expect(await outcome(`GET ${channel}/messages/1`)).toBe('404 10008');
  expect(await outcome(`PATCH ${channel}/messages/${id}`, content)).toBe('403 50005');
  expect(await outcome(`PUT ${channel}/messages/${id}/reactions/x/@me`)).toBe('404 10014');
  expect(await outcome('POST /users/@me/channels', { recipient_id: '999' })).toBe('400 50033');
  expect(await outcome('PATCH /applications/@me', { flags: 1 << 18 })).toBe('400 50035');
  for (const wrong of ['limit=101', 'limit=0', 'after=x'])
    expect(await outcome(`GET ${channel}/messages?${wrong}`)).toBe('400 50035');
  clock.advance(5_000);
  discord.scenery.deny(channelId, 'SEND_MESSAGES', 'ADD_REACTIONS', 'READ_MESSAGE_HISTORY');
  expect(await outcome(`POST ${channel}/messages`, content)).toBe('403 50013');
  expect(await outcome(`POST ${channel}/typing`)).toBe('403 50013');
  expect(await outcome(`PUT ${channel}/messages/${id}/reactions/👍/@me`)).toBe('403 50013');
  discord.scenery.deny(channelId, 'VIEW_CHANNEL');
  expect(await outcome(`GET ${channel}`)).toBe('403 50001');
  expect(await outcome('GET /nothing')).toBe('404');
  expect(await outcome('GET /users/@me', undefined, 'Bot wrong')).toBe('401');
});

test('of commands: a name with capitals, one without words, and one that is there twice', async () => {
  const route = `PUT /applications/${discord.application.id}/commands`;
  const command = { type: 1, name: 'stop', description: 'Stops' };
  expect(await outcome(route, [command])).toBe('200');
  for (const list of [[{ ...command, name: 'Stop' }], [{ ...command, description: '' }], [command, command]])
    expect(await outcome(route, list)).toBe('400 50035');
});

test('of a sixth message in five seconds, but of no message to another channel', async () => {
  const post = (channel: string) => ask(`POST /channels/${channel}/messages`, { content: 'a' });
  for (let count = 0; count < 5; count += 1) expect((await post(channelId)).outcome).toBe('200');
  clock.advance(2_000);
  const { outcome: sixth, headers } = await post(channelId);
  expect([sixth, headers.get('retry-after'), headers.get('x-ratelimit-scope')]).toEqual(['429', '3', 'user']);
  expect((await post(discord.scenery.addChannel(guildId))).outcome).toBe('200');
  clock.advance(3_000);
  expect((await post(channelId)).outcome).toBe('200');
});

test('of a nonce that comes again: it gives the message that is there', async () => {
  const body = { content: 'once', nonce: 'n1', enforce_nonce: true };
  const post = () => ask(`POST /channels/${channelId}/messages`, body);
  const { id } = await post();
  expect((await post()).id).toBe(id);
  clock.advance(180_000);
  expect((await post()).id).not.toBe(id);
});

test('of interactions: a second answer, one after three seconds, and any after a quarter of an hour', async () => {
  const answer = ({ id, event }: { id: string; event: object }, type = 5) =>
    outcome(`POST /interactions/${id}/${tokenIn(event)}/callback`, { type, data: { flags: 64 } });
  const webhook = (event: object): string => `POST /webhooks/${discord.application.id}/${tokenIn(event)}`;
  const first = discord.command(channelId, 'stop', { forged: true });
  expect(await outcome(webhook(first.event), { content: 'a' })).toBe('404 10015');
  expect(await answer(first, 6)).toBe('400 50035');
  expect([await answer(first), await answer(first)]).toEqual(['204', '400 40060']);
  expect(await outcome(webhook(first.event), { content: 'a' })).toBe('200');
  expect(discord.interaction(first.id).ephemeral).toEqual(['a']);
  const late = discord.command(channelId, 'stop', { forged: true });
  clock.advance(3_001);
  expect(await answer(late)).toBe('404 10062');
  clock.advance(900_000);
  expect(await outcome(webhook(first.event), { content: 'b' })).toBe('401 50027');
});

function tokenIn(event: object): string {
  return z.object({ token: z.string() }).parse(event).token;
}

const intents = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);
const readyShape = z.object({ session_id: z.string() });

/** Connects, says this, and gives what the gateway says next, or the code with which it hangs up. */
async function say(op: number, d: object) {
  const socket = new WebSocket(`${discord.gateway.url}?v=10&encoding=json`);
  await once(socket, 'message');
  socket.send(JSON.stringify({ op, d }));
  const heard = once(socket, 'message').then(([data]) => JSON.parse(String(data)));
  const answer: unknown = await Promise.race([heard, once(socket, 'close').then(([code]) => Number(code))]);
  return { socket, answer };
}

const identify = (token = discord.token, wanted = intents) => say(2, { token, intents: wanted, properties: {} });

test('of sessions: a second within five seconds, one too many a day, and intents that are not granted', async () => {
  expect((await identify('wrong')).answer).toBe(4004);
  expect((await identify(discord.token, intents | (1 << 1))).answer).toBe(4014);
  expect((await identify(discord.token, 1 << 30)).answer).toBe(4013);
  expect((await identify()).answer).toMatchObject({ t: 'READY' });
  expect((await identify()).answer).toMatchObject({ op: 9, d: false });
  clock.advance(5_000);
  discord.gateway.startLimit = { ...discord.gateway.startLimit, remaining: 0 };
  expect((await identify()).answer).toBe(4004);
  expect(discord.tokenResets).toBe(1);
  expect(await outcome('GET /users/@me')).toBe('401');
});

test.each([
  ['after its time', () => clock.advance(180_001)],
  ['after a close with 1000', () => discord.gateway.closeWith(1000)],
  ['with a sequence that was never given', () => {}],
])('of a session that is gone on with %s', async (what, end) => {
  const { answer } = await identify();
  const { session_id } = readyShape.parse(z.object({ d: z.unknown() }).parse(answer).d);
  discord.gateway.drop();
  await discord.waitFor(() => !discord.gateway.isReady);
  discord.say(channelId, 'missed');
  const asked = { token: discord.token, session_id };
  const resumed = await say(6, { ...asked, seq: 2 });
  expect(resumed.answer).toMatchObject({ t: 'MESSAGE_CREATE', d: { content: 'missed' } });
  resumed.socket.terminate();
  await discord.waitFor(() => discord.gateway.openConnections === 0);
  end();
  const refused = what.includes('sequence') ? 4007 : expect.objectContaining({ op: 9, d: false });
  expect((await say(6, { ...asked, seq: 99 })).answer).toEqual(refused);
});
