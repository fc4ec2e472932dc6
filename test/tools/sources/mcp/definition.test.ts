import { describe, expect, test } from 'vitest';
import { readDefinition } from '../../../../src/tools/sources/mcp/definition.ts';

const tool = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' as const } };

describe('the definition of a tool', () => {
  test('is another one with each thing that the server says of it, and with the server', () => {
    const variants = [
      readDefinition('box', tool),
      readDefinition('other', tool),
      readDefinition('box', { ...tool, name: 'echo2' }),
      readDefinition('box', { ...tool, title: 'Echo' }),
      readDefinition('box', { ...tool, description: 'Says it again!' }),
      readDefinition('box', { ...tool, annotations: { readOnlyHint: true } }),
      readDefinition('box', { ...tool, inputSchema: { type: 'object', properties: { a: {} } } }),
    ];
    const prints = variants.map((reading) => (reading.usable ? reading.definition.fingerprint : reading.why));
    expect(new Set(prints).size).toBe(variants.length);
    expect(readDefinition('box', { ...tool })).toEqual(variants[0]);
  });

  test('shows what is hidden in it', () => {
    const properties = { a: { type: 'string', description: 'safe\u200b', default: 'a\u00a0b' } };
    const reading = readDefinition('box', {
      ...tool,
      description: 'Reads\u{e0041}.',
      inputSchema: { type: 'object', properties },
    });
    expect(reading).toMatchObject({ usable: true, definition: { description: 'Reads\\u{e0041}.' } });
    const shown = { a: { description: 'safe\\u200b', default: 'a\u00a0b' } };
    expect(reading).toMatchObject({ definition: { parameters: { properties: shown } } });
  });

  test('is cut where it goes on and on', () => {
    const reading = readDefinition('box', { ...tool, description: 'a'.repeat(5_000) });
    const description = `${'a'.repeat(4_000)}… (The server says more, which is left out.)`;
    expect(reading).toMatchObject({ usable: true, definition: { description } });
  });

  test.each([
    [
      'a giant schema',
      { inputSchema: { type: 'object' as const, description: 'a'.repeat(110_000) } },
      'larger than 100 KB',
    ],
    [
      'a schema without a floor',
      { inputSchema: { type: 'object' as const, properties: { a: deep(80) } } },
      'nested too deeply',
    ],
    ['no name', { name: '' }, 'its name is empty'],
    ['a name of many lines', { name: 'a\nb' }, 'not to be read'],
    ['a hidden name', { name: 'echo\u200b' }, 'not to be read'],
    ['a name without end', { name: 'a'.repeat(200) }, 'longer than 128'],
    ['the wish to be a task', { execution: { taskSupport: 'required' as const } }, 'only be called as a task'],
  ])('with %s is left out', (_what, changed, why) => {
    expect(readDefinition('box', { ...tool, ...changed })).toMatchObject({
      usable: false,
      why: expect.stringContaining(why),
    });
  });
});

function deep(levels: number): Deep {
  return levels === 0 ? {} : { a: deep(levels - 1) };
}

interface Deep {
  readonly [key: string]: Deep;
}
