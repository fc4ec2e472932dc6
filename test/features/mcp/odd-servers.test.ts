import { describe, expect, test } from 'vitest';
import { mcpWords } from '../../../src/features/mcp/words.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { boxSetting, toldOf } from '../../support/mcp/mcp-setting.ts';
import { useTool } from '../../support/use-tool.ts';

const object = { type: 'object', properties: { a: { type: 'string' } } };

/** What is odd about a tool, which is offered and called nevertheless. */
const offered: readonly (readonly [string, object])[] = [
  ['an output schema without a type', { outputSchema: { $id: 'x', description: 'any' } }],
  ['an output schema of a list', { outputSchema: { type: 'array', items: { type: 'object' } } }],
  ['an output schema of alternatives', { outputSchema: { oneOf: [{ type: 'string' }, { type: 'null' }] } }],
  [
    'an output schema that refers to itself',
    { outputSchema: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } } },
  ],
  ['an output schema that is a boolean', { outputSchema: true }],
  ['an output schema that is a word', { outputSchema: 'string' }],
  ['no output schema, said aloud', { outputSchema: null }],
  ['a schema without a type', { inputSchema: { properties: { a: { type: 'string' } } } }],
  ['an empty schema', { inputSchema: {} }],
  ['no schema', { inputSchema: undefined }],
  ['no schema, said aloud', { inputSchema: null }],
  ['a schema that is true', { inputSchema: true }],
  ['a schema that is an empty list', { inputSchema: [] }],
  ['properties that are an empty list', { inputSchema: { type: 'object', properties: [] } }],
  ['required arguments that are null', { inputSchema: { ...object, required: null } }],
  ['a type that may be null', { inputSchema: { ...object, type: ['object', 'null'] } }],
  ['alternatives without a type', { inputSchema: { anyOf: [{ required: ['a'] }, { required: ['b'] }] } }],
  ['a schema of draft 4', { inputSchema: { ...object, properties: { a: { minimum: 0, exclusiveMinimum: true } } } }],
  ['a schema of draft 3', { inputSchema: { type: 'object', properties: { a: { type: 'any', required: true } } } }],
  [
    'words of OpenAPI',
    { inputSchema: { type: 'object', properties: { a: { type: 'string', nullable: true, format: 'x' } } } },
  ],
  ['a reference to nowhere', { inputSchema: { type: 'object', properties: { a: { $ref: '#/components/A' } } } }],
  [
    'a pattern that is none',
    { inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(?<x' } } } },
  ],
  [
    'types in capitals',
    {
      inputSchema: {
        type: 'OBJECT',
        properties: { a: { type: 'STRING' }, b: { type: 'ARRAY', items: { type: 'Integer' } } },
      },
    },
  ],
  ['its schema where models have it', { inputSchema: undefined, input_schema: object }],
  ['an unknown draft', { inputSchema: { $schema: 'https://example.com/s', ...object } }],
  ['hints that are words', { annotations: { readOnlyHint: 'false', title: 7 } }],
  ['hints that are a list', { annotations: ['readOnly'] }],
  ['a title that is a number', { title: 7 }],
  ['a description that is null', { description: null }],
  ['icons that are a word', { icons: 'x.png' }],
  ['keys that nobody knows', { strict: true, returns: { a: 1 }, _meta: 'x', execution: 'later' }],
  ['a blank in its name', { name: 'odd one' }],
];

/** What costs a tool, and what is said of it. */
const left: readonly (readonly [string, object, string])[] = [
  ['a schema of a list', { inputSchema: { type: 'array' } }, mcpWords.en.noArguments({ types: ['array'] })],
  [
    'a schema of very many types',
    { inputSchema: { type: Array.from({ length: 5000 }, () => 'array') } },
    mcpWords.en.noArguments({ types: Array.from({ length: 5 }, () => 'array') }),
  ],
  [
    'a mark of our own that is no text',
    { _meta: { 'keyturn/malformed': { why: 'noArguments', types: [{ toString: 1 }] } } },
    mcpWords.en.noArguments({ types: [] }),
  ],
  ['a schema that is false', { inputSchema: false }, mcpWords.en.noSchema],
  ['a line break in its name', { name: 'o\nd' }, mcpWords.en.badName({ most: 128 })],
  ['no name', { name: undefined }, mcpWords.en.offProtocol],
];

describe('among good tools of an MCP server, one', () => {
  test.each(offered)('with %s is offered', async (_, oddity) => {
    const odd = { name: 'odd', description: 'Odd.', inputSchema: object, ...oddity };
    const { setting } = await boxSetting(['echo', odd, 'env'], { category: 'network_read' });
    expect(JSON.parse(await useTool(setting, 'box_echo', {}))).toEqual({ tool: 'echo', args: {} });
    const told = toldOf(setting).filter((name) => name.startsWith('box_'));
    expect(told).toHaveLength(3);
    const [name = ''] = told.filter((one) => !['box_echo', 'box_env'].includes(one));
    expect(JSON.parse(await useTool(setting, name, { a: '1' }))).toEqual({ tool: odd.name, args: { a: '1' } });
  });

  test.each(left)('with %s is left out, and that is said', async (_, oddity, why) => {
    const odd = { name: 'odd', description: 'Odd.', inputSchema: object, ...oddity };
    const { setting } = await boxSetting(['echo', odd, 'env']);
    await useTool(setting, 'box_echo', {});
    expect(toldOf(setting).filter((name) => name.startsWith('box_'))).toEqual(['box_echo', 'box_env']);
    await setting.channel.ask('/status', new RegExp(`^\\*\\*Keyturn.*${why}`, 's'));
    await setting.channel.ask('/tools', new RegExp(`^Tools here.*${why}`, 's'));
    await setting.channel.ask('/mcp', new RegExp(`^- box .*2 tools.*${why}`, 's'));
  });

  test('that says in words that it destroys is destructive', async () => {
    const odd = { name: 'odd', description: 'Odd.', inputSchema: object, annotations: { destructiveHint: 'true' } };
    const { setting } = await boxSetting(['echo', odd], { category: 'network_read' });
    await useTool(setting, 'box_echo', {});
    await setting.channel.say('/mcp');
    await setting.channel.sees('box (a program here): 2 tools');
    await setting.channel.say('/tools all');
    await setting.channel.sees(/`box_odd` \(.*destructive\): asks first/);
  });
});

/** Results, and what the model reads of them. */
const results: readonly (readonly [string, JsonObject, string])[] = [
  [
    'a list beside its text',
    { content: [{ type: 'text', text: 'said' }], structuredContent: [1, 2] },
    'said\n\n[\n  1,\n  2\n]',
  ],
  ['a list that the text repeats', { content: [{ type: 'text', text: '[1,2]' }], structuredContent: [1, 2] }, '[1,2]'],
  ['a word', { content: [], structuredContent: 'word' }, '"word"'],
  ['a number without content', { structuredContent: 7 }, '7'],
  ['null', { content: [{ type: 'text', text: 'said' }], structuredContent: null }, 'said'],
  ['an object', { content: [], structuredContent: { a: 1 } }, '{\n  "a": 1\n}'],
  ['content that is a word', { content: 'said' }, 'said'],
  ['content that is one part', { content: { type: 'text', text: 'said' } }, 'said'],
  ['content of words', { content: ['one', 'two'] }, 'one\n\ntwo'],
  ['no content', { content: null }, 'It answered nothing.'],
  ['a fault in words', { content: [{ type: 'text', text: 'said' }], isError: 'false' }, 'said'],
];

test.each(results)('a result with %s is read', async (_, result, expected) => {
  const { setting } = await boxSetting(['show'], { category: 'network_read', trusted: true });
  expect(await useTool(setting, 'box_show', { result })).toContain(expected);
});
