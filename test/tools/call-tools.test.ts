import { expect, test } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../src/lib/log.ts';
import { createCallTools } from '../../src/tools/operator-rules.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { createToolRegistry, type ToolRegistration } from '../../src/tools/registry.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { scopeIn } from './setting.ts';

/** A tool that is made slowly, and knows the how manieth it is and what it has seen. */
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
  const definition = { name: 'pay', description: 'Pays.', parameters: { type: 'object' } };
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
  registry.unregister('pay', { type: 'custom' });
  registry.unregister('pay', { type: 'builtin' });
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
