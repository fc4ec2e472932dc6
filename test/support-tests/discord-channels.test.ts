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

const post = (content: string, channel = channelId): Promise<RawAnswer> =>
  ask(discord, `POST /channels/${channel}/messages`, { content });

test('a reaction is one however often it is added, and has to be an emoji', async () => {
  const { id } = discord.say(channelId, 'hello');
  const react = (emoji: string, method = 'PUT'): Promise<RawAnswer> => {
    clock.advance(250);
    return ask(discord, `${method} /channels/${channelId}/messages/${id}/reactions/${encodeURIComponent(emoji)}/@me`);
  };
  for (const emoji of ['👀', '👀', '✅', '❤️']) expect((await react(emoji)).status).toBe(204);
  expect(discord.chat(channelId)[0]?.reactions).toEqual(['👀', '✅', '❤️']);
  expect((await react('✅', 'DELETE')).status).toBe(204);
  expect(discord.chat(channelId)[0]?.reactions).toEqual(['👀', '❤️']);
  for (const wrong of ['eyes', 'a', '👀👀'])
    expect(await react(wrong)).toMatchObject({ status: 404, json: { code: 10014 } });
});

test('that the bot writes shows for ten seconds or until it has written, and has no body', async () => {
  const { status, headers } = await ask(discord, `POST /channels/${channelId}/typing`);
  expect([status, headers.get('content-type')]).toEqual([204, null]);
  expect(discord.isTyping(channelId)).toBe(true);
  clock.advance(10_000);
  expect(discord.isTyping(channelId)).toBe(false);
  await ask(discord, `POST /channels/${channelId}/typing`);
  await post('done');
  expect(discord.isTyping(channelId)).toBe(false);
});

test('a message has one thread, which has its id', async () => {
  const { id } = discord.say(channelId, 'hello');
  const open = (): Promise<unknown> =>
    rest.post(`/channels/${channelId}/messages/${id}/threads`, { body: { name: 'A thread' } });
  expect(await open()).toMatchObject({ id, type: 11, parent_id: channelId, guild_id: guildId, name: 'A thread' });
  expect(await refusal(open())).toMatch('400 160004');
  expect(discord.threadsIn(channelId)).toMatchObject([{ id, thread: { archived: false } }]);
  expect(await ask(discord, `GET /guilds/${guildId}/threads/active`)).toMatchObject({ json: { threads: [{ id }] } });
});

test('a forum takes posts only, and a post begins with a message that has its id', async () => {
  const forum = discord.scenery.addChannel(guildId, { type: 'forum' });
  expect(await refusal(rest.post(`/channels/${forum}/messages`, { body: { content: 'a' } }))).toMatch('400 50008');
  const post = { name: 'A question', message: { content: 'why?' } };
  const thread = await rest.post(`/channels/${forum}/threads`, { body: post });
  expect(thread).toMatchObject({ parent_id: forum, message: { id: idOf(thread), content: 'why?' } });
  expect(await refusal(rest.post(`/channels/${forum}/threads`, { body: { name: 'a' } }))).toMatch('400 50035');
});

test('an archived thread is opened by a message, and changed by nobody before', async () => {
  const thread = discord.people.startThread(channelId, 'A thread');
  const path = `/channels/${thread}` as const;
  const message = idOf(await rest.post(`${path}/messages`, { body: { content: 'a' } }));
  discord.people.changeThread(thread, { archived: true });
  expect(await refusal(rest.patch(`${path}/messages/${message}`, { body: { content: 'b' } }))).toMatch('400 50083');
  expect(await refusal(rest.put(`${path}/messages/${message}/reactions/👍/@me`))).toMatch('400 50083');
  expect(await rest.patch(path, { body: { archived: false } })).toMatchObject({ thread_metadata: { archived: false } });
  discord.people.changeThread(thread, { archived: true });
  await rest.post(`${path}/messages`, { body: { content: 'c' } });
  expect(discord.channel(thread).thread?.archived).toBe(false);
  discord.people.changeThread(thread, { archived: true, locked: true });
  expect(await refusal(rest.post(`${path}/messages`, { body: { content: 'd' } }))).toMatch('400 50083');
  expect(await refusal(rest.patch(path, { body: { archived: false } }))).toMatch('403 50013');
});

test('commands are written as a list, and keep their ids', async () => {
  const path = `/applications/${discord.application.id}/commands` as const;
  const stop = { name: 'stop', description: 'Stops' };
  const first = await rest.put(path, { body: [stop] });
  expect(await rest.put(path, { body: [stop, { name: 'help', description: 'Helps' }] })).toMatchObject([
    { id: idsOf(first)[0], name: 'stop', type: 1 },
    { name: 'help' },
  ]);
  expect(discord.commandWrites).toBe(2);
  expect(await rest.get(path)).toHaveLength(2);
  const guildPath = `/applications/${discord.application.id}/guilds/${guildId}/commands` as const;
  await rest.put(guildPath, { body: [{ name: 'here', description: 'Only here' }] });
  expect(discord.commands(guildId).map(({ name }) => name)).toEqual(['here']);
  const required = [
    { type: 3, name: 'a', description: 'a' },
    { type: 3, name: 'b', description: 'b', required: true },
  ];
  for (const wrong of [[stop, stop], [{ ...stop, name: 'Stop' }], [{ name: 'stop' }], [{ ...stop, options: required }]])
    expect(await refusal(rest.put(path, { body: wrong }))).toMatch('400 50035');
  expect(await refusal(rest.put('/applications/1/commands', { body: [] }))).toMatch('404 10002');
  expect(discord.commandWrites).toBe(3);
});

test('the application changes its own flags, and no others', async () => {
  discord.application.flags = 0;
  const change = (flags: number): Promise<unknown> => rest.patch('/applications/@me', { body: { flags } });
  expect(await change(1 << 19)).toMatchObject({ flags: 1 << 19, id: discord.application.id });
  expect(await refusal(change(1 << 18))).toMatch('400 50035');
  expect(await rest.get('/applications/@me')).toMatchObject({ flags: 1 << 19 });
});

test('a guild and its members can be looked at', async () => {
  const role = discord.scenery.addRole(guildId, 'team', [person]);
  const guild = { id: guildId, owner_id: person, roles: [{ name: '@everyone' }, { managed: true }, { id: role }] };
  expect(await rest.get(`/guilds/${guildId}`)).toMatchObject(guild);
  expect(await rest.get(`/guilds/${guildId}/members/${person}`)).toMatchObject({ user: { id: person }, roles: [role] });
  expect(await refusal(rest.get(`/guilds/${guildId}/members/999`))).toMatch('404 10007');
  expect(await rest.get(`/guilds/${guildId}/channels`)).toMatchObject([{ id: channelId }]);
  expect(await rest.get('/users/@me/guilds')).toMatchObject([{ id: guildId }]);
  expect(await rest.get(`/users/${person}`)).toMatchObject({ id: person });
});
