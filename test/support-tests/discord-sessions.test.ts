import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiscordServer } from '../support/discord-server.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { restOf } from './discord-client.ts';
import { startGuild } from './discord-guild.ts';
import { GatewayClient } from './gateway-client.ts';

let clock: ManualClock;
let discord: DiscordServer;
let channelId: string;

beforeEach(async () => {
  ({ clock, discord, channelId } = await startGuild());
});

afterEach(() => discord.close());

test('a second IDENTIFY has to wait five seconds, and a connection has one', async () => {
  const first = await GatewayClient.ready(discord);
  const second = await GatewayClient.connect(discord);
  second.identify(discord.token);
  await second.waitFor(() => second.of(9).at(0), 'INVALID_SESSION');
  expect(second.of(9)[0]?.d).toBe(false);
  clock.advance(5_000);
  second.identify(discord.token);
  await second.waitFor(() => second.events('READY').at(0), 'READY');
  expect(discord.gateway.identifies.map(({ outcome }) => outcome)).toEqual(['ready', 'invalid', 'ready']);
  expect(discord.gateway.startLimit.remaining).toBe(998);
  first.identify(discord.token);
  expect(await first.whenClosed()).toBe(4005);
});

test('each start is taken from those that are left, and one too many costs the token', async () => {
  discord.gateway.startLimit = { total: 1000, remaining: 1, resetAfter: 9_000, maxConcurrency: 1 };
  await GatewayClient.ready(discord);
  expect(await restOf(discord).get('/gateway/bot')).toMatchObject({
    shards: 1,
    session_start_limit: { total: 1000, remaining: 0, reset_after: 9_000, max_concurrency: 1 },
  });
  clock.advance(5_000);
  const greedy = await GatewayClient.connect(discord);
  greedy.identify(discord.token);
  expect(await greedy.whenClosed()).toBe(4004);
  expect(discord.tokenResets).toBe(1);
  await expect(restOf(discord).get('/users/@me')).rejects.toMatchObject({ status: 401 });
});

test('a session that lost its connection is told again what it missed, and only that', async () => {
  const client = await GatewayClient.ready(discord);
  discord.say(channelId, 'heard');
  await client.hears('heard');
  discord.gateway.drop();
  expect(await client.whenClosed()).toBe(1006);
  await discord.waitFor(() => !discord.gateway.isReady);
  discord.say(channelId, 'missed');
  const next = await client.resume(discord.token);
  expect(next.payloads.map(({ t }) => t)).toEqual([null, 'MESSAGE_CREATE', 'RESUMED']);
  expect(next.contents).toEqual(['missed']);
  discord.say(channelId, 'after it');
  await next.hears('after it');
  expect(next.sequence).toBe(client.sequence + 3);
  expect(discord.gateway.resumes).toMatchObject([{ replayed: 1, path: '/gw/again/' }]);
});

test('a session ends with its time, with too much that was missed, and with 1000, 1001 or 4009', async () => {
  const isRefused = async (end: (client: GatewayClient) => void): Promise<unknown> => {
    clock.advance(5_000);
    const client = await GatewayClient.ready(discord);
    end(client);
    await client.whenClosed();
    await discord.waitFor(() => discord.gateway.openConnections === 0);
    discord.say(channelId, 'one');
    discord.say(channelId, 'two');
    clock.advance(discord.gateway.times.resume);
    if (end === expire) clock.advance(1);
    const next = await client.resume(discord.token);
    next.close(4000);
    await next.whenClosed();
    return next.of(9)[0]?.d ?? 'resumed';
  };
  const drop = (): void => discord.gateway.drop();
  const expire = (): void => discord.gateway.drop();
  expect(await isRefused(drop)).toBe('resumed');
  expect(await isRefused((client) => client.close(4000))).toBe('resumed');
  expect(await isRefused(expire)).toBe(false);
  for (const code of [1000, 1001, 4009]) expect(await isRefused(() => discord.gateway.closeWith(code))).toBe(false);
  expect(await isRefused((client) => client.close(1000))).toBe(false);
  discord.gateway.mostReplayed = 1;
  expect(await isRefused(drop)).toBe(false);
});

test('a session can be declared invalid, for good or so that it can be resumed', async () => {
  const client = await GatewayClient.ready(discord);
  discord.gateway.invalidate(true);
  await client.waitFor(() => client.of(9).length === 1, 'INVALID_SESSION');
  const next = await client.resume(discord.token);
  discord.gateway.invalidate(false);
  await next.waitFor(() => next.of(9).length === 1, 'INVALID_SESSION');
  expect([client.of(9)[0]?.d, next.of(9)[0]?.d, discord.gateway.isReady]).toEqual([true, false, false]);
  expect((await client.resume(discord.token)).of(9)).toHaveLength(1);
});

test('a RESUME with a wrong token or from the future is closed', async () => {
  const client = await GatewayClient.ready(discord);
  expect((await client.resume('wrong')).closed).toBe(4004);
  expect((await client.resume(discord.token, 99)).closed).toBe(4007);
});

test("Discord's times can be made shorter, all of them or one", async () => {
  await using quick = await DiscordServer.start({ timeScale: 0.001, times: { identify: 60_000 } });
  const client = await GatewayClient.ready(quick);
  expect(client.of(10)[0]?.d).toEqual({ heartbeat_interval: 41 });
  const second = await GatewayClient.connect(quick);
  second.identify(quick.token);
  await second.waitFor(() => second.of(9).at(0), 'INVALID_SESSION');
  expect(quick.gateway.times).toMatchObject({ interaction: 3, rateScale: 0.001, identify: 60_000 });
});
