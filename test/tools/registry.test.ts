import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { llmOnly } from '../../src/tools/output.ts';
import {
  createToolRegistry,
  isOfferedBy,
  type OfferRules,
  registrationOf,
  type ToolRegistration,
  type ToolRegistry,
} from '../../src/tools/registry.ts';
import { defineTool, type Tool, type ToolCategory } from '../../src/tools/tool.ts';
import { type LogLine, recordingLog, scopeIn } from './setting.ts';

const scope = scopeIn('/tmp');
const builtin = { type: 'builtin' } as const;
const custom = { type: 'custom' } as const;
const remote = (device: string) => ({ type: 'remote', device }) as const;

function tool(name: string, description = `Does ${name}.`, category: ToolCategory = 'memory'): Tool {
  return defineTool({
    name,
    description,
    category,
    input: z.strictObject({}),
    describeCall: () => name,
    execute: async () => llmOnly(description),
  });
}

const registration = (name: string, description?: string): ToolRegistration => registrationOf(tool(name, description));

function setting(): { registry: ToolRegistry; lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { registry: createToolRegistry({ log: recordingLog(lines) }), lines };
}

const descriptions = async (registry: ToolRegistry): Promise<readonly string[]> =>
  (await registry.definitions(scope)).map((definition) => definition.description);

describe('names', () => {
  test('a name that is taken is refused, with who has it', () => {
    const { registry } = setting();
    registry.register(registration('a'), { type: 'plugin', name: 'weather' });
    expect(() => registry.register(registration('a'), custom)).toThrow(
      'There is a tool "a" already, from plugin weather',
    );
    expect(registry.list(scope)).toEqual([
      { name: 'a', category: 'memory', source: { type: 'plugin', name: 'weather' } },
    ]);
  });

  test.each(['', 'a b', 'ä', 'x'.repeat(65), 'a.b'])('%j is refused as a name', (name) => {
    expect(() => setting().registry.register(registration(name), builtin)).toThrow('is no name for a tool');
  });
});

describe('standing in', () => {
  test('a custom tool stands in for a builtin, which comes back when it goes', async () => {
    const { registry } = setting();
    registry.register(registration('shell', 'Builtin.'), builtin);
    registry.register(registration('shell', 'Custom.'), custom);
    expect(await descriptions(registry)).toEqual(['Custom.']);
    expect(await registry.get('shell', scope)).toMatchObject({ source: custom });
    registry.unregister(custom, 'shell');
    expect(await descriptions(registry)).toEqual(['Builtin.']);
  });

  test.each([
    remote('1'),
    { type: 'plugin', name: 'p' },
    { type: 'mcp', server: 's' },
    { type: 'composed' },
    { type: 'delegate' },
  ] as const)('$type never takes the place of what another source brought', async (source) => {
    for (const owner of [builtin, custom, remote('2')]) {
      const { registry } = setting();
      registry.register(registration('a', 'First.'), owner);
      expect(() => registry.register(registration('a', 'Second.'), source)).toThrow('There is a tool "a" already');
      expect(await descriptions(registry)).toEqual(['First.']);
    }
  });

  test('a source that brings its tool again brings the new one, and takes just its own when it goes', async () => {
    const { registry } = setting();
    registry.register(registration('a', 'Old.'), remote('1'));
    registry.register(registration('b', 'Other.'), remote('2'));
    registry.register(registration('a', 'New.'), remote('1'));
    registry.unregister(remote('1'), 'b');
    expect(await descriptions(registry)).toEqual(['New.', 'Other.']);
    registry.unregister(remote('1'));
    expect(registry.list(scope).map(({ name }) => name)).toEqual(['b']);
  });
});

describe('definitions', () => {
  test('stand in the same bytes whatever the order of registration', async () => {
    const names = ['zeta', 'alpha', 'Beta', '_x', 'alpha2'];
    const texts = await Promise.all(
      [names, names.toReversed()].map(async (some) => {
        const { registry } = setting();
        for (const name of some) registry.register(registration(name), builtin);
        return JSON.stringify(await registry.definitions(scope));
      }),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]?.indexOf('"alpha"')).toBeLessThan(texts[0]?.indexOf('"zeta"') ?? 0);
  });

  test('can be shortened', async () => {
    const { registry } = setting();
    registry.register(registration('a', 'Does a, e.g. v1.2 of it. And much more.'), builtin);
    registry.register(registrationOf(tool('b', 'First line\nsecond', 'shell')), builtin);
    const inShort = async () => (await registry.definitions(scope)).map(registry.inShort);
    const short = await inShort();
    expect(short.map(({ description }) => description)).toEqual(['Does a, e.g. v1.2 of it.', 'First line']);
    expect((await inShort())[0]).toBe(short[0]);
  });

  test('a factory is asked once what it is, a dynamic one each time', async () => {
    const { registry } = setting();
    const made = { fixed: 0, dynamic: 0 };
    const counted = (name: 'fixed' | 'dynamic'): ToolRegistration => ({
      name,
      category: 'memory',
      dynamic: name === 'dynamic',
      create: () => {
        made[name] += 1;
        return tool(name);
      },
    });
    registry.register(counted('fixed'), builtin);
    registry.register(counted('dynamic'), builtin);
    for (let round = 0; round < 3; round++) await registry.definitions(scope);
    expect(made).toEqual({ fixed: 1, dynamic: 3 });
  });

  test('are found out before anybody asks, but for those that depend on the scope, and asked for again where that failed', async () => {
    const { registry } = setting();
    const asked: string[] = [];
    const telling = (name: string, fails = 0): ToolRegistration => ({
      ...registration(name),
      definition: async () => {
        asked.push(name);
        if (asked.filter((one) => one === name).length <= fails) throw new Error('not now');
        return tool(name).spec();
      },
    });
    registry.register(telling('a'), builtin);
    registry.register(telling('b', 1), builtin);
    registry.register(
      { ...registration('c'), create: () => tool('c', `Asked ${asked.length} times before.`) },
      builtin,
    );
    await registry.learn();
    expect(asked).toEqual(['a', 'b']);
    expect(await descriptions(registry)).toEqual(['Does a.', 'Does b.', 'Asked 3 times before.']);
    expect(asked).toEqual(['a', 'b', 'b']);
  });

  test('a tool that cannot be made is absent, alone, and the log says why', async () => {
    const { registry, lines } = setting();
    registry.register(registration('good'), builtin);
    registry.register(
      { name: 'bad', category: 'memory', create: () => Promise.reject(new Error('no connection')) },
      custom,
    );
    registry.register({ name: 'liar', category: 'memory', create: () => tool('liar', 'x', 'shell') }, custom);
    expect(await descriptions(registry)).toEqual(['Does good.']);
    expect(await registry.get('bad', scope)).toBeUndefined();
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn']);
    expect(lines[0]?.fields).toMatchObject({
      tool: 'bad',
      source: 'custom',
      err: expect.objectContaining({ message: 'no connection' }),
    });
  });
});

const shell = { name: 'shell', category: 'shell' } as const;
const readFile = { name: 'read_file', category: 'filesystem_read' } as const;
const writeFile = { name: 'write_file', category: 'filesystem_write' } as const;

const inTeam = {
  ...scopeIn('/w'),
  channel: 'slack',
  tenant: 'T1',
  chatId: 'C1',
  threadId: '7',
  conversationId: 'slack:T1:C1:#7',
};

function rules(everywhere: Partial<OfferRules['everywhere']>, places: OfferRules['places'] = {}): OfferRules {
  return { everywhere: { disabled: [], only: ['*'], ...everywhere }, places };
}

describe('what is offered', () => {
  test.each([
    ['all, without rules', rules({}), [true, true, true]],
    ['but a name', rules({ disabled: ['shell'] }), [false, true, true]],
    ['but a pattern', rules({ disabled: ['*_file'] }), [true, false, false]],
    ['but a category', rules({ disabled: ['category:filesystem_write'] }), [true, true, false]],
    ['nothing else than a category', rules({ only: ['category:filesystem_read'] }), [false, true, false]],
    [
      'nothing else than these, but for what is off',
      rules({ only: ['*_file'], disabled: ['write_file'] }),
      [false, true, false],
    ],
    ['nothing, where nothing is listed', rules({ only: [] }), [false, false, false]],
  ])('%s', (_what, offers, expected) => {
    expect([shell, readFile, writeFile].map((tool) => isOfferedBy(offers, inTeam, tool))).toEqual(expected);
  });

  test.each(['slack', 'slack:T1', 'slack:T1/C1', 'slack:C1', 'slack:T1:C1:#7'])(
    'less in %s, and elsewhere as ever',
    (place) => {
      const offers = rules({}, { [place]: { disabled: ['shell'], only: ['*'] } });
      expect(isOfferedBy(offers, inTeam, shell)).toBe(false);
      expect(
        isOfferedBy(
          offers,
          { ...inTeam, channel: 'telegram', conversationId: 'telegram:C2', chatId: 'C2', tenant: 'T2' },
          shell,
        ),
      ).toBe(true);
    },
  );

  test('a place never gets more than what is offered everywhere', () => {
    const offers = rules({ disabled: ['shell'] }, { slack: { disabled: [], only: ['*'] } });
    expect(isOfferedBy(offers, inTeam, shell)).toBe(false);
  });

  test.each(['__proto__', 'constructor'])('a chat called %s has no rules of its own', (chatId) => {
    expect(isOfferedBy(rules({}), { ...inTeam, channel: chatId }, shell)).toBe(true);
  });
});
