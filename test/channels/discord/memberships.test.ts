import { expect, test } from 'vitest';
import { discord } from '../../../channels/discord/index.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { GatewayBench } from './gateway-bench.ts';
import { intakeSetting } from './intake-setting.ts';

test('a server that the bot was added to, or taken out of, is told of once', async () => {
  const { setting, server, host } = await intakeSetting();
  server.scenery.addGuild({ name: 'Old friends' });
  const { id } = server.scenery.addGuild({ name: 'Garden', isNew: true });
  const [added] = await host.receives(1);
  const conversation = { channel: 'discord', tenant: id, chatId: id, kind: 'group', title: 'Garden' };
  const sender = { id: 'unknown', name: '', isPerson: false };
  expect(added).toMatchObject({ type: 'membership', change: 'added', conversation, sender });
  const { data } = setting.dispatched.findLast(({ event }) => event === 'GUILD_CREATE') ?? {};
  expect(await setting.take('GUILD_CREATE', data)).toEqual([]);
  expect(await setting.take('GUILD_DELETE', { id, unavailable: true })).toEqual([]);
  server.scenery.leaveGuild(id);
  const [, removed] = await host.receives(2);
  expect(removed).toMatchObject({ type: 'membership', change: 'removed', conversation, sender });
  expect(removed?.key).not.toBe(added?.key);
});

test('a server that the bot was added to while nobody listened is told of, and no other', async () => {
  const { setting, server, host } = await intakeSetting();
  const now = host.clock.now();
  host.leftAt = now - 3_600_000;
  const guild = (id: string, ago: number) => ({ id, name: 'G', joined_at: new Date(now - ago).toISOString() });
  expect(await setting.take('GUILD_CREATE', guild('123456789012345671', 1_800_000))).toHaveLength(1);
  expect(await setting.take('GUILD_CREATE', guild('123456789012345672', 7_200_000))).toEqual([]);
  expect(await setting.take('GUILD_CREATE', { id: '123456789012345673', name: 'G' })).toEqual([]);
  expect(await setting.take('GUILD_CREATE', { id: 'x', joined_at: 7 })).toEqual([]);
  expect(server.calls).toEqual([]);
});

test('who wants to begin is given the link that lets the bot into a server', async () => {
  const bench = await GatewayBench.open();
  const { server } = bench;
  try {
    const adapter = discord.create({ enabled: true, token: server.token, api_url: server.apiUrl });
    expect(adapter.startLink?.('CODE')).toBeUndefined();
    const host = new RecordingHost();
    await adapter.start(host);
    await host.is('connected');
    const { url = '', sendsCode } = adapter.startLink?.('CODE') ?? {};
    expect(sendsCode).toBe(false);
    expect(new URL(url).searchParams.get('client_id')).toBe(server.application.id);
    await adapter.stop();
  } finally {
    await bench.close();
  }
});
