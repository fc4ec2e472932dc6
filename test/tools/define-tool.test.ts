import { expect, test } from 'vitest';
import { z } from 'zod';
import { llmOnly } from '../../src/tools/output.ts';
import { defineTool } from '../../src/tools/tool.ts';
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

test('a description is asked for once, and again only if it could not be had', async () => {
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
  expect(call.describe(scopeIn('/tmp'))).toBe('GET ⏎ http://a\\u202e');
});

test('invalid arguments prepare no call', async () => {
  await expect(fetchTool().prepare({ uri: 'x' })).resolves.toMatchObject({
    valid: false,
    message: expect.stringContaining('did you mean "url"'),
  });
});
