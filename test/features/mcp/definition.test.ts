import { describe, expect, test } from 'vitest';
import { type McpServerSettings, partsOf, readDefinition } from '../../../src/features/mcp/mcp-tool.ts';
import { mcpSettings } from '../../../src/features/mcp/settings.ts';
import { categoryOf, isWanted, nameWithMark, toolName, wordsFor } from '../../../src/features/mcp/toolbox.ts';
import { mcpWords } from '../../../src/features/mcp/words.ts';
import { wholeSchema } from '../../support/whole-schema.ts';

const tool = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' as const } };

const words = mcpWords.en;

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
    const prints = variants.map((reading) => ('why' in reading ? reading.why('en') : reading.fingerprint));
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
    expect(reading).toMatchObject({ description: 'Reads\\u{e0041}.' });
    const shown = { a: { description: 'safe\\u200b', default: 'a\u00a0b' } };
    expect(reading).toMatchObject({ parameters: { properties: shown } });
  });

  test('is cut where it goes on and on', () => {
    const reading = readDefinition('box', { ...tool, description: 'a'.repeat(5_000) });
    const description = `${'a'.repeat(4_000)}… (The server says more, which is left out.)`;
    expect(reading).toMatchObject({ description });
  });

  test.each([
    [
      'a giant schema',
      { inputSchema: { type: 'object' as const, description: 'a'.repeat(110_000) } },
      words.largeSchema({ kilobytes: 100 }),
    ],
    [
      'a schema without a floor',
      { inputSchema: { type: 'object' as const, properties: { a: deep(80) } } },
      words.badSchema,
    ],
    ['no name', { name: '' }, words.badName({ most: 128 })],
    ['a name of many lines', { name: 'a\nb' }, words.badName({ most: 128 })],
    ['a hidden name', { name: 'echo\u200b' }, words.badName({ most: 128 })],
    ['a name without end', { name: 'a'.repeat(200) }, words.badName({ most: 128 })],
    ['the wish to be a task', { execution: { taskSupport: 'required' as const } }, words.taskOnly],
  ])('with %s is left out', (_what, changed, why) => {
    const reading = readDefinition('box', { ...tool, ...changed });
    expect('why' in reading && reading.why('en')).toBe(why);
  });
});

function deep(levels: number): Deep {
  return levels === 0 ? {} : { a: deep(levels - 1) };
}

interface Deep {
  readonly [key: string]: Deep;
}

test.each([
  ['box', 'echo', 'box_echo'],
  ['my-box', 'get-sum', 'my-box_get-sum'],
])('a tool of %s called %s is %s', (server, tool, name) => {
  expect(toolName(server, tool, ['box', 'my-box'])).toBe(name);
});

test.each([
  ['characters that no model takes', 'a b.c/d'],
  ['another alphabet', '搜索'],
  ['a length that no model takes', 'x'.repeat(100)],
  ['an end that looks like such a mark', 'echo_0123abcd'],
])('a name with %s gets a mark', (_what, tool) => {
  const name = toolName('box', tool, ['box']);
  expect(name).toMatch(/^box_[a-zA-Z0-9_-]*_[0-9a-f]{8}$/);
  expect(name.length).toBeLessThanOrEqual(64);
  expect(name).toBe(nameWithMark('box', tool));
});

test('names that would become the same stay apart', () => {
  const servers = ['a', 'a_b'];
  const names = [
    toolName('a', 'b_c', servers),
    toolName('a_b', 'c', servers),
    toolName('a', 'x y', servers),
    toolName('a', 'x.y', servers),
    toolName('a', 'x_y', servers),
  ];
  expect(new Set(names).size).toBe(names.length);
  expect(names[0]).toBe('a_b_c');
});

function settings(changed: Partial<McpServerSettings> = {}): McpServerSettings {
  const config = wholeSchema().parse({ mcp_servers: { box: { command: 'x' } } });
  const { box } = mcpSettings.read(config).mcp_servers;
  if (box === undefined) throw new Error('there is no server');
  return { ...box, name: 'box', ...changed };
}

describe('what a tool of a server touches', () => {
  const reads = { readOnlyHint: true };

  test('is writing somewhere else, whatever the server says of it', () => {
    expect(categoryOf('look', reads, settings())).toBe('network_write');
    expect(categoryOf('look', undefined, settings({ trust_annotations: true }))).toBe('network_write');
    expect(categoryOf('look', { readOnlyHint: false }, settings({ trust_annotations: true }))).toBe('network_write');
  });

  test('is reading where the operator trusts the server to say so', () => {
    const trusting = settings({ trust_annotations: true });
    expect(categoryOf('look', reads, trusting)).toBe('network_read');
    expect(categoryOf('look', { ...reads, openWorldHint: false }, trusting)).toBe('filesystem_read');
    expect(categoryOf('look', { ...reads, openWorldHint: false }, { ...trusting, url: 'http://127.0.0.1/mcp' })).toBe(
      'network_read',
    );
  });

  test('is writing here where a program, by words that are trusted, only adds and has no contact outside', () => {
    const adds = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
    const trusting = settings({ trust_annotations: true });
    expect(categoryOf('add', adds, trusting)).toBe('filesystem_write');
    expect(categoryOf('add', adds, settings())).toBe('network_write');
    expect(categoryOf('add', { ...adds, openWorldHint: true }, trusting)).toBe('network_write');
    expect(categoryOf('add', { ...adds, destructiveHint: undefined }, trusting)).toBe('network_write');
    expect(categoryOf('add', adds, { ...trusting, url: 'http://127.0.0.1/mcp' })).toBe('network_write');
  });

  test('is destroying where the server says so, but for what the operator has said of this tool', () => {
    const destroys = { destructiveHint: true };
    expect(categoryOf('wipe', destroys, settings({ category: 'network_read' }))).toBe('destructive');
    expect(categoryOf('wipe', { ...destroys, readOnlyHint: true }, settings())).toBe('network_write');
    const tools = { wipe: { enabled: true, category: 'network_write' } } as const;
    expect(categoryOf('wipe', destroys, settings({ tools }))).toBe('network_write');
  });

  test('and what its answers are is what the operator says: of the tool, or else of all', () => {
    const tools = { 'get*': { enabled: true, private: false, targets: ['box'] } };
    const decided = settings({ private: true, trusted: true, outbound: false, tools });
    expect(wordsFor('get_one', { openWorldHint: false }, decided)).toMatchObject({
      private: false,
      trusted: true,
      outbound: false,
      targets: ['box'],
    });
    expect(wordsFor('look', undefined, decided)).toMatchObject({ private: true, targets: undefined });
  });

  test('private where it says that it knows a closed world, and the config says nothing', () => {
    expect(wordsFor('look', { openWorldHint: false }, settings({})).private).toBe(true);
    expect(wordsFor('look', { openWorldHint: true }, settings({})).private).toBeUndefined();
    expect(wordsFor('look', { openWorldHint: false }, settings({ private: false })).private).toBe(false);
  });

  test('is what the operator says: of the tool, of tools like it, of all', () => {
    const tools = {
      'get*': { enabled: true, category: 'network_read' },
      get_all: { enabled: false, category: 'memory' },
      '*': { enabled: true },
    } as const;
    const decided = settings({ trust_annotations: true, category: 'shell', tools });
    expect(categoryOf('get_all', reads, decided)).toBe('memory');
    expect(categoryOf('get_one', undefined, decided)).toBe('network_read');
    expect(categoryOf('look', reads, decided)).toBe('shell');
    expect(['get_all', 'get_one', 'look'].map((tool) => isWanted(tool, decided))).toEqual([false, true, true]);
  });
});

describe('a result', () => {
  test('is read with all its parts in their order', () => {
    const link = { uri: 'demo://a', name: 'a', title: 'The A', description: 'first', mimeType: 'text/plain' };
    const parts = partsOf({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        { type: 'resource_link', ...link },
        { type: 'resource', resource: { uri: 'demo://b', text: 'inside' } },
        { type: 'resource', resource: { uri: 'demo://c/d.bin?x=1', blob: 'AAEC' } },
        { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' },
      ],
    });
    expect(parts).toEqual([
      'Look:',
      { name: 'image', mediaType: 'image/png', bytes: Buffer.from('iVBORw0KGgo=', 'base64') },
      '[resource] The A: demo://a (text/plain; first)',
      '[resource demo://b]\ninside',
      { name: 'd.bin', mediaType: 'application/octet-stream', bytes: Buffer.from([0, 1, 2]) },
      { name: 'audio', mediaType: 'audio/wav', bytes: Buffer.from([0, 1, 2]) },
    ]);
  });

  test('shows structured content, unless a text says the same', () => {
    const structuredContent = { b: [1, 2], a: 'x' };
    expect(partsOf({ content: [], structuredContent })).toEqual([JSON.stringify(structuredContent, null, 2)]);
    const said = { type: 'text' as const, text: '{"a":"x","b":[1,2]}' };
    expect(partsOf({ content: [said], structuredContent })).toEqual([said.text]);
    expect(partsOf({ content: [said], structuredContent: { content: said.text } })).toEqual([said.text]);
    const other = { type: 'text' as const, text: 'done' };
    expect(partsOf({ content: [other], structuredContent: {} })).toEqual(['done', '{}']);
  });
});
