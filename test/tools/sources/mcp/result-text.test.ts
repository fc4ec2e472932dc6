import { describe, expect, test } from 'vitest';
import { readResult } from '../../../../src/tools/sources/mcp/result-text.ts';

const marker = (): string => '[file]';

describe('a result', () => {
  test('is read with all its parts in their order', () => {
    const read = readResult({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        {
          type: 'resource_link',
          uri: 'demo://a',
          name: 'a',
          title: 'The A',
          description: 'first',
          mimeType: 'text/plain',
        },
        { type: 'resource', resource: { uri: 'demo://b', text: 'inside' } },
        { type: 'resource', resource: { uri: 'demo://c/d.bin?x=1', blob: 'AAEC' } },
        { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' },
      ],
    });
    expect(read.text(marker)).toBe(
      'Look:\n\n[file]\n\n[resource] The A: demo://a (text/plain; first)\n\n[resource demo://b]\ninside\n\n[file]\n\n[file]',
    );
    expect(read.files.map(({ name, mediaType, bytes }) => [name, mediaType, bytes.length])).toEqual([
      ['image', 'image/png', 8],
      ['d.bin', 'application/octet-stream', 3],
      ['audio', 'audio/wav', 3],
    ]);
  });

  test('shows structured content, unless a text says the same', () => {
    const structuredContent = { b: [1, 2], a: 'x' };
    expect(readResult({ content: [], structuredContent }).text(marker)).toBe(
      JSON.stringify(structuredContent, null, 2),
    );
    const said = { type: 'text' as const, text: '{"a":"x","b":[1,2]}' };
    expect(readResult({ content: [said], structuredContent }).text(marker)).toBe(said.text);
    expect(readResult({ content: [said], structuredContent: { content: said.text } }).text(marker)).toBe(said.text);
    const other = { type: 'text' as const, text: 'done' };
    expect(readResult({ content: [other], structuredContent: {} }).text(marker)).toBe('done\n\n{}');
  });
});
