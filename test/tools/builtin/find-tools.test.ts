import { expect, test } from 'vitest';
import { findTools } from '../../../src/tools/builtin/find-tools.ts';
import { foundNames } from '../../../src/tools/found-tools.ts';
import type { ToolDefinition } from '../../../src/transcript.ts';
import { killedBeforeEnd } from '../../engine/killed-before-end.ts';
import { contextIn } from '../setting.ts';

test('find_tools only reads: killed before its end, it runs again', () =>
  killedBeforeEnd('find_tools', { query: 'read_file' }));

/** The answer to a query where there are these tools. */
async function answer(query: string, tools: readonly ToolDefinition[]): Promise<string> {
  const preparation = await findTools(() => ({ definitions: async () => tools })).prepare({ query });
  if (!preparation.valid) return preparation.message;
  return (await preparation.call.execute(contextIn('/tmp'))).forLlm;
}

function tool(name: string, size: number): ToolDefinition {
  const parameters = { type: 'object', properties: { lamp: { type: 'string', description: 'x'.repeat(size) } } };
  return { name, description: `Switches the lamp. ${'More of it. '.repeat(3)}`, parameters };
}

test('the best is told in full, and the others in full while there is room', async () => {
  const tools = ['a_lamp', 'b_lamp', 'c_lamp', 'd_lamp', 'e_lamp', 'f_lamp'].map((name) => tool(name, 1000));
  const said = await answer('lamp', tools);
  expect(foundNames(said)).toEqual(['a_lamp', 'b_lamp', 'c_lamp', 'd_lamp', 'e_lamp']);
  expect(said.match(/x{1000}/g)).toHaveLength(3);
  // All of them with what they take.
  expect(said.match(/"lamp":/g)).toHaveLength(5);
  expect(said.length).toBeLessThan(5000);
});

test('a tool whose description fills a window is told in short', async () => {
  const said = await answer('lamp', [tool('lamp', 90_000), tool('lamp_small', 10)]);
  expect(foundNames(said)).toEqual(['lamp']);
  expect(said).not.toContain('xxx');
  expect(said).toContain('"lamp":{"type":"string"}');
});

test('where nothing fits, it says so and names what there is', async () => {
  expect(await answer('violin', [tool('lamp', 1), tool('heating', 1)])).toBe(
    'No tool fits these words. Try others, in English too. There are: lamp, heating',
  );
  const many = Array.from({ length: 1000 }, (_, index) => tool(`thing_${index}`, 1));
  const said = await answer('violin', many);
  expect(said.length).toBeLessThan(1700);
  expect(said).toMatch(/thing_0, thing_1, .* …$/);
  expect(await answer('violin', [])).toBe('There are no tools here.');
});

test.each(['', 'Found', 'Found: a', 'found: a.', 'I have Found: a.', 'x\nFound: a.'])(
  'nothing was found by an answer that begins otherwise: %j',
  (text) => expect(foundNames(text)).toEqual([]),
);
