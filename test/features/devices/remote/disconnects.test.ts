import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { DeviceClient } from '../../../support/gateway/device-client.ts';
import { type GatewaySetting, gatewaySetting, pairedSetting } from '../../../support/gateway/gateway-setting.ts';
import { call, resultsOf } from '../../../support/scripted-model.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { spec } from './remote-setting.ts';

async function connected(setting: GatewaySetting, token: string): Promise<DeviceClient> {
  const device = await setting.device({ token });
  await device.offer(spec('notify'));
  return device;
}

/** The model calls the tool of Ada's phone for her on the test channel. */
async function scene(category: string, idempotent: readonly string[] = []) {
  const { setting, token } = await pairedSetting({
    config: { remote_tools: { categories: { '*': category }, idempotent } },
  });
  const device = await connected(setting, token);
  const { model, channel } = setting.daemon;
  model.next([call('notify', {})], 'noted');
  await channel.say('notify me');
  return {
    setting,
    token,
    device,
    /** The same device, on another socket, with the same tools. */
    back: () => connected(setting, token),
    /** What the model is told of the call. */
    result: async () => {
      const request = await model.changes.waitFor(
        () => model.requests.find((one) => one.messages.some(({ role }) => role === 'results')),
        { what: 'the result of the call' },
      );
      return resultsOf(request).at(-1) ?? '';
    },
  };
}

/** Resolves when the call waits for the device. */
async function begun({ daemon }: GatewaySetting): Promise<void> {
  await waitUntil(() => daemon.rows(`SELECT id FROM calls WHERE state = 'begun'`).length === 1);
  // The timer of the call begins together with the call.
  await daemon.clock.waitsFor(600_000);
}

const unknown = /disconnected while it worked: the outcome is unknown/;

describe('a device that goes away', () => {
  test('while the card waits, and is back when it is approved: it is asked on its new socket', async () => {
    const { setting, device, back, result } = await scene('hardware');
    const { channel } = setting.daemon;
    const card = await channel.card();
    await device.vanish();
    const again = await back();
    await channel.press(card);
    const { id = '' } = await again.next('tool_call_request');
    again.send({ type: 'tool_result', id, output: 'shown' });
    expect(await result()).toBe('shown');
  });

  test('while the card waits, and is not back when it is approved: it is waited for', async () => {
    const { setting, device, back, result } = await scene('hardware');
    const { channel } = setting.daemon;
    const card = await channel.card();
    await device.vanish();
    await channel.press(card);
    await begun(setting);
    const again = await back();
    const { id = '' } = await again.next('tool_call_request');
    again.send({ type: 'tool_result', id, output: 'shown' });
    expect(await result()).toBe('shown');
  });

  test('while the card waits, and does not come back: nothing was done', async () => {
    const { setting, device, result } = await scene('hardware');
    const { channel, clock } = setting.daemon;
    const card = await channel.card();
    await device.vanish();
    await channel.press(card);
    await begun(setting);
    clock.advance(30_000);
    expect(await result()).toContain('is not connected, and nothing was done');
  });

  test('while the card waits, and comes back with another tool of that name: it is another call', async () => {
    const { setting, token, device, result } = await scene('hardware');
    const { channel } = setting.daemon;
    const card = await channel.card();
    await device.vanish();
    const again = await setting.device({ token });
    await again.offer(spec('notify', { description: 'Wipes the phone.' }));
    await channel.press(card);
    expect(await result()).toMatch(/changed/);
    expect(again.all('tool_call_request')).toEqual([]);
  });

  test.each<[string, readonly JsonObject[]]>([
    ['when it was asked', []],
    ['after it has said how far it is', [{ type: 'tool_progress', message: 'half' }]],
    ['in the middle of a file', [{ type: 'tool_result_chunk', part: 'a', index: 0, data: 'AAAA', last: false }]],
  ])('%s: the outcome is unknown', async (_when, said) => {
    const { device, result } = await scene('network_read');
    const { id = '' } = await device.next('tool_call_request');
    for (const frame of said) device.send({ ...frame, id });
    await device.offer();
    await device.vanish();
    expect(await result()).toMatch(unknown);
  });

  test('with its answer on the way: the answer counts', async () => {
    const { device, result } = await scene('network_read');
    const { id = '' } = await device.next('tool_call_request');
    device.send({ type: 'tool_result', id, output: 'shown' });
    device.socket.close();
    expect(await result()).toBe('shown');
  });

  test('and is back in time for what does no harm twice: it is asked again', async () => {
    const { device, back, result } = await scene('network_read', ['notify']);
    const first = await device.next('tool_call_request');
    await device.vanish();
    const again = await back();
    const { id = '', tool_call_id } = await again.next('tool_call_request');
    expect(id).not.toBe(first.id);
    expect(tool_call_id).toBe(first.tool_call_id);
    again.send({ type: 'tool_result', id: first.id ?? '', output: 'of old' });
    expect(await again.next('result_acknowledged')).toMatchObject({ status: 'unknown' });
    again.send({ type: 'tool_result', id, output: 'shown' });
    expect(await result()).toBe('shown');
  });

  test('does not keep the process from being stopped while it is waited for', async () => {
    const { setting, device } = await scene('network_read', ['notify']);
    await device.next('tool_call_request');
    await device.vanish();
    const { clock } = setting.daemon;
    const stopped = setting.daemon.stop();
    // So long may tools go on when the process is to end.
    await clock.waitsFor(2_500);
    clock.advance(2_500);
    await stopped;
    expect(setting.daemon.rows(`SELECT name, state FROM calls`)).toEqual([{ name: 'notify', state: 'begun' }]);
  });

  test('leaves the journal with one end for the call', async () => {
    const { setting, device, result } = await scene('network_read');
    await device.next('tool_call_request');
    await device.vanish();
    await result();
    expect(setting.daemon.rows(`SELECT name, outcome FROM calls`)).toEqual([{ name: 'notify', outcome: 'error' }]);
  });
});

test('what was approved before another device had a tool of that name still reaches the one that was meant', async () => {
  const { setting, device, result } = await scene('hardware');
  const { channel } = setting.daemon;
  const card = await channel.card();
  const tv = await connected(setting, await setting.token('tv'));
  await channel.press(card);
  const { id = '' } = await device.next('tool_call_request');
  device.send({ type: 'tool_result', id, output: 'shown' });
  expect(await result()).toBe('shown');
  expect(tv.all('tool_call_request')).toEqual([]);
  await channel.say('what now?');
  const { tools } = await setting.daemon.model.asked(3);
  expect(tools.map(({ name }) => name).filter((name) => name.includes('notify'))).toEqual([
    'phone__notify',
    'tv__notify',
  ]);
});

test('in a group, a device is there for its own person alone', async () => {
  const setting = await gatewaySetting({ allowFrom: ['bob'] });
  await connected(setting, await setting.token());
  const { channel, model } = setting.daemon;
  const team = { channel: 'test', chatId: 'team', kind: 'group' } as const;
  await channel.say('hello', { by: 'bob', in: team });
  expect(JSON.stringify((await model.asked(1)).tools)).not.toContain('notify');
  await channel.whenIdle(team);
  await channel.say('hello', { by: 'ada', in: team });
  expect(JSON.stringify((await model.asked(2)).tools)).toContain('notify');
});
