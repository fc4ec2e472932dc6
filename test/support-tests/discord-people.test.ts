import type { APIUser } from 'discord.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiscordServer } from '../support/discord-server.ts';
import { restOf } from './discord-client.ts';
import { GatewayClient } from './gateway-client.ts';

const person = '2001';
const otherBot: APIUser = {
  id: '3001',
  username: 'other',
  discriminator: '0',
  global_name: null,
  avatar: null,
  bot: true,
};
let discord: DiscordServer;
let client: GatewayClient;
let guildId: string;
let botRole: string;
let channelId: string;

beforeEach(async () => {
  discord = await DiscordServer.start({ times: { rateScale: 0 } });
  ({ id: guildId, botRoleId: botRole } = discord.scenery.addGuild({ owner: person }));
  channelId = discord.scenery.addChannel(guildId);
  client = await GatewayClient.ready(discord);
});

afterEach(() => discord.close());

/** What the gateway has told so far of such events, without those that are still on their way. */
async function told(type: string): Promise<readonly unknown[]> {
  const mark = `MARK_${client.payloads.length}`;
  discord.dispatch(mark, {});
  await client.waitFor(() => client.events(mark).at(0), mark);
  return client.events(type).map(({ d }) => d);
}

test('a person who speaks in a guild is a member of it, and is told of as one', async () => {
  discord.say(channelId, 'hello', { from: '2002' });
  expect(await told('MESSAGE_CREATE')).toMatchObject([
    { author: { id: '2002', username: 'person_2002' }, member: { roles: [] }, guild_id: guildId, channel_type: 0 },
  ]);
  expect(await restOf(discord).get(`/guilds/${guildId}/members/2002`)).toMatchObject({ user: { id: '2002' } });
});

test('a direct message has no guild, and comes from the person of the chat', async () => {
  discord.say(discord.direct('2002'), 'hello');
  const [event] = await told('MESSAGE_CREATE');
  expect(event).toMatchObject({ author: { id: '2002' }, channel_type: 1 });
  expect(event).not.toHaveProperty('guild_id');
  expect(event).not.toHaveProperty('member');
});

test('whom a message calls stands in it', async () => {
  discord.say(channelId, `<@${discord.bot.id}> <@&${botRole}> @everyone <@${person}>`);
  expect(await told('MESSAGE_CREATE')).toMatchObject([
    {
      mentions: [{ id: discord.bot.id, member: { roles: [botRole] } }, { id: person }],
      mention_roles: [botRole],
      mention_everyone: true,
    },
  ]);
});

test('a reply brings what it answers, and calls its author unless it is silent', async () => {
  await restOf(discord).post(`/channels/${channelId}/messages`, { body: { content: 'It rains.' } });
  const replyTo = discord.chat(channelId)[0]?.id ?? '';
  discord.say(channelId, 'why?', { replyTo });
  discord.say(channelId, 'well?', { replyTo, ping: false });
  const [, loud, silent] = await told('MESSAGE_CREATE');
  expect(loud).toMatchObject({
    type: 19,
    referenced_message: { id: replyTo, content: 'It rains.' },
    message_reference: { message_id: replyTo, channel_id: channelId, guild_id: guildId },
    mentions: [{ id: discord.bot.id }],
  });
  expect(silent).toMatchObject({ type: 19, mentions: [] });
});

test('other programs and webhooks can be told from people', async () => {
  discord.say(channelId, 'I am a bot', { from: otherBot });
  discord.say(channelId, 'I am a webhook', { webhook: { id: '4001', name: 'news' } });
  const [bot, webhook] = await told('MESSAGE_CREATE');
  expect(bot).toMatchObject({ author: { id: '3001', bot: true } });
  expect(webhook).toMatchObject({ author: { id: '4001', username: 'news' }, webhook_id: '4001' });
  expect(webhook).not.toHaveProperty('member');
  expect(discord.chat(channelId).map(({ from }) => from)).toEqual(['user', 'user']);
});

test('what is changed and taken back is told', async () => {
  const { id } = discord.say(channelId, 'the wether');
  expect(discord.edit(channelId, id, 'the weather').edited_timestamp).not.toBeNull();
  for (const from of ['2002', '2002']) discord.people.react(channelId, id, '👍', { from });
  discord.people.react(channelId, id, '👍', { from: '2002', isOn: false });
  discord.people.delete(channelId, id);
  expect(await told('MESSAGE_UPDATE')).toMatchObject([{ id, content: 'the weather', author: { id: person } }]);
  expect(await told('MESSAGE_REACTION_ADD')).toMatchObject([
    { message_id: id, user_id: '2002', emoji: { name: '👍' } },
  ]);
  expect(await told('MESSAGE_REACTION_REMOVE')).toHaveLength(1);
  expect(await told('MESSAGE_DELETE')).toEqual([{ id, channel_id: channelId, guild_id: guildId }]);
  expect(discord.chat(channelId)).toEqual([]);
});

test('a preview and a thread change a message without an edit', async () => {
  const { id } = discord.say(channelId, 'https://example.com');
  discord.people.showPreview(channelId, id, 'Example');
  discord.people.startThread(channelId, 'Talk', { messageId: id });
  expect(await told('MESSAGE_UPDATE')).toMatchObject([
    { id, content: 'https://example.com', edited_timestamp: null, embeds: [{ title: 'Example' }], flags: 0 },
    { id, edited_timestamp: null, flags: 1 << 5 },
  ]);
  expect(discord.chat(channelId)).toMatchObject([{ edits: 0 }]);
});

test('a thread is told of, and a post is a thread that begins with its message', async () => {
  const thread = discord.people.startThread(channelId, 'Talk');
  discord.say(thread, 'in the thread');
  const forum = discord.scenery.addChannel(guildId, { type: 'forum', name: 'questions' });
  const post = discord.people.post(forum, 'A question', 'why?', { from: '2002' });
  expect(await told('THREAD_CREATE')).toMatchObject([
    { id: thread, parent_id: channelId, newly_created: true, type: 11 },
    { id: post.id, parent_id: forum, owner_id: '2002', name: 'A question' },
  ]);
  expect(await told('MESSAGE_CREATE')).toMatchObject([
    { type: 18, channel_id: channelId, content: 'Talk' },
    { channel_id: thread, content: 'in the thread', guild_id: guildId },
    { id: post.id, channel_id: post.id, content: 'why?' },
  ]);
  expect(() => discord.say(forum, 'nowhere')).toThrow('Nobody can write in a forum itself');
});

test('a thread that was archived is opened by who writes there', async () => {
  const thread = discord.people.startThread(channelId, 'Talk');
  const other = discord.people.startThread(channelId, 'Small talk');
  discord.people.changeThread(thread, { archived: true });
  const active = await restOf(discord).get(`/guilds/${guildId}/threads/active`);
  expect(active).toMatchObject({ threads: [{ id: other }] });
  discord.say(thread, 'still here');
  const states = (await told('THREAD_UPDATE')).map((event) => JSON.stringify(event).includes('"archived":true'));
  expect(states).toEqual([true, false]);
});

test('guilds and channels come and go', async () => {
  const other = discord.scenery.addGuild({ name: 'Other' });
  const channel = discord.scenery.addChannel(other.id);
  discord.scenery.removeChannel(channel);
  discord.scenery.removeGuild(other.id);
  expect(await told('GUILD_CREATE')).toMatchObject([{ id: guildId }, { id: other.id, name: 'Other' }]);
  expect(await told('CHANNEL_CREATE')).toMatchObject([{ id: channel, guild_id: other.id }]);
  expect(await told('CHANNEL_DELETE')).toMatchObject([{ id: channel }]);
  expect(await told('GUILD_DELETE')).toEqual([{ id: other.id }]);
});

test('ids grow with time, and no two are the same', async () => {
  const ids = Array.from({ length: 50 }, (_, count) => BigInt(discord.say(channelId, `${count}`).id));
  expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => (one < other ? -1 : 1)));
  expect(Math.abs(Number((ids[0] ?? 0n) >> 22n) + 1_420_070_400_000 - Date.now())).toBeLessThan(60_000);
});

test('a wait in vain says what there is instead', async () => {
  discord.say(channelId, 'hello');
  await restOf(discord).get('/users/@me');
  const wait = discord.waitForMessage(channelId, 'an answer', 10);
  await expect(wait).rejects.toThrow(/a message of the bot with an answer[\s\S]*"hello"[\s\S]*GET \/users\/@me.*200/);
});
