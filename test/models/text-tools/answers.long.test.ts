import { describe, test } from 'vitest';
import { expectLinear } from '../../support/processor-time.ts';
import { inPieces, readAnswer, written } from './read-answer.ts';

const run = written('shell', { command: 'ls' });

describe('a million characters', () => {
  const filled = (length: number, text: string): string => text.repeat(Math.ceil(length / text.length));
  const answers: readonly (readonly [string, (length: number) => string])[] = [
    ['of words', (length) => filled(length, 'some words and more of them\n')],
    ['of brackets', (length) => filled(length, '<')],
    ['of brackets on lines of their own', (length) => filled(length, '<\n')],
    ['of tags', (length) => filled(length, '<tool_call>')],
    ['of tags on lines of their own', (length) => filled(length, '<tool_call>\n')],
    ['of tags and braces', (length) => filled(length, '<tool_call>{')],
    ['of tags that begin as calls', (length) => filled(length, '<tool_call>{"')],
    ['of halves of tags', (length) => filled(length, '\n<tool_cal')],
    ['of tags within each other', (length) => `${filled(length, '<tool_call>\n{"a":')}1`],
    ['of end tags in a call that is none', (length) => `<tool_call>{"a" ? ${filled(length, '</tool_cal')}`],
    ['in one string', (length) => written('write_file', { content: filled(length, '<tool_call>"\\') })],
    ['of broken calls on one line', (length) => filled(length, '<tool_call>{"a":1}x</tool_call>')],
    ['of calls', (length) => filled(length, `${run}\n`)],
    ['of calls that are never closed', (length) => filled(length, '<tool_call>{"name":"a"}\n')],
    ['of calls that are no JSON', (length) => filled(length, '<tool_call>{"name":None}</tool_call>\n')],
    [
      'in a call that is never finished',
      (length) => `<tool_call>{"name":"shell","arguments":{"command":"${filled(length, 'ls ')}`,
    ],
    ['of deep brackets in a call', (length) => `<tool_call>{"name":"shell","arguments":${filled(length, '[')}`],
    ['of backticks', (length) => filled(length, '`')],
    [
      'of backticks that never match',
      (length) => Array.from({ length: Math.sqrt(2 * length) }, (_, index) => `${'`'.repeat(index)} `).join(''),
    ],
    ['of fences', (length) => filled(length, '```\n')],
    ['of list markers', (length) => filled(length, '- ')],
    ['of space', (length) => filled(length, ' ')],
  ];
  test.each(answers)('%s is read in time that grows as it does, in one piece or in many', async (_what, answer) => {
    for (const size of [Number.POSITIVE_INFINITY, 20]) {
      await expectLinear((length) => readAnswer(...inPieces(answer(length), [size])), 200_000);
    }
  });
});
