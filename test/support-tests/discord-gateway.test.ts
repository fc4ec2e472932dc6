import { GatewayIntentBits } from 'discord.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiscordServer } from '../support/discord-server.ts';
import { restOf } from './discord-client.ts';
import { person, startGuild } from './discord-guild.ts';
import { GatewayClient } from './gateway-client.ts';

let discord: DiscordServer;
let guildId: string;
let channelId: string;

beforeEach(async () => {
  ({ discord, guildId, channelId } = await startGuild());
});

afterEach(() => discord.close());

test('a session begins with HELLO, READY and its guilds, and its events are counted', async () => {
  const [open, archived] = ['open', 'archived'].map((name) => discord.people.startThread(channelId, name));
  discord.people.changeThread(archived ?? '', { archived: true });
  const client = await GatewayClient.ready(discord);
  discord.say(channelId, 'one');
  discord.say(channelId, 'two');
  await client.hears('two');
  expect(client.payloads.map(({ op, t, s }) => [op, t, s])).toEqual([
    [10, null, null],
    [0, 'READY', 1],
    [0, 'GUILD_CREATE', 2],
    [0, 'MESSAGE_CREATE', 3],
    [0, 'MESSAGE_CREATE', 4],
  ]);
  expect(client.payloads[0]?.d).toEqual({ heartbeat_interval: 41_250 });
  expect(client.events('GUILD_CREATE')[0]?.d).toMatchObject({
    id: guildId,
    channels: [{ id: channelId }],
    threads: [{ id: open }],
  });
  expect(client.events('MESSAGE_CREATE')[0]?.d).toMatchObject({ guild_id: guildId, member: { roles: [] }, type: 0 });
});

test('a beat is acknowledged, unless the server is deaf to it, and can be asked for', async () => {
  const client = await GatewayClient.ready(discord);
  client.send(1, client.sequence);
  await client.waitFor(() => client.of(11).length === 1, 'an acknowledgement');
  discord.gateway.isDeafToBeats = true;
  client.send(1, client.sequence);
  await discord.waitFor(() => discord.gateway.heartbeats === 2);
  discord.gateway.requestBeat();
  await client.waitFor(() => client.of(1).length === 1, 'a request for a beat');
  expect(client.of(11)).toHaveLength(1);
});

test.each([
  ['a wrong token', 4004, (client: GatewayClient) => client.identify('wrong')],
  ['an intent that there is not', 4013, (client: GatewayClient) => client.identify(discord.token, 1 << 30)],
  ['an intent that is not switched on', 4014, (client: GatewayClient) => client.identify(discord.token, 1 << 1)],
  [
    'another shard',
    4010,
    (client: GatewayClient) => client.send(2, { token: discord.token, intents: 1, properties: {}, shard: [1, 2] }),
  ],
  ['an IDENTIFY that is none', 4002, (client: GatewayClient) => client.send(2, { token: discord.token })],
  ['an opcode that there is not', 4001, (client: GatewayClient) => client.send(77, null)],
  ['a payload that is too large', 4002, (client: GatewayClient) => client.send(1, 'x'.repeat(5_000))],
  ['a request for members before IDENTIFY', 4003, (client: GatewayClient) => client.send(8, {})],
])('%s closes with %i', async (_, code, act) => {
  const client = await GatewayClient.connect(discord);
  act(client);
  expect(await client.whenClosed()).toBe(code);
});

test('without the switch for the content of messages, asking for it closes with 4014', async () => {
  discord.application.flags = 0;
  const client = await GatewayClient.connect(discord);
  client.identify(discord.token);
  expect(await client.whenClosed()).toBe(4014);
  await restOf(discord).patch('/applications/@me', { body: { flags: 1 << 19 } });
  await GatewayClient.ready(discord);
});

test('who may not read messages is told of them without what they say, but for those that are meant for the bot', async () => {
  const { GuildMessages, DirectMessages } = GatewayIntentBits;
  const client = await GatewayClient.ready(discord, GuildMessages | DirectMessages);
  discord.say(channelId, 'between people', { files: [{ name: 'a', bytes: Buffer.from('a') }] });
  discord.say(channelId, `<@${discord.bot.id}> to the bot`);
  discord.say(discord.direct(person), 'alone');
  await restOf(discord).post(`/channels/${channelId}/messages`, { body: { content: 'its own' } });
  await client.hears('its own');
  expect(client.contents).toEqual(['', `<@${discord.bot.id}> to the bot`, 'alone', 'its own']);
  expect(client.events('MESSAGE_CREATE')[0]?.d).toMatchObject({ attachments: [], author: { id: person } });
  expect(client.events('GUILD_CREATE')).toEqual([]);
});

test('only what was asked for is told', async () => {
  const client = await GatewayClient.ready(discord, GatewayIntentBits.GuildMessages);
  const { id } = discord.say(channelId, 'one');
  discord.say(discord.direct(person), 'alone');
  discord.people.react(channelId, id, '👍');
  discord.people.type(channelId);
  discord.edit(channelId, id, 'two');
  discord.people.delete(channelId, id);
  await client.waitFor(() => client.events('MESSAGE_DELETE').at(0), 'the deletion');
  expect(client.payloads.slice(2).map(({ t }) => t)).toEqual(['MESSAGE_CREATE', 'MESSAGE_UPDATE', 'MESSAGE_DELETE']);
});

test('a reconnect can be asked for, and who says too much is closed with 4008', async () => {
  const client = await GatewayClient.ready(discord);
  discord.gateway.requestReconnect();
  await client.waitFor(() => client.of(7).at(0), 'the request');
  for (let count = 0; count < 120; count += 1) client.send(1, null);
  expect(await client.whenClosed()).toBe(4008);
});

test('a refused upgrade is an attempt, and a silent server says not even HELLO', async () => {
  discord.gateway.refusal = 503;
  const refused = await GatewayClient.connect(discord);
  expect(refused.closed).toBe(1006);
  discord.gateway.refusal = undefined;
  const client = await GatewayClient.ready(discord);
  discord.gateway.isSilent = true;
  discord.say(channelId, 'into the silence');
  client.send(1, null);
  const other = new GatewayClient(`${discord.apiUrl.replace('http', 'ws').replace('/api', '')}/gw/`);
  await discord.waitFor(() => discord.gateway.openConnections === 2);
  expect([discord.gateway.connectionsMade, other.payloads, discord.gateway.heartbeats]).toEqual([3, [], 0]);
  discord.gateway.isSilent = false;
  const next = await client.resume(discord.token);
  expect(next.contents).toEqual(['into the silence']);
});

test('anything can be told, and what nobody was connected for is in the history alone', async () => {
  const { id } = discord.say(channelId, 'before anybody came');
  const client = await GatewayClient.ready(discord);
  discord.dispatch('MESSAGE_CREATE', { content: 'not a message', id: null });
  await client.hears('not a message');
  expect(client.contents).toEqual(['not a message']);
  expect(await restOf(discord).get(`/channels/${channelId}/messages`)).toMatchObject([{ id }]);
});

test('a frame can be sent that is none of Discord', async () => {
  const client = await GatewayClient.ready(discord);
  discord.gateway.sendFrame({ op: 99, d: [], s: 'x', t: 7, more: true });
  discord.gateway.sendFrame('{"op":');
  await client.waitFor(() => client.broken.length === 2, 'the frames');
  expect(client.broken).toEqual(['{"op":99,"d":[],"s":"x","t":7,"more":true}', '{"op":']);
});

test('a token that is revoked closes the session, and opens none', async () => {
  const client = await GatewayClient.ready(discord);
  discord.revokeToken();
  expect(await client.whenClosed()).toBe(4004);
  await expect(restOf(discord).get('/users/@me')).rejects.toMatchObject({ status: 401 });
  expect((await client.resume(discord.token)).closed).toBe(4004);
});

test('nothing is told of a channel that the bot may not see, or of a guild that nobody announced', async () => {
  const client = await GatewayClient.ready(discord);
  const hidden = discord.scenery.addChannel(guildId, { denied: ['VIEW_CHANNEL'] });
  discord.say(hidden, 'in secret');
  const unknown = discord.scenery.addGuild({ isAnnounced: false });
  discord.say(discord.scenery.addChannel(unknown.id, { isAnnounced: false }), 'from nowhere');
  await client.hears('from nowhere');
  expect(client.contents).toEqual(['from nowhere']);
  expect(client.events('CHANNEL_CREATE')).toEqual([]);
  expect(client.events('GUILD_CREATE')).toHaveLength(1);
});

test('an outage breaks the connection in use and refuses new ones until it is over', async () => {
  const client = await GatewayClient.ready(discord);
  discord.outage(true);
  expect(await client.whenClosed()).toBe(1006);
  expect((await GatewayClient.connect(discord)).closed).toBe(1006);
  discord.outage(false);
  expect((await client.resume(discord.token)).events('RESUMED')).toHaveLength(1);
});

test('closing breaks every connection at once, even one that waits for an answer', async () => {
  const server = await DiscordServer.start();
  const client = await GatewayClient.ready(server);
  server.fault({ kind: 'hang', route: 'GET /gateway' });
  const hanging = fetch(`${server.apiUrl}/v10/gateway`);
  await server.waitFor(() => server.faultsFired('hang') === 1);
  await Promise.all([server.close(), expect(hanging).rejects.toThrow('fetch failed')]);
  expect(await client.whenClosed()).toBe(1006);
});
