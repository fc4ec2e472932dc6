import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import { RecordingTool } from '../../../support/recording-tool.ts';
import { oneDevice, remoteSetting, spec } from './remote-setting.ts';

describe('whose tools they are', () => {
  test('a tool of a device is offered under each account of its person', async () => {
    const setting = await remoteSetting();
    setting.device().offer(spec('notify'));
    expect(setting.names('terminal:1')).toEqual(['notify']);
    expect(setting.names('test:ada')).toEqual(['notify']);
  });

  test('nobody else sees it, nor can call it by its name', async () => {
    const setting = await remoteSetting();
    setting.device().offer(spec('notify'));
    expect(setting.names('test:eve')).toEqual([]);
    expect(await setting.registry.get('notify', setting.scope('test:eve'))).toBeUndefined();
    expect(await setting.registry.definitions(setting.scope('test:eve'))).toEqual([]);
  });

  test('nobody else can call it by its name when the device is away', async () => {
    const { setting, device } = await oneDevice();
    device.offer(spec('notify'));
    device.leave();
    expect(await setting.registry.get('notify', setting.scope('test:eve'))).toBeUndefined();
    expect(await setting.registry.get('notify', setting.scope('test:ada'))).toBeDefined();
  });

  test('two people have tools of the same name, each on their own device', async () => {
    const setting = await remoteSetting();
    setting.device().offer(spec('notify', { description: 'Ada’s.' }));
    setting
      .device({ id: 'eve1', name: 'Eve’s', principal: 'test:eve' })
      .offer(spec('notify', { description: 'Eve’s.' }));
    const [told] = await setting.registry.definitions(setting.scope('test:eve'));
    expect(told).toMatchObject({ name: 'notify', description: 'On the device "Eve’s": Eve’s.' });
  });

  test('a socket that closes takes its tools with it, and those of no other socket', async () => {
    const setting = await remoteSetting();
    const [old, young] = [setting.device(), setting.device()];
    old.offer(spec('notify'), spec('ring'));
    young.offer(spec('notify'));
    old.leave();
    expect(setting.names()).toEqual(['notify']);
    young.leave();
    expect(setting.names()).toEqual([]);
  });
});

describe('what is taken of an offer', () => {
  const deep = (levels: number): JsonObject =>
    levels === 0 ? {} : { type: 'object', properties: { a: deep(levels - 1) } };

  test.each<[string, JsonValue, string]>([
    ['no object', 'notify', 'INVALID_SPEC'],
    ['no name', { description: 'x' }, 'INVALID_NAME'],
    ['a name that begins with a digit', spec('1a'), 'INVALID_NAME'],
    ['an empty name', spec(''), 'INVALID_NAME'],
    ['a name with a space', spec('a b'), 'INVALID_NAME'],
    ['a name that is too long', spec('a'.repeat(65)), 'INVALID_NAME'],
    ['a description that is no text', spec('a', { description: 5 }), 'INVALID_SPEC'],
    ['a description that is too long', spec('a', { description: 'x'.repeat(1025) }), 'INVALID_SPEC'],
    ['parameters that are a list', spec('a', { parameters: [] }), 'INVALID_SCHEMA'],
    ['parameters that are a text', spec('a', { parameters: '{}' }), 'INVALID_SCHEMA'],
    ['parameters of another type', spec('a', { parameters: { type: 'string' } }), 'INVALID_SCHEMA'],
    ['parameters that are no schema', spec('a', { parameters: { properties: 5 } }), 'INVALID_SCHEMA'],
    ['parameters that are too large', spec('a', { parameters: { $comment: 'x'.repeat(17_000) } }), 'INVALID_SCHEMA'],
    ['parameters that are nested too deeply', spec('a', { parameters: deep(40) }), 'INVALID_SCHEMA'],
    [
      'parameters that refer to each other',
      spec('a', { parameters: { $defs: { b: {} }, properties: { c: { anyOf: [{ $ref: '#/$defs/b' }] } } } }),
      'INVALID_SCHEMA',
    ],
    ['the name of a builtin tool that is switched off', spec('shell'), 'NAME_RESERVED'],
  ])('%s is rejected', async (_what, entry, code) => {
    const setting = await remoteSetting();
    const { count, registered, accepted, rejected } = setting.device().offer(entry, spec('good'));
    expect({ count, registered, accepted }).toEqual({ count: 2, registered: 1, accepted: ['good'] });
    expect(rejected).toMatchObject([{ index: 0, code }]);
    expect(setting.names()).toEqual(['good']);
  });

  test.each<[string, JsonObject]>([
    ['null', { parameters: null }],
    ['{}', { parameters: {} }],
  ])('parameters %s are none', async (_what, more) => {
    const setting = await remoteSetting();
    setting.device().offer(spec('a', more));
    const [told] = await setting.registry.definitions(setting.scope());
    expect(told?.parameters).toEqual({ type: 'object', properties: {} });
  });

  test('parameters may be missing, and a description too', async () => {
    const setting = await remoteSetting();
    expect(setting.device().offer({ name: 'a' }).accepted).toEqual(['a']);
    const [told] = await setting.registry.definitions(setting.scope());
    expect(told?.description).toBe('The tool a of the device "Phone".');
  });

  test('a tool never takes the place of another source’s', async () => {
    const setting = await remoteSetting();
    setting.registry.register(new RecordingTool('weather', 'network_read').registration, { type: 'mcp', server: 'x' });
    const { rejected } = setting.device().offer(spec('weather'));
    expect(rejected).toMatchObject([{ name: 'weather', code: 'NAME_RESERVED' }]);
    expect(setting.registry.sourceOf('weather')).toEqual({ type: 'mcp', server: 'x' });
  });

  test('a tool of somebody else that comes later goes before it', async () => {
    const setting = await remoteSetting();
    setting.device().offer(spec('weather'));
    setting.registry.register(new RecordingTool('weather', 'network_read').registration, { type: 'plugin', name: 'x' });
    expect(setting.registry.list(setting.scope()).map(({ source }) => source.type)).toEqual(['plugin']);
    const found = await setting.registry.get('weather', setting.scope());
    expect(found?.source).toEqual({ type: 'plugin', name: 'x' });
    setting.registry.unregister({ type: 'plugin', name: 'x' }, 'weather');
    expect(setting.registry.list(setting.scope()).map(({ source }) => source.type)).toEqual(['remote']);
  });

  test('hidden characters are shown to the model', async () => {
    const setting = await remoteSetting();
    setting.device({ name: 'Pho\u202ene' }).offer(spec('a', { description: 'Ri\u200bngs.' }));
    const [told] = await setting.registry.definitions(setting.scope());
    expect(told?.description).toBe('On the device "Pho\\u202ene": Ri\\u200bngs.');
  });

  test('offers add up, and the last of a name in one frame counts', async () => {
    const { setting, device } = await oneDevice();
    expect(device.offer(spec('a'))).toMatchObject({ count: 1, registered: 1 });
    expect(device.offer(spec('b', { description: 'first' }), spec('b', { description: 'last' }))).toEqual({
      count: 2,
      registered: 2,
      accepted: ['b'],
      rejected: [],
    });
    const told = await setting.registry.definitions(setting.scope());
    expect(told.map(({ description }) => description)).toEqual([
      'On the device "Phone": The tool a.',
      'On the device "Phone": last',
    ]);
  });

  test('a socket has 64 tools at most, and may describe those again', async () => {
    const { device } = await oneDevice();
    const many = Array.from({ length: 70 }, (_, index) => spec(`t${index}`));
    const { registered, rejected } = device.offer(...many);
    expect(registered).toBe(64);
    expect(rejected.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 'TOO_MANY'));
    expect(device.offer(spec('t3', { description: 'anew' })).accepted).toEqual(['t3']);
  });

  test('an offer without end costs a short answer', async () => {
    const setting = await remoteSetting();
    const { count, rejected } = setting.device().offer(...Array.from({ length: 100_000 }, () => 1));
    expect(count).toBe(100_000);
    expect(rejected).toHaveLength(257);
  });

  test('a device that describes ever new tools has to wait', async () => {
    const { setting, device } = await oneDevice();
    const large = (name: string): JsonObject => spec(name, { parameters: { $comment: name.padEnd(16_000, 'x') } });
    const many = Array.from({ length: 20 }, (_, index) => large(`t${index}`));
    expect(device.offer(...many).accepted).toHaveLength(16);
    expect(setting.device({ id: 'tv1', name: 'TV' }).offer(large('other')).accepted).toEqual(['other']);
    // What is known already costs nothing.
    expect(device.offer(...many.slice(0, 16)).accepted).toHaveLength(16);
    setting.clock.advance(60_000);
    expect(device.offer(...many).accepted).toHaveLength(20);
  });

  test('what is withdrawn is gone', async () => {
    const { setting, device } = await oneDevice();
    device.offer(spec('a'), spec('b'));
    expect(device.socket.withdraw(['a', 'a', 'x'])).toEqual({ removed: ['a'], registered: 1 });
    expect(device.socket.offered().map(({ name }) => name)).toEqual(['b']);
    expect(setting.names()).toEqual(['b']);
  });
});

describe('what the operator allows', () => {
  test('by the id of a device, else by its name, else by a star', async () => {
    const allowed = { '*': ['get_*'], Phone: ['*'], tv1: ['notify'] };
    const setting = await remoteSetting({ allowed });
    const offer = (id: string, name: string) =>
      setting.device({ id, name }).offer(spec('get_time'), spec('notify'), spec('ring')).accepted;
    expect(offer('a', 'Phone')).toEqual(['get_time', 'notify', 'ring']);
    expect(offer('tv1', 'Phone')).toEqual(['notify']);
    expect(offer('b', '__proto__')).toEqual(['get_time']);
  });

  test('nothing where it is not allowed at all', async () => {
    const setting = await remoteSetting({ enabled: false });
    expect(setting.device().offer(spec('a')).rejected).toMatchObject([{ code: 'NOT_ALLOWED' }]);
    const other = await remoteSetting({ allowed: { tv: ['*'] } });
    expect(other.device().offer(spec('a')).rejected).toMatchObject([{ code: 'NOT_ALLOWED' }]);
  });

  test('the category is the operator’s, else it is hardware', async () => {
    const setting = await remoteSetting({ categories: { 'get_*': 'network_read', '*': 'destructive' } });
    setting.device().offer(spec('get_time'), spec('wipe'));
    expect(setting.registry.list(setting.scope()).map(({ category }) => category)).toEqual([
      'network_read',
      'destructive',
    ]);
    const plain = await remoteSetting();
    plain.device().offer(spec('a'));
    expect(plain.registry.list(plain.scope())[0]?.category).toBe('hardware');
  });
});
