import type { REST } from 'discord.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DiscordServer } from '../support/discord-server.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { ask, type RawAnswer } from './discord-client.ts';
import { idOf, idsOf, person, startGuild } from './discord-guild.ts';
import { refusal } from './discord-refusal.ts';

let clock: ManualClock;
let discord: DiscordServer;
let rest: REST;
let guildId: string;
let channelId: string;

beforeEach(async () => {
  ({ clock, discord, rest, guildId, channelId } = await startGuild());
});

afterEach(() => discord.close());

const stranger = () => ({ apiUrl: discord.apiUrl, token: 'wrong' });
const post = (content: string, channel = channelId): Promise<RawAnswer> =>
  ask(discord, `POST /channels/${channel}/messages`, { content });

test('a path that there is not, a wrong method, a wrong token and no JSON are refused', async () => {
  expect(await ask(discord, 'GET /nothing')).toMatchObject({
    status: 404,
    json: { code: 0, message: '404: Not Found' },
  });
  expect(await ask(discord, `PUT /channels/${channelId}/messages`)).toMatchObject({ status: 405, json: { code: 0 } });
  expect(await ask(stranger(), 'GET /users/@me')).toMatchObject({
    status: 401,
    json: { code: 0, message: '401: Unauthorized' },
  });
  expect(discord.limits.invalidRequests).toBe(1);
  const old = await fetch(`${discord.apiUrl}/v9/users/@me`, { headers: { authorization: `Bot ${discord.token}` } });
  expect(old.status).toBe(404);
  const headers = { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' };
  const url = `${discord.apiUrl}/v10/channels/${channelId}/messages`;
  const broken = await fetch(url, { method: 'POST', headers, body: '{' });
  expect([broken.status, await broken.json()]).toMatchObject([400, { code: 50109 }]);
  const plain = await fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: 'a' });
  expect([plain.status, await plain.json()]).toMatchObject([400, { code: 50035 }]);
});

test('a channel takes five messages in five seconds, and another one as many', async () => {
  const first = await post('1');
  expect([first.headers.get('x-ratelimit-limit'), first.headers.get('x-ratelimit-remaining')]).toEqual(['5', '4']);
  expect(first.headers.get('x-ratelimit-reset-after')).toBe('5');
  for (const text of ['2', '3', '4', '5']) expect((await post(text)).status).toBe(200);
  clock.advance(2_000);
  const { status, headers, json } = await post('6');
  expect([status, headers.get('retry-after'), headers.get('x-ratelimit-scope')]).toEqual([429, '3', 'user']);
  expect(json).toMatchObject({ retry_after: 3, global: false, code: 0 });
  expect(headers.get('x-ratelimit-bucket')).toBe(first.headers.get('x-ratelimit-bucket'));
  expect((await post('7', discord.scenery.addChannel(guildId))).status).toBe(200);
  clock.advance(3_000);
  expect((await post('8')).status).toBe(200);
  expect(discord.chat(channelId).map(({ text }) => text)).toEqual(['1', '2', '3', '4', '5', '8']);
});

test('all routes together have a limit of their own', async () => {
  discord.limits.globalLimit = 2;
  await ask(discord, 'GET /users/@me');
  await ask(discord, 'GET /gateway/bot');
  const { status, headers, json } = await post('1');
  expect([status, headers.get('x-ratelimit-global'), headers.get('x-ratelimit-scope')]).toEqual([
    429,
    'true',
    'global',
  ]);
  expect(json).toMatchObject({ global: true });
});

test('who asks too often for what they may not have is shut out', async () => {
  discord.limits.invalidLimit = 2;
  for (let count = 0; count < 2; count += 1) await ask(stranger(), 'GET /users/@me');
  const { status, headers } = await ask(discord, 'GET /users/@me');
  expect([status, headers.get('content-type')]).toEqual([429, 'text/html']);
  clock.advance(600_001);
  expect((await ask(discord, 'GET /users/@me')).status).toBe(200);
});

test('what the bot may not do is refused, each in its own way', async () => {
  const said = discord.say(channelId, 'hello');
  const reply = { body: { content: 'a', message_reference: { message_id: said.id } } };
  const path = `/channels/${channelId}` as const;
  discord.scenery.deny(channelId, 'VIEW_CHANNEL');
  expect(await refusal(rest.get(path))).toBe('403 50001 Missing Access');
  discord.scenery.deny(channelId, 'SEND_MESSAGES', 'ADD_REACTIONS', 'CREATE_PUBLIC_THREADS');
  expect(await refusal(rest.post(`${path}/messages`, { body: { content: 'a' } }))).toBe(
    '403 50013 Missing Permissions',
  );
  expect(await refusal(rest.post(`${path}/typing`))).toMatch('403 50013');
  expect(await refusal(rest.put(`${path}/messages/${said.id}/reactions/👍/@me`))).toMatch('403 50013');
  expect(await refusal(rest.post(`${path}/threads`, { body: { name: 'a', type: 11 } }))).toMatch('403 50013');
  discord.scenery.deny(channelId, 'READ_MESSAGE_HISTORY', 'ATTACH_FILES', 'EMBED_LINKS');
  expect(await rest.get(`${path}/messages`)).toEqual([]);
  expect(await refusal(rest.post(`${path}/messages`, reply))).toMatch('403 160002');
  const file = { files: [{ name: 'a', data: Buffer.from('a') }] };
  expect(await refusal(rest.post(`${path}/messages`, file))).toMatch('403 50013');
  expect(await refusal(rest.post(`${path}/messages`, { body: { embeds: [{ title: 'a' }] } }))).toMatch('403 50013');
  expect(await refusal(rest.get('/channels/1'))).toBe('404 10003 Unknown Channel');
  discord.scenery.removeGuild(guildId);
  expect(await refusal(rest.get(path))).toMatch('403 50001');
  expect(await refusal(rest.get(`/guilds/${guildId}`))).toMatch('403 50001');
});

test('a direct chat is opened once, and can be closed to the bot', async () => {
  const open = (id: string): Promise<unknown> => rest.post('/users/@me/channels', { body: { recipient_id: id } });
  const chat = await open(person);
  expect(chat).toMatchObject({ type: 1, recipients: [{ id: person }] });
  expect(await open(person)).toEqual(chat);
  expect(idOf(chat)).toBe(discord.direct(person));
  expect(await refusal(open('999'))).toMatch('400 50033');
  discord.people.closeDirectChat(person);
  expect(await refusal(rest.post(`/channels/${idOf(chat)}/messages`, { body: { content: 'a' } }))).toMatch('403 50007');
  discord.people.closeDirectChat(person, false);
  await rest.post(`/channels/${idOf(chat)}/messages`, { body: { content: 'a' } });
});

test('the history is read in pages, the newest first', async () => {
  const ids = Array.from({ length: 120 }, (_, count) => discord.say(channelId, `${count}`).id);
  const page = async (query: string): Promise<readonly string[]> =>
    idsOf((await ask(discord, `GET /channels/${channelId}/messages?${query}`)).json);
  expect(await page('')).toEqual(ids.slice(-50).toReversed());
  expect(await page(`after=${ids[3]}&limit=2`)).toEqual([ids[5], ids[4]]);
  expect(await page(`before=${ids[3]}&limit=2`)).toEqual([ids[2], ids[1]]);
  clock.advance(1_000);
  expect(await page(`after=0&limit=100`)).toEqual(ids.slice(0, 100).toReversed());
  for (const wrong of ['limit=101', 'limit=0', 'after=x', 'after=1&before=2'])
    expect((await ask(discord, `GET /channels/${channelId}/messages?${wrong}`)).status).toBe(400);
});

test('the history says nothing to an application that may not read messages', async () => {
  discord.application.flags = 0;
  discord.say(channelId, 'between people');
  discord.say(channelId, `<@${discord.bot.id}> hello`);
  const { json } = await ask(discord, `GET /channels/${channelId}/messages`);
  expect(json).toMatchObject([{ content: `<@${discord.bot.id}> hello` }, { content: '' }]);
});

test('a message in the history has neither guild nor member, and brings what it answers', async () => {
  const { id } = discord.say(channelId, 'one');
  discord.say(channelId, 'two', { replyTo: id });
  discord.people.delete(channelId, id);
  discord.say(channelId, 'three', { replyTo: discord.chat(channelId)[0]?.id ?? '' });
  const { json } = await ask(discord, `GET /channels/${channelId}/messages`);
  expect(json).toMatchObject([
    { content: 'three', type: 19, referenced_message: { content: 'two' } },
    { content: 'two', type: 19, referenced_message: null, message_reference: { message_id: id } },
  ]);
  expect(JSON.stringify(json)).not.toContain('"member"');
});

test('a nonce that comes again after a lost answer gives no second message', async () => {
  const body = { content: 'once', nonce: 'outbox-1', enforce_nonce: true };
  discord.fault({ kind: 'drop-after', route: 'POST /channels/:channel/messages', times: 1 });
  const send = (): Promise<unknown> => rest.post(`/channels/${channelId}/messages`, { body });
  await expect(send()).rejects.toThrow();
  expect(idOf(await send())).toBe(discord.chat(channelId)[0]?.id);
  expect(discord.chat(channelId)).toHaveLength(1);
});
