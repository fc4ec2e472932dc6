import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callHash } from '../../../../src/approval/verdict.ts';
import { mayBeCalled, nameTools } from '../../../../src/features/devices/remote/remote-tools.ts';
import { type RemoteSetting, remoteSetting, spec } from './remote-setting.ts';

const phone = { id: 'phone1', name: 'Phone' };
const tv = { id: 'tv1', name: 'TV' };

/** What a person approves when the model calls it so. */
async function hashOf({ registry, scope, workspace }: RemoteSetting, name: string): Promise<string> {
  const found = await registry.get(name, scope.call({ workspace }));
  const preparation = await found?.tool.prepare({});
  if (found === undefined || preparation?.valid !== true) throw new Error(`no tool ${name}`);
  const { fingerprint = '' } = preparation.call;
  return callHash({ definition: await found.tool.spec(), source: found.source, arguments: {}, workspace, fingerprint });
}

describe('tools of the same name on two devices', () => {
  test('are called by their devices, and the model is told which is which', async () => {
    const setting = await remoteSetting();
    setting.device(phone).offer(spec('notify'), spec('ring'));
    setting.device(tv).offer(spec('notify'));
    const told = await setting.registry.definitions(setting.scope());
    expect(told.map(({ name, description }) => [name, description])).toEqual([
      ['Phone__notify', 'On the device "Phone": The tool notify.'],
      ['TV__notify', 'On the device "TV": The tool notify.'],
      ['ring', 'On the device "Phone": The tool ring.'],
    ]);
  });

  test('each reach their own device', async () => {
    const setting = await remoteSetting();
    const [one, other] = [setting.device(phone), setting.device(tv)];
    one.offer(spec('notify'));
    other.offer(spec('notify'));
    await setting.begin('TV__notify');
    expect([one.requests.length, other.requests.length]).toEqual([0, 1]);
    expect(other.requests[0]?.name).toBe('notify');
  });

  test('what was approved before the other device came is still the same call', async () => {
    const setting = await remoteSetting();
    const one = setting.device(phone);
    one.offer(spec('notify'));
    const approved = await hashOf(setting, 'notify');
    const other = setting.device(tv);
    other.offer(spec('notify'));
    expect(setting.names()).toEqual(['Phone__notify', 'TV__notify']);
    expect(await hashOf(setting, 'notify')).toBe(approved);
    await setting.begin('notify');
    expect([one.requests.length, other.requests.length]).toEqual([1, 0]);
  });

  test('what was approved for one device is another call when only the other one is left', async () => {
    const setting = await remoteSetting();
    const one = setting.device(phone);
    one.offer(spec('notify'));
    const approved = await hashOf(setting, 'notify');
    one.leave();
    setting.device(tv).offer(spec('notify'));
    expect(await hashOf(setting, 'notify')).not.toBe(approved);
  });

  test('what was approved is another call when the name has become that of another tool', async () => {
    const setting = await remoteSetting();
    const one = setting.device(phone);
    one.offer(spec('notify', { description: 'Same.' }));
    setting.device(tv).offer(spec('notify'));
    const approved = await hashOf(setting, 'Phone__notify');
    one.socket.withdraw(['notify']);
    one.offer(spec('Phone__notify', { description: 'Same.' }));
    expect(await hashOf(setting, 'Phone__notify')).not.toBe(approved);
  });

  test('what was approved under the name with the device goes on when the other one has left', async () => {
    const setting = await remoteSetting();
    setting.device(phone).offer(spec('notify'));
    const other = setting.device(tv);
    other.offer(spec('notify'));
    const approved = await hashOf(setting, 'Phone__notify');
    other.leave();
    expect(setting.names()).toEqual(['notify']);
    expect(await hashOf(setting, 'Phone__notify')).toBe(approved);
  });

  test('what was approved is the same call when the device has connected again, and another when it is described again', async () => {
    const setting = await remoteSetting();
    const one = setting.device(phone);
    one.offer(spec('notify'));
    const approved = await hashOf(setting, 'notify');
    one.leave();
    const back = setting.device(phone);
    back.offer(spec('notify'));
    expect(await hashOf(setting, 'notify')).toBe(approved);
    back.offer(spec('notify', { description: 'Wipes the phone.' }));
    expect(await hashOf(setting, 'notify')).not.toBe(approved);
  });
});

describe('names for models', () => {
  const free = (): boolean => false;

  test('two devices that are called the same are told apart by a mark', () => {
    const tools = [
      { device: { id: 'a', name: 'Phone!' }, tool: 'x' },
      { device: { id: 'b', name: 'Phone' }, tool: 'x' },
    ];
    const names = [...nameTools(tools, free).keys()];
    expect(names).toEqual([
      expect.stringMatching(/^Phone__x_[0-9a-f]{8}$/),
      expect.stringMatching(/^Phone__x_[0-9a-f]{8}$/),
    ]);
    expect(new Set(names).size).toBe(2);
  });

  test.each([
    ['Küche & Büro', 'Kuche_Buro__x'],
    ['📱', 'device__x'],
    ['2nd phone', 'device_2nd_phone__x'],
    ['__proto__', 'proto__x'],
  ])('%s becomes %s', (name, expected) => {
    const tools = [
      { device: { id: 'a', name }, tool: 'x' },
      { device: { id: 'b', name: 'Other' }, tool: 'x' },
    ];
    expect([...nameTools(tools, free).keys()]).toEqual([expected, 'Other__x']);
  });

  test('each tool has a name that all models take, nobody else has, and that is the same in any order', () => {
    const tool = fc.record({
      device: fc.constantFrom(
        { id: '1', name: 'Phone' },
        { id: '2', name: 'phone' },
        { id: '3', name: 'Phone' },
        { id: '4', name: 'a'.repeat(60) },
        { id: '5', name: 'Phone__a' },
      ),
      tool: fc.constantFrom('a', 'b', 'Phone__a', 'phone__a', 'Phone__a__b', 'a__b', 'b'.repeat(64), 'b'.repeat(50)),
    });
    const tools = fc.uniqueArray(tool, { selector: ({ device, tool: name }) => `${device.id}/${name}`, maxLength: 30 });
    fc.assert(
      fc.property(tools, (all) => {
        const named = nameTools(all, free);
        expect(named.size).toBe(all.length);
        for (const [name, one] of named) {
          expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
          expect(mayBeCalled(one, name)).toBe(true);
        }
        expect(nameTools([...all].reverse(), free)).toEqual(named);
      }),
      { seed: 7, numRuns: Number(process.env.KEYTURN_PROPERTY_RUNS ?? 200) },
    );
  });

  test('a name that is taken is given to none', () => {
    const tools = [{ device: phone, tool: 'x' }];
    expect(nameTools(tools, (name) => name === 'x').size).toBe(0);
  });
});
