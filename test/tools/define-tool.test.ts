import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { error, llmOnly, type ToolOutput } from '../../src/tools/output.ts';
import { createToolRunner, failureNote } from '../../src/tools/runner.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { useTool } from '../support/use-tool.ts';
import { contextIn, prepared, scopeIn } from './setting.ts';

const fetchTool = () =>
  defineTool({
    name: 'fetch',
    description: 'Fetches.',
    category: 'network_write',
    input: z.strictObject({
      url: z.string().describe('Where.'),
      method: z.enum(['GET', 'POST']).default('GET'),
      body: z.string().optional(),
    }),
    describeCall: ({ method, url }) => `${method}\n${url}\u202e`,
    assess: ({ method }) => (method === 'GET' ? 'network_read' : 'network_write'),
    execute: async ({ url }) => llmOnly(url.toUpperCase()),
  });

const listTool = () =>
  defineTool({
    name: 'list',
    description: 'Lists.',
    category: 'filesystem_read',
    input: z.strictObject({ path: z.string() }),
    describeCall:
      ({ path }) =>
      (language) =>
        language === 'zh' ? `列出 ${path}` : `list ${path}`,
    execute: async () => llmOnly(''),
  });

test('a spec says what the model may write, strictly, and in the same bytes each time', async () => {
  const spec = await fetchTool().spec();
  expect(spec.parameters).toEqual({
    type: 'object',
    properties: {
      url: { type: 'string', description: 'Where.' },
      method: { type: 'string', enum: ['GET', 'POST'], default: 'GET' },
      body: { type: 'string' },
    },
    required: ['url'],
    additionalProperties: false,
  });
  expect(JSON.stringify(await fetchTool().spec())).toBe(JSON.stringify(spec));
});

test('a description is asked for once, and again only if it failed', async () => {
  let asked = 0;
  const tool = defineTool({
    name: 'slow',
    category: 'memory',
    description: async () => {
      asked += 1;
      if (asked === 1) throw new Error('not yet');
      return 'Ready.';
    },
    input: z.strictObject({}),
    describeCall: () => 'slow',
    execute: async () => llmOnly(''),
  });
  await expect(tool.spec()).rejects.toThrow('not yet');
  await expect(tool.spec()).resolves.toMatchObject({ description: 'Ready.' });
  await tool.spec();
  expect(asked).toBe(2);
});

test('a prepared call shows and hashes what will be used, after defaults and coercion', async () => {
  const call = await prepared(fetchTool(), '{"url":"http://a","body":null}');
  expect(call.arguments).toEqual({ url: 'http://a', method: 'GET' });
  expect(call.category).toBe('network_read');
  expect(call).toMatchObject({ toolName: 'fetch', displayName: 'fetch' });
  expect((await call.execute(contextIn('/tmp'))).forLlm).toBe('HTTP://A');
  expect((await prepared(fetchTool(), { url: 'x', method: 'POST' })).category).toBe('network_write');
  await expect(call.preview(scopeIn('/tmp'))).resolves.toBeUndefined();
});

test('what an approver reads is one line in which nothing hides', async () => {
  const call = await prepared(fetchTool(), { url: 'http://a' });
  expect(call.describe()).toBe('GET ⏎ http://a\\u202e');
});

test('an author may say what a call does in each language, or the same to all', async () => {
  const call = await prepared(listTool(), { path: '.' });
  expect([call.describe('en'), call.describe('zh')]).toEqual(['list .', '列出 .']);
  expect((await prepared(fetchTool(), { url: 'http://a' })).describe('zh')).toBe('GET ⏎ http://a\\u202e');
});

test('invalid arguments prepare no call', async () => {
  await expect(fetchTool().prepare({ uri: 'x' })).resolves.toMatchObject({
    valid: false,
    message: expect.stringContaining('did you mean "url"'),
  });
});

const broken = error('It is broken.');
const note = (times: number): string => `It is broken.${failureNote(times)}`;

/** Runs calls of one tool that end so, one after the other. */
async function afterwards(outputs: readonly ToolOutput[]) {
  const runner = createToolRunner({ clock: new ManualClock() });
  const left = [...outputs];
  const tool = await new RecordingTool('probe', 'memory', () => left.shift() ?? broken).registration.create({
    ...contextIn('/tmp'),
  });
  const texts: string[] = [];
  for (const _ of outputs) {
    const { output } = await runner.run(await prepared(tool, { what: '' }), contextIn('/tmp'));
    texts.push(output.forLlm);
  }
  return { texts, statistics: runner.statisticsOf('probe') };
}

describe('a tool that keeps failing', () => {
  test('is said so below its result from the third failure in a row on', async () => {
    const { texts, statistics } = await afterwards([broken, broken, broken, broken, llmOnly('fine'), broken]);
    expect(texts).toEqual(['It is broken.', 'It is broken.', note(3), note(4), 'fine', 'It is broken.']);
    expect(statistics).toMatchObject({ failuresInRow: 1, count: 6, failure: 5 });
  });

  test.each([
    [true, 'three times in a row', [broken, broken, broken]],
    [false, 'twice', [broken, broken]],
    [true, 'more often than not in six calls', [broken, broken, llmOnly(''), broken, broken, llmOnly('')]],
    [false, 'in half of six calls', [broken, llmOnly(''), broken, llmOnly(''), broken, llmOnly('')]],
    [false, 'long ago', [...Array(9).fill(broken), ...Array(6).fill(llmOnly(''))]],
  ])('%s where it has failed %s', async (isFailing, _how, outputs) => {
    expect((await afterwards(outputs)).statistics).toMatchObject({ isFailing });
  });

  test('is not one that a person has stopped', async () => {
    const runner = createToolRunner({ clock: new ManualClock() });
    for (const _ of [1, 2, 3]) {
      const controller = new AbortController();
      const stopping = async (): Promise<ToolOutput> => {
        controller.abort();
        return broken;
      };
      const tool = await new RecordingTool('probe', 'memory', stopping).registration.create(contextIn('/tmp'));
      await runner.run(await prepared(tool, { what: '' }), contextIn('/tmp', { signal: controller.signal }));
    }
    expect(runner.statisticsOf('probe')).toMatchObject({ failure: 3, failuresInRow: 0, isFailing: false });
  });

  test('is said so to the model where it asks, and to people, and what the model is told of it does not change', async () => {
    const failing = new RecordingTool('probe', 'memory', () => broken);
    const setting = await daemonSetting({ tools: [failing.registration] });
    for (const what of ['a', 'b']) await useTool(setting, 'probe', { what });
    const before = setting.model.requests.at(-1)?.tools;
    expect(await useTool(setting, 'probe', { what: 'c' })).toBe(note(3));
    expect(await useTool(setting, 'list_tools', { name: 'probe' })).toContain(
      'probe (custom, memory, does not ask, called 3 times, keeps failing, the last 3 times in a row)',
    );
    expect(setting.model.requests.at(-1)?.tools).toEqual(before);
    await setting.channel.say('/tools all');
    expect((await setting.channel.sees('Tools here:')).text).toContain('used 3×, 3 failed (⚠️ keeps failing), ');
  });
});
