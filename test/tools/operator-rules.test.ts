import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../src/lib/log.ts';
import { createCallTools, createRateLimiter } from '../../src/tools/operator-rules.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { createToolRegistry, type ToolRegistration } from '../../src/tools/registry.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { SeededRandom } from '../support/random.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { scopeIn } from './setting.ts';

/** A tool that is made slowly, and records which one it is and what it has seen. */
function numbered(made: string[][], ready: Promise<void> = Promise.resolve()): ToolRegistration {
  const create = async (): Promise<Tool> => {
    const seen: string[] = [];
    made.push(seen);
    await ready;
    return defineTool({
      name: 'pay',
      category: 'messaging',
      description: 'Pays.',
      input: z.object({ to: z.string() }),
      describeCall: ({ to }) => `pay ${to}`,
      onPartial: (args) => {
        seen.push(`partial ${JSON.stringify(args)}`);
        return undefined;
      },
      execute: async ({ to }) => {
        seen.push(`paid ${to}`);
        return llmOnly(`paid ${to}`);
      },
    });
  };
  const definition = async () => ({ name: 'pay', description: 'Pays.', parameters: { type: 'object' } });
  return { name: 'pay', category: 'messaging', create, definition };
}

test('the tool that saw the first partial argument is the one that is executed, once, however slowly it was made', async () => {
  const made: string[][] = [];
  const gate = Promise.withResolvers<void>();
  const { model, channel } = await daemonSetting({ tools: [numbered(made, gate.promise)] });
  model.next([call('pay', { to: 'Bob' }), call('pay', { to: 'Eve' })], 'paid both');
  await channel.say('pay');
  await expect.poll(() => made.length).toBeGreaterThan(0);
  gate.resolve();
  for (const _ of ['Bob', 'Eve']) await channel.press(await channel.card());
  await channel.sees('paid both');
  expect(made.map((seen) => seen.at(-1)).sort()).toEqual(['paid Bob', 'paid Eve']);
  for (const seen of made) expect(seen.filter((what) => what.startsWith('partial')).length).toBeGreaterThan(0);
  expect(resultsOf(await model.asked(2))).toEqual(['paid Bob', 'paid Eve']);
});

test('a tool that has taken the place of another is made again, and one that is gone is not given', async () => {
  const registry = createToolRegistry({ log: silentLog });
  const scope = scopeIn('/tmp');
  const tools = createCallTools(registry);
  registry.register(numbered([]), { type: 'builtin' });
  const first = await tools.of('c1', 'pay', scope);
  expect(await tools.of('c1', 'pay', scope)).toBe(first);
  registry.register(numbered([]), { type: 'custom' });
  const second = await tools.of('c1', 'pay', scope);
  expect(second?.source).toEqual({ type: 'custom' });
  expect(second?.tool).not.toBe(first?.tool);
  registry.unregister({ type: 'custom' }, 'pay');
  registry.unregister({ type: 'builtin' }, 'pay');
  expect(await tools.of('c1', 'pay', scope)).toBeUndefined();
});

test('calls that nobody ends are forgotten, the oldest first', async () => {
  const registry = createToolRegistry({ log: silentLog });
  const made: string[][] = [];
  registry.register(numbered(made), { type: 'builtin' });
  const tools = createCallTools(registry);
  for (let id = 0; id < 1001; id++) await tools.of(`c${id}`, 'pay', scopeIn('/tmp'));
  await tools.of('c1000', 'pay', scopeIn('/tmp'));
  expect(made).toHaveLength(1001);
  await tools.of('c0', 'pay', scopeIn('/tmp'));
  expect(made).toHaveLength(1002);
});

function setting(limits: Readonly<Record<string, { calls: number; per: number }>>) {
  const clock = new ManualClock();
  const limiter = createRateLimiter(clock, limits);
  return { clock, take: (tool = 'shell', person = 'test:ada') => limiter.take(tool, person) };
}

describe('a limit', () => {
  test('lets through what it allows, then says why not and in how long again', () => {
    const { clock, take } = setting({ shell: { calls: 2, per: 60_000 } });
    expect(take()).toBeUndefined();
    clock.advance(20_000);
    expect(take()).toBeUndefined();
    clock.advance(500);
    expect(take()).toBe(
      'shell may be called 2 times in 1 min for one person, and has been. It can be called again in 40 s; until then, do without it.',
    );
  });

  test('looks back over its time from each call, so that no stretch of it holds more', () => {
    const { clock, take } = setting({ '*': { calls: 2, per: 10_000 } });
    take();
    clock.advance(9_000);
    take();
    expect(take()).toBeDefined();
    clock.advance(999);
    expect(take()).toBeDefined();
    clock.advance(1);
    expect(take()).toBeUndefined();
    expect(take()).toContain('again in 9 s');
    clock.advance(9_000);
    expect(take()).toBeUndefined();
  });

  test('does not count what it refuses', () => {
    const { clock, take } = setting({ '*': { calls: 1, per: 10_000 } });
    take();
    for (let second = 1; second < 10; second++) {
      clock.advance(1_000);
      expect(take()).toBeDefined();
    }
    clock.advance(1_000);
    expect(take()).toBeUndefined();
  });

  test('bounds each person and each tool on its own', () => {
    const { take } = setting({ '*': { calls: 1, per: 10_000 } });
    expect(take('shell', 'test:ada')).toBeUndefined();
    expect(take('shell', 'test:bo')).toBeUndefined();
    expect(take('echo', 'test:ada')).toBeUndefined();
    expect(take('shell', 'test:ada')).toBeDefined();
  });

  test('holds with every other one that fits, and the longest wait is told', () => {
    const { clock, take } = setting({
      'web_*': { calls: 1, per: 1_000 },
      '*_fetch': { calls: 2, per: 7_200_000 },
      echo: { calls: 1, per: 9_000_000 },
    });
    expect(take('web_fetch')).toBeUndefined();
    expect(take('web_fetch')).toContain('in 1 s for one person');
    clock.advance(1_000);
    expect(take('web_fetch')).toBeUndefined();
    expect(take('web_fetch')).toContain('2 times in 2 h');
    expect(take('list_dir')).toBeUndefined();
  });

  test('of very many calls is never exceeded, and keeps little', () => {
    const { clock, take } = setting({ '*': { calls: 1_000, per: 64_000 } });
    const taken: number[] = [];
    const random = new SeededRandom(3);
    for (let tick = 0; tick < 3_000; tick++) {
      if (take() === undefined) taken.push(clock.now());
      clock.advance(random.integer(1, 99));
    }
    for (const [index, at] of taken.entries()) {
      const thousandth = taken[index + 1_000];
      if (thousandth !== undefined) expect(thousandth - at).toBeGreaterThanOrEqual(64_000);
    }
    // Two whole windows and a third of one passed.
    expect(taken.length).toBeGreaterThan(2_200);
  });
});

test('a clock that is set back locks nobody out', () => {
  const { clock, take } = setting({ '*': { calls: 1, per: 10_000 } });
  take();
  clock.advance(-1_000_000);
  expect(take()).toBeUndefined();
});
