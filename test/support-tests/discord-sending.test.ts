import type { REST } from 'discord.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { DiscordServer } from '../support/discord-server.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { person, startGuild } from './discord-guild.ts';
import { refusal } from './discord-refusal.ts';

let clock: ManualClock;
let discord: DiscordServer;
let rest: REST;
let guildId: string;
let channelId: string;

beforeEach(async () => {
  ({ clock, discord, rest, guildId, channelId } = await startGuild({ times: { rateScale: 0 } }));
});

afterEach(() => discord.close());

function post(body: object, files?: { name: string; data: Buffer }[]): Promise<unknown> {
  return rest.post(`/channels/${channelId}/messages`, { body, ...(files !== undefined && { files }) });
}

async function mistakes(body: object): Promise<unknown> {
  const error = await post(body).catch((reason: unknown) => reason);
  return error instanceof Error && 'rawError' in error ? error.rawError : error;
}

async function idOf(sent: Promise<unknown>): Promise<string> {
  await sent;
  return discord.chat(channelId).at(-1)?.id ?? '';
}

const button = { type: 2, style: 1, label: 'Yes', custom_id: 'yes' };
const row = (components: object[]): object => ({ type: 1, components });

test('a message is shown as it was sent, and answered without guild and member', async () => {
  const embeds = [{ title: 'T', description: 'D', fields: [{ name: 'n', value: 'v' }] }];
  const answer = await post({ content: '  hello ', embeds, components: [row([button])] });
  expect(answer).toMatchObject({ content: 'hello', author: { id: discord.bot.id, bot: true }, edited_timestamp: null });
  expect(answer).not.toHaveProperty('guild_id');
  expect(answer).not.toHaveProperty('member');
  expect(discord.chat(channelId)).toMatchObject([
    {
      from: 'bot',
      content: 'hello',
      text: 'hello\nT\nD\nn\nv',
      buttons: [{ label: 'Yes', data: 'yes', style: 1, disabled: false }],
      edits: 0,
      pings: [],
    },
  ]);
});

test('a mistake stands at its place in the tree of errors', async () => {
  expect(await mistakes({ content: 'x'.repeat(2001), embeds: [{ title: 'x'.repeat(257) }] })).toEqual({
    code: 50035,
    message: 'Invalid Form Body',
    errors: {
      content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' }] },
      embeds: { 0: { title: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: expect.any(String) }] } } },
    },
  });
});

const long = (length: number): string => 'x'.repeat(length);
const text = (content: string): object => ({ type: 10, content });
const v2 = 1 << 15;

test.each([
  ['nothing', {}, '50006'],
  ['spaces', { content: ' \n ' }, '50006'],
  ['content that is a number', { content: 7 }, 'BASE_TYPE_BAD_STRING'],
  ['a nonce of 26 characters', { content: 'a', nonce: long(26) }, 'nonce'],
  ['eleven embeds', { embeds: Array.from({ length: 11 }, () => ({ title: 'a' })) }, 'embeds'],
  ['embeds of 6001 characters', { embeds: [1, 2].map(() => ({ description: long(3001) })) }, 'MAX_EMBED_SIZE_EXCEEDED'],
  ['26 fields', { embeds: [{ fields: Array.from({ length: 26 }, () => ({ name: 'a', value: 'b' })) }] }, 'fields'],
  ['an empty field', { embeds: [{ fields: [{ name: '', value: 'b' }] }] }, 'BASE_TYPE_BAD_LENGTH'],
  ['six rows', { components: [1, 2, 3, 4, 5, 6].map((id) => row([{ ...button, custom_id: `${id}` }])) }, 'components'],
  [
    'six buttons',
    { components: [row([1, 2, 3, 4, 5, 6].map((id) => ({ ...button, custom_id: `${id}` })))] },
    'components',
  ],
  ['an empty row', { components: [row([])] }, 'BASE_TYPE_BAD_LENGTH'],
  ['a label of 81 characters', { components: [row([{ ...button, label: long(81) }])] }, 'components'],
  ['a custom id of 101 characters', { components: [row([{ ...button, custom_id: long(101) }])] }, 'components'],
  ['an empty custom id', { components: [row([{ ...button, custom_id: '' }])] }, 'components'],
  ['two buttons with one id', { components: [row([button, button])] }, 'COMPONENT_CUSTOM_ID_DUPLICATED'],
  ['a text among plain components', { components: [text('a')] }, 'components'],
  ['content beside components v2', { content: 'a', flags: v2, components: [text('b')] }, 'LEGACY_FIELDS'],
  ['4001 characters of components v2', { flags: v2, components: [text(long(2000)), text(long(2001))] }, 'TEXT_SIZE'],
  ['41 components v2', { flags: v2, components: Array.from({ length: 41 }, () => text('a')) }, 'BASE_TYPE_MAX_LENGTH'],
  ['two ways to allow mentions', { content: 'a', allowed_mentions: { parse: ['users'], users: ['1'] } }, 'EXCLUSIVE'],
  ['an answer to nothing', { content: 'a', message_reference: { message_id: '1' } }, 'REPLIES_UNKNOWN_MESSAGE'],
  ['a file that is not there', { content: 'a', attachments: [{ id: 0, filename: 'a' }] }, 'ATTACHMENT_NOT_FOUND'],
])('%s is refused', async (_, body, word) => {
  expect(JSON.stringify(await mistakes(body))).toContain(word);
  expect(discord.chat(channelId)).toEqual([]);
});

test.each([
  ['2000 characters', { content: long(2000) }],
  [
    '25 buttons',
    {
      components: [1, 2, 3, 4, 5].map((y) => row([1, 2, 3, 4, 5].map((x) => ({ ...button, custom_id: `${x}${y}` })))),
    },
  ],
  ['a link', { components: [row([{ type: 2, style: 5, label: 'a', url: 'https://example.com' }])] }],
  ['40 components v2', { flags: v2, components: Array.from({ length: 40 }, () => text('a')) }],
  ['a container', { flags: v2, components: [{ type: 17, components: [text('a'), row([button])] }] }],
  [
    'an answer to what may be gone',
    { content: 'a', message_reference: { message_id: '1', fail_if_not_exists: false } },
  ],
])('%s are taken', async (_, body) => {
  await post(body);
  expect(discord.chat(channelId)).toHaveLength(1);
  expect(discord.chat(channelId)[0]).not.toHaveProperty('replyTo');
});

test('the same nonce gives the same message for some minutes, if that was asked for', async () => {
  const send = (content: string, enforce_nonce = true): Promise<unknown> =>
    post({ content, nonce: 'n1', enforce_nonce });
  const first = await send('one');
  expect(await send('two')).toEqual(first);
  await send('three', false);
  clock.advance(3 * 60_000);
  await send('four');
  expect(discord.chat(channelId).map(({ content, nonce }) => [content, nonce])).toEqual([
    ['one', 'n1'],
    ['three', 'n1'],
    ['four', 'n1'],
  ]);
});

test('people are called as far as it is allowed', async () => {
  const role = discord.scenery.addRole(guildId, 'team');
  const said = discord.say(channelId, 'hello');
  const content = `@everyone @here <@${person}> <@!77> <@&${role}> <@&1>`;
  const reference = { message_reference: { message_id: said.id } };
  const pings = async (body: object): Promise<readonly string[]> => {
    await post({ content, ...body });
    return discord.chat(channelId).at(-1)?.pings ?? [];
  };
  const everybody = ['@everyone', '@here', `<@${person}>`, '<@77>', `<@&${role}>`];
  expect(await pings({})).toEqual(everybody);
  expect(await pings({ allowed_mentions: { parse: [] } })).toEqual([]);
  expect(await pings({ allowed_mentions: { parse: ['roles'], users: ['77'] } })).toEqual(['<@77>', `<@&${role}>`]);
  expect(await pings({ content: 'a', ...reference })).toEqual([`<@${person}>`]);
  expect(await pings({ content: 'a', ...reference, allowed_mentions: { parse: [] } })).toEqual([]);
  expect(await pings({ content: 'a', ...reference, allowed_mentions: { replied_user: true } })).toEqual([
    `<@${person}>`,
  ]);
  const components = [text(content)];
  expect(await pings({ content: undefined, flags: v2, components })).toEqual(everybody);
  expect(await pings({ content: undefined, embeds: [{ description: content }] })).toEqual([]);
  discord.scenery.deny(channelId, 'MENTION_EVERYONE');
  expect(await pings({})).toEqual(everybody.slice(2));
});

test('an edit changes what it names, and calls by its own words', async () => {
  const id = await idOf(post({ content: 'one', components: [row([button])], nonce: 7 }));
  const edit = (body: object): Promise<unknown> => rest.patch(`/channels/${channelId}/messages/${id}`, { body });
  expect(await edit({ content: 'two @everyone' })).toMatchObject({ content: 'two @everyone', components: [{}] });
  expect(discord.chat(channelId)[0]).toMatchObject({ edits: 1, pings: ['@everyone'], nonce: 7 });
  await edit({ content: 'three @everyone', components: [], allowed_mentions: { parse: [] } });
  expect(discord.chat(channelId)[0]).toMatchObject({ text: 'three @everyone', buttons: [], pings: [], edits: 2 });
  expect(await refusal(edit({ content: null }))).toMatch('400 50006');
  expect(await refusal(edit({ content: long(2001) }))).toMatch('400 50035');
  expect(discord.chat(channelId)[0]?.edits).toBe(2);
});

test("nobody edits what is another's, or what is gone", async () => {
  const { id } = discord.say(channelId, 'mine');
  const path = (messageId: string): `/${string}` => `/channels/${channelId}/messages/${messageId}`;
  expect(await refusal(rest.patch(path(id), { body: { content: 'a' } }))).toMatch('403 50005');
  expect(await refusal(rest.delete(path(id)))).toMatch('403 50013');
  const own = await idOf(post({ content: 'own' }));
  await rest.delete(path(own));
  expect(await refusal(rest.delete(path(own)))).toMatch('404 10008');
  expect(await refusal(rest.patch(path(own), { body: { content: 'a' } }))).toMatch('404 10008');
  expect(discord.chat(channelId)).toMatchObject([{ id }]);
});

test('a message of more than an hour can be edited so many times only', async () => {
  discord.mostLateEdits = 2;
  const id = await idOf(post({ content: 'one' }));
  const edit = (): Promise<unknown> =>
    rest.patch(`/channels/${channelId}/messages/${id}`, { body: { content: 'again' } });
  for (let count = 0; count < 3; count += 1) await edit();
  clock.advance(3_600_001);
  const { status, json } = await discordFetch(`/channels/${channelId}/messages/${id}`, { content: 'late' });
  expect([status, json]).toMatchObject([429, { code: 30046 }]);
});

test('files are kept with their names, and can be dropped by an edit', async () => {
  const files = ['a.txt', 'ä b.txt'].map((name) => ({ name, data: Buffer.from(name) }));
  const id = await idOf(post({ attachments: [{ id: 1, description: 'second' }] }, files));
  const shown = discord.chat(channelId)[0]?.files;
  expect(shown).toMatchObject([
    { name: 'a.txt', bytes: Buffer.from('a.txt') },
    { name: 'ä_b.txt', title: 'ä b.txt' },
  ]);
  const [first] = z
    .object({ attachments: z.array(z.object({ id: z.string() })) })
    .parse(await rest.get(`/channels/${channelId}/messages/${id}`)).attachments;
  await rest.patch(`/channels/${channelId}/messages/${id}`, { body: { attachments: [first] } });
  expect(discord.chat(channelId)[0]?.files).toMatchObject([{ name: 'a.txt' }]);
});

test('a file of more than 10 MiB and a request of more than 25 MiB are too large', async () => {
  const megabytes = (count: number): Buffer => Buffer.alloc(count * 2 ** 20);
  const send = (...sizes: number[]): Promise<unknown> =>
    post(
      {},
      sizes.map((size) => ({ name: 'a', data: megabytes(size) })),
    );
  await send(10);
  expect(await refusal(send(10.5))).toMatch('413 40005');
  expect(await refusal(send(9, 9, 8))).toMatch('413 40005');
});

test('an address of a file is signed, and holds for a day', async () => {
  const { attachments } = discord.say(channelId, 'look', { files: [{ name: 'a.txt', bytes: Buffer.from('a') }] });
  const url = attachments[0]?.url ?? '';
  const status = async (address: string): Promise<number> => (await fetch(address)).status;
  expect(await status(url)).toBe(200);
  expect(await status(url.replace(/ex=\w+/, 'ex=7fffffff'))).toBe(404);
  expect(await status(url.replace(/\?.*/, ''))).toBe(404);
  clock.advance(86_401_000);
  expect(await status(url)).toBe(404);
  expect(discord.callsOf('GET /attachments/:channel/:id/:name').map((call) => call.status)).toEqual([
    200, 404, 404, 404,
  ]);
});

async function discordFetch(path: string, body: object): Promise<{ status: number; json: unknown }> {
  const headers = { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' };
  const request = { method: 'PATCH', headers, body: JSON.stringify(body) };
  const response = await fetch(`${discord.apiUrl}/v10${path}`, request);
  return { status: response.status, json: await response.json() };
}
