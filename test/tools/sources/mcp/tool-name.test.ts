import { expect, test } from 'vitest';
import { markedName, toolName } from '../../../../src/tools/sources/mcp/tool-name.ts';

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
  expect(name).toBe(markedName('box', tool));
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
