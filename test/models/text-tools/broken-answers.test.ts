import { describe, expect, test } from 'vitest';
import { readAnswer, written } from './read-answer.ts';

const run = written('shell', { command: 'ls' });

describe('the model is told by the tool that it meant, and nothing runs, of', () => {
  const json = '{"name":"shell","arguments":{"command":"ls"}}';
  const broken: readonly (readonly [what: string, answer: string, name: string, says: string, shown?: string])[] = [
    [
      'a call that is cut in its arguments',
      '<tool_call>{"name":"shell","arguments":{"command":"rm -rf /tm',
      'shell',
      '(cut off:)',
    ],
    ['a call that is cut in front of its last brace', run.slice(0, -'}</tool_call>'.length), 'shell', '(cut off:)'],
    ['a call that is cut in its name', '<tool_call>{"name":"she', 'unnamed', '(cut off:)'],
    [
      'a call whose string is never closed',
      '<tool_call>{"name":"shell","arguments":{"command":"ls}}</tool_call>\nDone.',
      'shell',
      '(cut off:)',
    ],
    [
      'a call with two braces too few',
      '<tool_call>{"name":"shell","arguments":{"a":{"b":1}</tool_call>',
      'shell',
      '(no call',
    ],
    ['a call that ends behind its name', '<tool_call>{"name":"shell"</tool_call>', 'shell', '(no call as JSON:)'],
    ['a call that ends behind a comma', '<tool_call>{"name":"shell",</tool_call>', 'shell', '(no call as JSON:)'],
    ['a call with other words', '<tool_call>{"name":"shell","arguments":{"a":Maybe}}</tool_call>', 'shell', '(no call'],
    [
      'a call in which two quotes are mixed',
      `<tool_call>{"name":"shell","arguments":{"a":'b"}}</tool_call>`,
      'shell',
      '(cut off:)',
    ],
    [
      'a call with a number that is none',
      '<tool_call>{"name":"shell","arguments":{"a":1.2.3}}</tool_call>',
      'shell',
      '(no call',
    ],
    [
      'a call with a comma too few',
      '<tool_call>{"name":"shell" "arguments":{}}</tool_call>',
      'shell',
      '(no call as JSON:)',
    ],
    [
      'a function that is cut in its argument',
      '<function=shell>\n<parameter=command>\nrm -rf /tm',
      'shell',
      '(cut off:)',
    ],
    [
      'a list that is cut',
      '[TOOL_CALLS][{"name": "shell", "arguments": {"command": "rm -rf /tm',
      'shell',
      '(cut off:)',
    ],
    ['a name whose arguments are cut', '[TOOL_CALLS]shell[ARGS]{"command": "rm -rf /tm', 'shell', '(cut off:)'],
    ['a call with a comment', '<tool_call>{"name":"shell" /* so */}</tool_call>', 'shell', '(no call as JSON:)'],
    ['a call without a name', '<tool_call>{"arguments":{"command":"ls"}}</tool_call>', 'unnamed', '(no call as JSON:)'],
    ['a call with an empty name', '<tool_call>{"name":" ","arguments":{}}</tool_call>', ' ', '(no call as JSON:)'],
    [
      'a call whose name is a number',
      '<tool_call>{"name":7,"arguments":{}}</tool_call>',
      'unnamed',
      '(no call as JSON:)',
    ],
    [
      'a call whose arguments stand outside',
      '<tool_call>{"name":"shell","command":"ls"}</tool_call>',
      'shell',
      '(no call as JSON:)',
    ],
    [
      'a function of which one argument can be read, and another cannot',
      '<function=shell>\n<parameter=command>ls</parameter>\n<pameter=cwd>x</parameter>\n</function>',
      'shell',
      '(no call as JSON:)',
    ],
    ['an empty call', '<tool_call>{}</tool_call>', 'unnamed', '(no call as JSON:)'],
    [
      'a call that is too deep',
      `<tool_call>{"name":"shell","arguments":${'['.repeat(200)}${']'.repeat(200)}}</tool_call>`,
      'shell',
      '(no call as JSON:)',
    ],
    ['a call without its end tag, in front of text', `<tool_call>${json}\nDone.`, 'shell', '(not closed', '\nDone.'],
    ['a call in front of prose on its line', `<tool_call>${json} is how.\nSo.`, 'shell', '(not closed', '\nSo.'],
  ];
  const cases = broken.map(([what, answer, name, says, shown = '']) => [what, answer, name, says, shown] as const);
  test.each(cases)('%s', async (_what, answer, name, says, shown) => {
    const { calls, ...read } = await readAnswer(answer);
    expect(calls).toEqual([{ name, arguments: expect.stringContaining(says), modelCallId: 'call_1' }]);
    expect(read.shown).toBe(shown);
    // The validation of arguments reads a string that is JSON, and takes an empty one for none.
    expect(() => JSON.parse(String(calls[0]?.arguments))).toThrow();
  });
});
