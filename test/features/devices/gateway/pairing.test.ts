import { describe, expect, test } from 'vitest';
import { peopleWords } from '../../../../src/conversation/commands/people/words.ts';
import { deviceWords } from '../../../../src/features/devices/words.ts';
import { isJsonObject } from '../../../../src/lib/json.ts';
import { group } from '../../../support/daemon-setting.ts';
import {
  deviceSetting,
  type GatewaySetting,
  gatewaySetting,
  pairedSetting,
} from '../../../support/gateway/gateway-setting.ts';
import { buttonOf } from '../../../support/platform-traffic.ts';

describe('a device', () => {
  test('is paired with a code from its person’s chat, once, and they are told so there', async () => {
    const setting = await gatewaySetting();
    const code = await setting.code('/device kitchen tablet');
    const first = await setting.pair(code.toUpperCase());
    expect(await first.json()).toMatchObject({
      paired: true,
      persisted: true,
      token: expect.stringMatching(/^[0-9a-f]{64}$/),
      device_id: expect.any(String),
    });
    await setting.daemon.channel.sees('Paired: `kitchen tablet`');
    expect((await setting.pair(code)).status).toBe(403);
    expect(setting.daemon.rows("SELECT kind FROM audit WHERE kind = 'device-paired'")).toHaveLength(1);
  });

  test('is paired by `/pair` without a code, as older clients say it', async () => {
    const setting = await gatewaySetting();
    expect((await setting.pair(await setting.code('/device'))).status).toBe(200);
  });

  test('is recognised by its token after a restart, though the token is stored nowhere', async () => {
    const { setting, token } = await pairedSetting();
    await setting.daemon.restart();
    expect((await setting.ask('/api/tools', token)).status).toBe(200);
    await setting.daemon.channel.ask('/devices', 'never connected');
    const stored = JSON.stringify([
      setting.daemon.rows('SELECT * FROM devices'),
      setting.daemon.rows('SELECT * FROM outbox'),
      setting.daemon.rows('SELECT * FROM audit'),
    ]);
    expect(stored).not.toContain(token);
  });

  test('is not paired with a code that is too old, or that another one has replaced', async () => {
    const setting = await gatewaySetting({ gateway: { code_secs: 60 } });
    const replaced = await setting.code();
    const code = await setting.code();
    expect((await setting.pair(replaced)).status).toBe(403);
    setting.daemon.clock.advance(60_000);
    expect((await setting.pair(code)).status).toBe(403);
  });

  test('is waited for in the list of what waits, by its person and by owners, who can cancel the code', async () => {
    const setting = await gatewaySetting({ allowFrom: ['bob'] });
    const { channel } = setting.daemon;
    const code = await setting.code('/device kitchen tablet', 'bob');
    const atBob = { by: 'bob', at: 'test:bob' };
    await channel.ask('/status', /A code for `kitchen tablet` of .*`test:bob`/, atBob);
    const status = await channel.ask('/status', /A code for `kitchen tablet`/);
    expect(status.text).not.toContain(code);
    await channel.ask('/status', /Nothing/, { in: group, at: 'test:team' });
    const cancel = buttonOf(status, `${deviceWords.en.buttonCancelCode} 1`);
    expect(await channel.press(cancel)).toEqual({ notice: deviceWords.en.codeCancelled });
    expect((await setting.pair(code)).status).toBe(403);
    // The button is of that code, and of no later one.
    setting.daemon.clock.advance(1000);
    await setting.code('/device phone', 'bob');
    expect(await channel.press(cancel)).toEqual({ notice: deviceWords.en.noSuchCode });
    await channel.ask('/status', /A code for `phone`/);
    // One's own code is no other friend's matter.
    await setting.code('/device mine', 'ada');
    const own = await channel.ask('/status', /A code for/, atBob);
    expect(own.text).not.toContain('mine');
  });

  test('is cut off at once when it is revoked, by its own person only', async () => {
    const setting = await gatewaySetting({ allowFrom: ['bob'] });
    const { channel } = setting.daemon;
    const token = await setting.token();
    const client = await setting.device({ token });
    const [device] = setting.daemon.rows('SELECT id FROM devices');
    await channel.ask(`/devices revoke ${String(device?.id)}`, deviceWords.en.noSuchDevice, { by: 'bob' });
    await channel.ask('/devices', 'connected now');
    await channel.ask('/devices revok x', 'Did you mean `/devices revoke`?');
    await channel.ask('/devices end', deviceWords.en.usage);
    await channel.say(`/devices revoke ${String(device?.id)}`);
    expect(await client.whenClosed()).toBe(1008);
    expect((await setting.ask('/api/tools', token)).status).toBe(401);
    await setting.daemon.restart();
    expect((await setting.ask('/api/tools', token)).status).toBe(401);
  });

  test('is called as it calls itself, where its person has given it no name', async () => {
    const setting = await gatewaySetting();
    const { channel } = setting.daemon;
    const named = await setting.token('kitchen');
    const response = await setting.pair(await setting.code('/device'));
    const body: unknown = await response.json();
    const unnamed = isJsonObject(body) ? String(body.token) : '';
    for (const token of [named, unnamed]) await setting.open({ token }).greet({ device_name: 'Pixel  9\n' });
    await setting.open({ token: unnamed }).greet({ device_name: 'another' });
    const { text } = await channel.ask('/devices', 'Your devices');
    expect(text).toMatch(/1\. `kitchen`,[\s\S]*2\. `Pixel {2}9 ?⏎?`,/);
    await setting.daemon.restart();
    expect(setting.daemon.rows('SELECT name FROM devices').map(({ name }) => name)).toContainEqual(
      expect.stringContaining('Pixel'),
    );
    await channel.ask('/devices', /last connected at \d\d:\d\d/);
    setting.daemon.clock.advance(48 * 3_600_000);
    await channel.ask('/devices', 'last connected on ');
  });

  test('is not paired for somebody who may talk only because everybody may: they are told what to do', async () => {
    const setting = await gatewaySetting({ allowFrom: ['*'] });
    const { channel } = setting.daemon;
    await channel.ask(
      '/device phone',
      deviceWords.en.unknownPerson({ id: '`"bob"`', key: '`channels.test.allow_from`' }),
      { by: 'bob' },
    );
    expect(setting.daemon.rows('SELECT * FROM device_codes')).toEqual([]);
    await setting.daemon.restart({ channels: { test: { allow_from: ['*', 'bob'] } } });
    await setting.device({ token: await setting.token('phone', 'bob') });
  });

  test('cannot pair another device, and a person has no more devices than the limit', async () => {
    const { setting, client } = await deviceSetting({ gateway: { max_devices_per_person: 1 } });
    expect((await client.ask('/device another')).full_response).toBe(deviceWords.en.notFromDevice);
    await setting.daemon.channel.ask('/device another', deviceWords.en.full({ most: 1 }));
  });

  test('is refused over HTTP and WebSocket when its person may no longer talk', async () => {
    const setting = await gatewaySetting({ allowFrom: ['bob'] });
    const token = await setting.token('phone', 'bob');
    expect((await setting.ask('/api/tools', token)).status).toBe(200);
    await setting.daemon.restart({ channels: { test: { allow_from: [] } } });
    expect((await setting.ask('/api/tools', token)).status).toBe(403);
    expect(await setting.open({ token }).whenRefused()).toBe(403);
  });

  test('is not paired in a group, nor while the gateway is off', async () => {
    const { daemon } = await gatewaySetting();
    await daemon.channel.ask('/device phone', deviceWords.en.notHere, {
      in: { channel: 'test', chatId: 'team', kind: 'group' },
    });
    daemon.channel.clear();
    await daemon.channel.ask('/pair', peopleWords.en.whichCode);
    expect(daemon.channel.textsIn('test:ada').join()).not.toContain('Type this code');
    daemon.channel.clear();
    await daemon.restart({ gateway: { enabled: false } });
    await daemon.channel.ask('/device phone', deviceWords.en.noGateway);
    await daemon.channel.ask('/pair', peopleWords.en.whichCode);
  });
});

describe('a WebSocket', () => {
  test('is opened with a token in the subprotocol, which is never said back', async () => {
    const setting = await gatewaySetting();
    const client = setting.open({ protocols: ['clawseed.v1', `bearer.${await setting.token()}`] });
    await client.whenOpen();
    expect(client.socket.protocol).toBe('clawseed.v1');
  });

  test('is opened with a ticket, once, and not for long', async () => {
    const { setting, token } = await pairedSetting();
    const ticket = (): Promise<string> => ticketOf(setting, token);
    const good = await ticket();
    await setting.open({ query: `ticket=${good}` }).whenOpen();
    expect(await setting.open({ query: `ticket=${good}` }).whenRefused()).toBe(401);
    const late = await ticket();
    setting.daemon.clock.advance(30_000);
    expect(await setting.open({ query: `ticket=${late}` }).whenRefused()).toBe(401);
    expect((await setting.ask(`/api/tools?ticket=${await ticket()}`)).status).toBe(401);
  });

  test('is opened with the ticket of one device, however many another one asks for', async () => {
    const setting = await gatewaySetting();
    const [one, other] = [await setting.token('one'), await setting.token('other')];
    const good = await ticketOf(setting, one);
    const own = await ticketOf(setting, other);
    const second = await ticketOf(setting, one);
    for (let count = 0; count < 20; count += 1) await ticketOf(setting, other);
    expect(await setting.open({ query: `ticket=${own}` }).whenRefused()).toBe(401);
    for (const ticket of [good, second]) await setting.open({ query: `ticket=${ticket}` }).whenOpen();
  });

  test('is not opened with a token in its address, nor with a wrong one, nor elsewhere', async () => {
    const { setting, token } = await pairedSetting();
    expect(await setting.open({ query: `token=${token}` }).whenRefused()).toBe(400);
    expect(await setting.open({ token: 'f'.repeat(64) }).whenRefused()).toBe(401);
    expect(await setting.open().whenRefused()).toBe(401);
    expect(await setting.open({ token, path: '/ws/other' }).whenRefused()).toBe(404);
  });

  test('is refused beyond the limit of a person’s connections, until one closes', async () => {
    const setting = await gatewaySetting({ gateway: { max_connections_per_person: 2 } });
    const [one, other] = [await setting.token('one'), await setting.token('other')];
    const first = await setting.device({ token: one });
    await setting.device({ token: other });
    expect(await setting.open({ token: one }).whenRefused()).toBe(429);
    first.socket.close();
    await first.whenClosed();
    await setting.device({ token: one });
  });
});

async function ticketOf(setting: GatewaySetting, token: string): Promise<string> {
  const body: unknown = await (await setting.ask('/api/ticket', token, { method: 'POST' })).json();
  return isJsonObject(body) ? String(body.ticket) : '';
}
