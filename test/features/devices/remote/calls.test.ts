import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deviceWords } from '../../../../src/features/devices/words.ts';
import { prepared } from '../../../tools/setting.ts';
import { type FakeDevice, oneDevice, type RemoteSetting, remoteSetting, spec } from './remote-setting.ts';

/** A call that has reached the device. */
async function asked(setting: RemoteSetting, device: FakeDevice, name = 'notify', changed = {}) {
  device.offer(spec(name, { parameters: { type: 'object', properties: { text: { type: 'string' } } } }));
  const { ending } = await setting.begin(name, {}, changed);
  expect(device.requests).toHaveLength(1);
  return { ending };
}

describe('a call of a device’s tool', () => {
  test('reaches the device with its name, its arguments, its time and nothing else', async () => {
    const { setting, device } = await oneDevice();
    device.offer(spec('notify', { parameters: { type: 'object', properties: { text: { type: 'string' } } } }));
    const { ending } = await setting.begin('notify', { text: 'hi' }, { callId: 'call-7' });
    const [request] = device.requests;
    expect(request).toEqual({
      type: 'tool_call_request',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'notify',
      args: { text: 'hi' },
      timeout_ms: 30_000,
      tool_call_id: 'call-7',
    });
    expect(device.answer({ output: 'shown' })).toBe('accepted');
    expect((await ending).output).toMatchObject({ forLlm: 'shown', isError: false, untrusted: 'device Phone' });
  });

  test('is described with the tool and its device in the language of who reads its card', async () => {
    const { setting, device } = await oneDevice();
    device.offer(spec('notify'));
    const found = await setting.registry.get('notify', setting.scope());
    const names = { tool: '`notify`', device: '`Phone`' };
    const described = found && (await prepared(found.tool, {}));
    expect(described?.describe()).toContain(deviceWords.en.toolOnDevice(names));
    expect(described?.describe('zh')).toContain(deviceWords.zh.toolOnDevice(names));
  });

  test('does not reach it with arguments that its schema forbids', async () => {
    const { setting, device } = await oneDevice();
    device.offer(
      spec('alarm', { parameters: { type: 'object', properties: { hour: { type: 'integer', maximum: 23 } } } }),
    );
    await expect(setting.begin('alarm', { hour: 24 })).rejects.toThrow('hour');
    await setting.begin('alarm', { hour: '7' });
    expect(device.requests.map(({ args }) => args)).toEqual([{ hour: 7 }]);
  });

  test.each<[string, object, string, boolean]>([
    ['an error', { success: false, output: '', error: 'camera off' }, 'camera off', true],
    ['an error that is said twice', { success: false, output: 'no', error: 'no' }, 'no', true],
    ['an error beside a partial output', { success: false, output: 'half', error: 'no' }, 'no\n\nhalf', true],
    ['a failure without words', { success: false, output: '' }, 'It failed, and does not say why.', true],
    ['nothing', { output: '' }, 'It answered nothing.', false],
    ['null', { output: null }, 'It answered nothing.', false],
    ['JSON', { output: { level: 3 } }, '{\n  "level": 3\n}', false],
    ['false', { output: false }, 'false', false],
  ])('may answer %s', async (_what, result, forLlm, isError) => {
    const { setting, device } = await oneDevice();
    const { ending } = await asked(setting, device);
    device.answer(result);
    expect((await ending).output).toMatchObject({ forLlm, isError, untrusted: 'device Phone' });
  });

  test('is answered once, by the socket that was asked', async () => {
    const { setting, device } = await oneDevice();
    const other = setting.device({ id: 'tv1', name: 'TV' });
    const { ending } = await asked(setting, device);
    const [request] = device.requests;
    const id = request?.id ?? '';
    expect(other.answer({ id, output: 'forged' })).toBe('unknown');
    expect(device.answer({ id: 'made-up' })).toBe('unknown');
    expect(device.answer({ output: 'first' })).toBe('accepted');
    expect(device.answer({ output: 'second' })).toBe('duplicate');
    expect((await ending).output.forLlm).toBe('first');
  });

  test('is over after its time: the device is told, and what it says later is late', async () => {
    const { setting, device } = await oneDevice({ timeouts: { 'slow_*': 90 } });
    const { ending } = await asked(setting, device, 'slow_scan');
    setting.clock.advance(89_999);
    expect(device.cancelled).toEqual([]);
    setting.clock.advance(1);
    expect(device.cancelled).toEqual(['timeout']);
    const { output } = await ending;
    expect(output).toMatchObject({ isError: true, untrusted: 'device Phone' });
    expect(output.forLlm).toContain('gave no sign of life for 90 s');
    expect(device.answer()).toBe('late');
  });

  test('is over when it is stopped: the device is told', async () => {
    const { setting, device } = await oneDevice();
    const stop = new AbortController();
    const { ending } = await asked(setting, device, 'notify', { signal: stop.signal });
    stop.abort();
    expect(device.cancelled).toEqual(['aborted']);
    expect((await ending).output.isError).toBe(true);
    expect(device.answer()).toBe('late');
  });

  test('shows its progress, and has its time again with each sign of life, for ten minutes at most', async () => {
    const { setting, device } = await oneDevice();
    const shown: string[] = [];
    const { ending } = await asked(setting, device, 'notify', { progress: (status: string) => shown.push(status) });
    for (let seconds = 0; seconds < 590; seconds += 20) {
      setting.clock.advance(20_000);
      device.progress(`at ${seconds}\u202e`);
    }
    expect(shown[1]).toBe('at 20\\u202e');
    // The runner's own time is over at the same moment; whichever is first.
    expect((await ending).output.isError).toBe(true);
    expect(device.cancelled).toEqual(['timeout']);
  });

  test('fails in the same tick when the device is disconnected', async () => {
    const { setting, device } = await oneDevice();
    const { ending } = await asked(setting, device);
    let isOver = false;
    void ending.then(() => {
      isOver = true;
    });
    device.leave();
    for (let ticks = 0; ticks < 20; ticks += 1) await Promise.resolve();
    expect(isOver).toBe(true);
    expect((await ending).output.forLlm).toContain('the outcome is unknown');
    expect(setting.clock.waits).toEqual([]);
  });

  test('cannot be answered by the socket with which the device comes back', async () => {
    const { setting, device } = await oneDevice();
    await asked(setting, device);
    const id = device.requests[0]?.id ?? '';
    device.leave();
    const back = setting.device();
    back.offer(spec('notify'));
    expect(back.answer({ id })).toBe('unknown');
    expect(back.requests).toEqual([]);
  });

  test('is not repeated on another socket of the device, if that could do harm', async () => {
    const setting = await remoteSetting();
    const [old, young] = [setting.device(), setting.device()];
    old.offer(spec('notify'));
    const { ending } = await asked(setting, young);
    young.leave();
    expect((await ending).output.isError).toBe(true);
    expect(old.requests).toEqual([]);
  });
});

describe('a call that does no harm twice', () => {
  test('is asked again, with another id, when the device is back in time', async () => {
    const { setting, device } = await oneDevice({ idempotent: ['get_*'] });
    const { ending } = await asked(setting, device, 'get_time');
    device.leave();
    setting.clock.advance(20_000);
    const back = setting.device();
    back.offer(spec('other'));
    await Promise.resolve();
    expect(back.requests).toEqual([]);
    back.offer(spec('get_time', { parameters: { type: 'object', properties: { text: { type: 'string' } } } }));
    await expect.poll(() => back.requests).toHaveLength(1);
    expect(back.requests[0]?.id).not.toBe(device.requests[0]?.id);
    expect(back.requests[0]?.timeout_ms).toBe(10_000);
    back.answer({ output: 'noon' });
    expect((await ending).output.forLlm).toBe('noon');
  });

  test('is asked at once on another socket of the device', async () => {
    const setting = await remoteSetting({ idempotent: ['get_*'] });
    const old = setting.device();
    old.offer(spec('get_time', { parameters: { type: 'object', properties: { text: { type: 'string' } } } }));
    const young = setting.device();
    const { ending } = await asked(setting, young, 'get_time');
    young.leave();
    await expect.poll(() => old.requests).toHaveLength(1);
    old.answer({ output: 'noon' });
    expect((await ending).output.forLlm).toBe('noon');
  });

  test('is over after its time, if the device does not come back', async () => {
    const { setting, device } = await oneDevice({ idempotent: ['get_*'] });
    const { ending } = await asked(setting, device, 'get_time');
    device.leave();
    setting.clock.advance(30_000);
    expect((await ending).output.forLlm).toContain('no sign of life');
    expect(setting.clock.waits).toEqual([]);
  });

  test('may run again after the process has ended', async () => {
    const setting = await remoteSetting({ idempotent: ['get_*'] });
    setting.device().offer(spec('get_time'), spec('set_time'));
    const facets = async (name: string) => {
      const preparation = await (await setting.registry.get(name, setting.scope()))?.tool.prepare({});
      return preparation?.valid === true ? preparation.call.facets : undefined;
    };
    expect(await facets('get_time')).toEqual({ repeatable: true, brings: 'device Phone' });
    expect(await facets('set_time')).toEqual({ brings: 'device Phone' });
  });
});

describe('a device that is away', () => {
  test('did nothing, if it does not come', async () => {
    const { setting, device } = await oneDevice();
    device.offer(spec('notify'));
    device.leave();
    const { ending } = await setting.begin('notify');
    setting.clock.advance(30_000);
    expect((await ending).output.forLlm).toContain('nothing was done');
    setting.clock.advance(1_800_000);
    expect(await setting.registry.get('notify', setting.scope())).toBeUndefined();
  });

  test('is not asked by a socket that takes nothing, but by another one', async () => {
    const setting = await remoteSetting();
    const [old, young] = [setting.device(), setting.device()];
    old.offer(spec('notify'));
    young.offer(spec('notify'));
    young.line.isOpen = false;
    const { ending } = await setting.begin('notify');
    old.answer({ output: 'shown' });
    expect((await ending).output.forLlm).toBe('shown');
  });
});

describe('what cannot be taken', () => {
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
  test.each<[string, object, string]>([
    ['an output that is nested too deeply', { output: nested(70) }, 'nested too deeply'],
    ['an output that is too large', { output: 'x'.repeat(10_001) }, 'larger than 10000 bytes'],
    ['content that is nothing known', { content: [{ type: 'spell' }] }, 'neither text, image'],
    ['content that is no object', { content: ['x'] }, 'no object'],
    ['a picture that is no base64', { content: [{ type: 'image', data: '%%%' }] }, 'no base64'],
    ['a part that never came', { content: [{ type: 'image', part: 'a' }] }, 'missing'],
    ['too many items', { content: Array.from({ length: 51 }, () => ({ type: 'text', text: 'x' })) }, 'more than 50'],
  ])('%s ends the call', async (_what, result, why) => {
    const { setting, device } = await oneDevice();
    const { ending } = await asked(setting, device);
    expect(device.answer(result)).toBe('invalid');
    expect((await ending).output).toMatchObject({ isError: true, forLlm: expect.stringContaining(why) });
    expect(device.answer()).toBe('duplicate');
  });

  test.each<[string, (device: FakeDevice) => string]>([
    ['pieces out of order', (device) => device.chunk('a', 1, Buffer.from('x'), false)],
    ['too much', (device) => device.chunk('a', 0, Buffer.alloc(10_001), true)],
    [
      'more than is whole',
      (device) => {
        device.chunk('a', 0, Buffer.from('x'), true);
        return device.chunk('a', 1, Buffer.from('x'), true);
      },
    ],
  ])('%s end the call, and the device is told', async (_what, send) => {
    const { setting, device } = await oneDevice();
    const { ending } = await asked(setting, device);
    expect(send(device)).toBe('invalid');
    expect(device.cancelled).toEqual(['aborted']);
    expect((await ending).output.isError).toBe(true);
    expect(device.chunk('a', 0, Buffer.from('x'), true)).toBe('duplicate');
  });
});

describe('pictures and files', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );

  test('are saved in the workspace, shown to the person, and named to the model', async () => {
    const { setting, device } = await oneDevice();
    const { ending } = await asked(setting, device);
    device.answer({
      output: 'Here.',
      content: [{ type: 'image', media_type: 'image/png', data: png.toString('base64') }],
    });
    const { output } = await ending;
    const [, path = ''] = /saved as (\S+),/.exec(output.forLlm) ?? [];
    expect(path).toMatch(/^\.keyturn\/devices\/.*\.png$/);
    expect(output.forLlm).toMatch(/^Here\.\n\n\[image\/png, .* shown to the person/);
    expect(await readFile(join(setting.workspace, path))).toEqual(png);
    expect(output.files?.files).toMatchObject([{ mediaType: 'image/png', from: path }]);
    expect(output.pictures).toEqual([{ path }]);
  });

  test('may come in pieces before the result', async () => {
    const { setting, device } = await oneDevice();
    const { ending } = await asked(setting, device);
    expect(device.chunk('photo', 0, png.subarray(0, 30), false)).toBe('accepted');
    setting.clock.advance(29_000);
    expect(device.chunk('photo', 1, png.subarray(30), true)).toBe('accepted');
    setting.clock.advance(29_000);
    device.answer({ output: '', content: [{ type: 'file', name: '../../photo.png', part: 'photo' }] });
    const { output } = await ending;
    const [, path = ''] = /saved as (\S+),/.exec(output.forLlm) ?? [];
    expect(path).toMatch(/^\.keyturn\/devices\/[^/]*photo\.png$/);
    expect(await readFile(join(setting.workspace, path))).toEqual(png);
  });
});
