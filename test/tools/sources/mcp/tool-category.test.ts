import { describe, expect, test } from 'vitest';
import type { McpServerSettings } from '../../../../src/tools/sources/mcp/server-settings.ts';
import { categoryOf, isWanted } from '../../../../src/tools/sources/mcp/tool-category.ts';

const way = { type: 'process', command: 'x', args: [], environment: {}, directory: '/', isConfined: false } as const;
const http = { type: 'http', url: new URL('http://127.0.0.1/mcp'), headers: {}, mayBePrivate: false } as const;

function settings(changed: Partial<McpServerSettings> = {}): McpServerSettings {
  const times = { timeout: 1, listLifetime: 1, questionTimeout: 1 };
  return { name: 'box', way, ...times, trustsAnnotations: false, tools: {}, ...changed };
}

describe('what a tool of a server touches', () => {
  const reads = { readOnlyHint: true };

  test('is writing somewhere else, whatever the server says of it', () => {
    expect(categoryOf('look', reads, settings())).toBe('network_write');
    expect(categoryOf('look', undefined, settings({ trustsAnnotations: true }))).toBe('network_write');
    expect(categoryOf('look', { readOnlyHint: false }, settings({ trustsAnnotations: true }))).toBe('network_write');
  });

  test('is reading where the operator trusts the server to say so', () => {
    const trusting = settings({ trustsAnnotations: true });
    expect(categoryOf('look', reads, trusting)).toBe('network_read');
    expect(categoryOf('look', { ...reads, openWorldHint: false }, trusting)).toBe('filesystem_read');
    expect(categoryOf('look', { ...reads, openWorldHint: false }, { ...trusting, way: http })).toBe('network_read');
  });

  test('is what the operator says: of the tool, of tools like it, of all', () => {
    const tools = {
      'get*': { enabled: true, category: 'network_read' },
      get_all: { enabled: false, category: 'memory' },
      '*': { enabled: true },
    } as const;
    const decided = settings({ trustsAnnotations: true, category: 'shell', tools });
    expect(categoryOf('get_all', reads, decided)).toBe('memory');
    expect(categoryOf('get_one', undefined, decided)).toBe('network_read');
    expect(categoryOf('look', reads, decided)).toBe('shell');
    expect(['get_all', 'get_one', 'look'].map((tool) => isWanted(tool, decided))).toEqual([false, true, true]);
  });
});
