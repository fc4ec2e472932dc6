import { describe, expect, test } from 'vitest';
import { withTextTools } from '../../../src/models/text-tools/text-tools.ts';
import { eventsOf, request } from '../ask.ts';
import { readAnswer, saying, written } from './read-answer.ts';

const run = written('shell', { command: 'ls' });
const made = { name: 'shell', arguments: { command: 'ls' } };

describe('a call is made of', () => {
  const calls: readonly (readonly [what: string, answer: string, shown: string])[] = [
    ['what is taught', run, ''],
    ['one behind text, on a line of its own', `Let me look.\n${run}`, 'Let me look.\n'],
    ['one behind text, with a line between them', `Let me look.\n\n${run}`, 'Let me look.\n\n'],
    ['one in front of text', `${run}\nThat is all.`, '\nThat is all.'],
    ['one with text right behind it', `${run} That is all.`, ' That is all.'],
    [
      'one that is written over several lines',
      `<tool_call>\n${JSON.stringify({ name: 'shell', arguments: { command: 'ls' } }, null, 4)}\n</tool_call>`,
      '',
    ],
    ['one that is a little indented', `   ${run}`, '   '],
    ['one behind a closed fence', `\`\`\`sh\nls\n\`\`\`\n${run}`, '```sh\nls\n```\n'],
    ['one behind a fence in a list', `- so:\n  \`\`\`sh\n  ls\n  \`\`\`\n\n${run}`, '- so:\n  ```sh\n  ls\n  ```\n\n'],
    [
      'one behind a fence in a list in a list',
      `- a\n  1. b\n     ~~~\n     ls\n     ~~~\n${run}`,
      '- a\n  1. b\n     ~~~\n     ls\n     ~~~\n',
    ],
    ['one behind inline code', `I run \`ls\` now.\n${run}`, 'I run `ls` now.\n'],
    [
      'one behind a backtick that was never closed, in another paragraph',
      `An odd \` here.\n\n${run}`,
      'An odd ` here.\n\n',
    ],
    ['one behind a quotation', `> list it\n\n${run}`, '> list it\n\n'],
    [
      'one behind a fence behind a list',
      `- a\n  - b\n\nSo:\n\`\`\`\nls\n\`\`\`\n${run}`,
      '- a\n  - b\n\nSo:\n```\nls\n```\n',
    ],
    ['one behind a fence that ends with its list item', `- \`\`\`\n  ls\nSo:\n${run}`, '- ```\n  ls\nSo:\n'],
    ['one behind a list', `- one\n- two\n${run}`, '- one\n- two\n'],
    ['one on a line that ends as on Windows', `Look:\r\n${run}`, 'Look:\r\n'],
    ['one without its end tag, at the end of the answer', `Look:\n${run.replace('</tool_call>', '')}`, 'Look:\n'],
    ['one with half of its end tag, at the end of the answer', run.slice(0, -5), ''],
    [
      'one with arguments as JSON in a string',
      '<tool_call>{"name":"shell","arguments":"{\\"command\\":\\"ls\\"}"}</tool_call>',
      '',
    ],
    ['one with parameters', '<tool_call>{"name":"shell","parameters":{"command":"ls"}}</tool_call>', ''],
    ['one with args', '<tool_call>{"tool":"shell","args":{"command":"ls"}}</tool_call>', ''],
    [
      'one in the words of OpenAI',
      '<tool_call>{"id":"a","type":"function","function":{"name":"shell","arguments":"{\\"command\\":\\"ls\\"}"}}</tool_call>',
      '',
    ],
    ['one with its arguments in front', '<tool_call>{"arguments":{"command":"ls"},"name":"shell"}</tool_call>', ''],
    ['one behind a tag that was written twice', `<tool_call>\n${run}`, ''],
    [
      'one in a tag with its name',
      '<tool_call name="shell">{"name":"shell","arguments":{"command":"ls"}}</tool_call>',
      '',
    ],
    [
      'JSON alone, though there is no such tool: the model is told',
      '{"name":"shell","arguments":{"command":"ls"}}',
      '',
    ],
    ['one behind text with brackets', `1 < 2 and <b>\n${run}`, '1 < 2 and <b>\n'],
  ];
  test.each(calls)('%s', async (_what, answer, shown) => {
    const read = await readAnswer(answer);
    expect(read.calls).toEqual([{ ...made, modelCallId: 'call_1' }]);
    expect([read.shown, read.text]).toEqual([shown, shown.trim() === '' ? '' : shown]);
  });
});

describe('an answer with several calls', () => {
  const list = written('list_dir', { path: '.' });
  const both: readonly (readonly [what: string, answer: string, shown: string])[] = [
    ['on lines of their own', `${run}\n${list}`, '\n'],
    ['with text between them', `First:\n${run}\nThen:\n${list}\nDone.`, 'First:\n\nThen:\n\nDone.'],
    ['on one line', `${run}${list}`, ''],
    ['on one line, with a space', `${run} ${list}`, ' '],
    ['without end tags', `${run}\n${list}`.replaceAll('</tool_call>', ''), ''],
  ];
  test.each(both)('%s makes all of them, in order', async (_what, answer, shown) => {
    const read = await readAnswer(answer);
    expect(read.calls).toEqual([
      { ...made, modelCallId: 'call_1' },
      { name: 'list_dir', arguments: { path: '.' }, modelCallId: 'call_2' },
    ]);
    expect(read.shown).toBe(shown);
  });

  test('makes the whole one where another is broken', async () => {
    const { calls } = await readAnswer(`<tool_call>{"name":"shell",</tool_call>\n${list}`);
    expect(calls.map((call) => [call.name, typeof call.arguments])).toEqual([
      ['shell', 'string'],
      ['list_dir', 'object'],
    ]);
  });
});

test.each([
  ['an end tag', { text: `a </tool_call> b ${run}` }],
  ['quotes and backslashes', { text: '"}\\"{\\\\' }],
  ['a fence', { text: '```\n<tool_call>\n```' }],
  ['a key with a meaning in JavaScript', JSON.parse('{"__proto__": {"name": "other"}, "constructor": 1}')],
])('arguments may hold %s', async (_what, args) => {
  const { calls, shown } = await readAnswer(...written('echo', args));
  expect([calls, shown]).toEqual([[{ name: 'echo', arguments: args, modelCallId: 'call_1' }], '']);
});

test('line breaks within strings, which are no JSON, are taken for what they are', async () => {
  const { calls } = await readAnswer(
    '<tool_call>{"name":"write_file","arguments":{"content":"a\n\t\\"b\\"\r\n"}}</tool_call>',
  );
  expect(calls).toMatchObject([{ arguments: { content: 'a\n\t"b"\r\n' } }]);
});

test('a call without arguments has none', async () => {
  for (const json of [
    '{"name":"list_tools"}',
    '{"name":"list_tools","arguments":null}',
    '{"name":"list_tools","arguments":{}}',
  ]) {
    const { calls } = await readAnswer(`<tool_call>${json}</tool_call>`);
    expect(calls).toMatchObject([{ name: 'list_tools', arguments: {} }]);
  }
});

test('what a call will be is shown while it is written, by one id', async () => {
  const args = { command: 'echo this is a rather long command that comes in many pieces', cwd: 'somewhere' };
  const { partial, calls } = await readAnswer(...written('shell', args));
  expect(partial.length).toBeGreaterThan(4);
  expect(new Set(partial.map(({ modelCallId, name }) => `${modelCallId} ${name}`))).toEqual(new Set(['call_1 shell']));
  expect(partial[1]?.arguments).toMatchObject({ command: expect.stringMatching(/^e/) });
  expect(partial.at(-1)?.arguments).toEqual(args);
  expect(calls).toMatchObject([{ arguments: args }]);
});

test('a text is shown as soon as it can be no tag', async () => {
  const pieces = ['a <', 'b', '\n<tool', 'x', ' 1 <2', '\n<', ' '];
  const events = await eventsOf(withTextTools(saying(pieces)), request('go'));
  const deltas = events.flatMap((event) => (event.type === 'text' ? [event.delta] : []));
  expect(deltas).toEqual(['a <', 'b', '\n', '<toolx', ' 1 <2', '\n', '< ']);
});
