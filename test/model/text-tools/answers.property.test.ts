import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ReadAnswer, readAnswer, written } from './read-answer.ts';

const property = { seed: 20_261_121, numRuns: Number(process.env.KEYTURN_PROPERTY_RUNS ?? 100) };

const run = written('shell', { command: 'ls' });

/** What is in the way of a reader of tags and code. */
const shards = fc.constantFrom(
  ...['<tool_call>', '</tool_call>', '{"name":"shell",', '"arguments":{"command":"ls"}}', '{', '}', '"', '\\', run],
  ...[
    '`',
    '``',
    '```',
    '~~~',
    '````',
    '\n',
    '\n\n',
    '\r\n',
    ' ',
    '    ',
    '\t',
    '> ',
    '- ',
    '1. ',
    '  ',
    '<',
    '</',
    '<t',
  ],
  ...['<think>', '</think>', 'word', ' a b ', '🙂', '\\`', ':'],
);
const soup = fc.array(shards, { maxLength: 40 }).map((parts) => parts.join(''));
const fullUnicode = fc.string({ unit: 'grapheme', maxLength: 60 });
const anyAnswer = fc.oneof(soup, soup, fullUnicode);

/** A text in pieces. */
function inPieces(text: string, sizes: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

function outcome({ partial, ...read }: ReadAnswer): unknown {
  return read;
}

test('in which pieces an answer comes changes nothing of what comes of it', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });
  const same = fc.asyncProperty(anyAnswer, sizes, async (answer, pieces) => {
    const whole = outcome(await readAnswer(answer));
    expect(outcome(await readAnswer(...inPieces(answer, pieces)))).toEqual(whole);
    expect(outcome(await readAnswer(...answer.split('')))).toEqual(whole);
  });
  await fc.assert(same, property);
});

test('an answer can be cut at every character, and what a call was cut in does not run', async () => {
  const answer = `Look:\n${written('write_file', { path: 'a', content: 'x <tool_call> "}" \\ </tool_call> y' })}\nSo.`;
  const end = answer.indexOf('</tool_call>\nSo');
  for (let length = 0; length <= answer.length; length += 1) {
    const { calls } = await readAnswer(answer.slice(0, length));
    const isWhole = length >= end;
    expect(calls.filter((call) => typeof call.arguments === 'object')).toHaveLength(isWhole ? 1 : 0);
  }
});

describe('whatever else an answer says', () => {
  test('what is in a fence, a quotation or inline code makes no call', async () => {
    const harmless = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '<', '>', '-', '"', '{', '🙂'), maxLength: 30 });
    const wraps = fc.constantFrom(
      (inner: string) => `\n\`\`\`\n${inner}\n${run}\n\`\`\`\n`,
      (inner: string) => `\n- ~~~ xml\n  ${inner.replaceAll('\n', ' ')}\n  ${run}\n  ~~~\n`,
      (inner: string) => `\n> ${inner.replaceAll('\n', '\n> ')}\n> ${run}\n`,
      (inner: string) => `\n\nword \`${inner.replaceAll('\n', ' ')}\n${run}\n\` word\n`,
      (inner: string) => `\n    ${run} ${inner}\n`,
      (inner: string) => `\nword ${run} ${inner}\n`,
    );
    const pieces = fc.array(fc.tuple(wraps, harmless), { minLength: 1, maxLength: 5 });
    const none = fc.asyncProperty(pieces, async (wrapped) => {
      const answer = wrapped.map(([wrap, inner]) => wrap(inner)).join('\n\n');
      const read = await readAnswer(answer);
      expect([read.calls, read.shown]).toEqual([[], answer]);
    });
    await fc.assert(none, property);
  });

  test('what has no tag is shown, byte for byte', async () => {
    const plain = anyAnswer.filter((text) => !text.includes('tool_call') && !text.includes('<think'));
    const all = fc.asyncProperty(plain, async (answer) => {
      expect(await readAnswer(answer)).toMatchObject({ shown: answer, calls: [], reasoning: '' });
    });
    await fc.assert(all, property);
  });

  test('any arguments come through as they are', async () => {
    const through = fc.asyncProperty(
      fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 4 })),
      async (args) => {
        const read = await readAnswer(`So:\n${written('echo', args)}`);
        expect(read.calls).toEqual([
          { name: 'echo', arguments: JSON.parse(JSON.stringify(args)), modelCallId: 'call_1' },
        ]);
        expect(read.shown).toBe('So:\n');
      },
    );
    await fc.assert(through, property);
  });
});

describe('a million characters', () => {
  const million = (text: string): string => text.repeat(Math.ceil(1_000_000 / text.length));
  const hostile: readonly (readonly [string, string])[] = [
    ['of words', million('some words and more of them\n')],
    ['of brackets', million('<')],
    ['of brackets on lines of their own', million('<\n')],
    ['of tags', million('<tool_call>')],
    ['of tags on lines of their own', million('<tool_call>\n')],
    ['of tags and braces', million('<tool_call>{')],
    ['of tags that begin as calls', million('<tool_call>{"')],
    ['of halves of tags', million('\n<tool_cal')],
    ['of tags within each other', `${million('<tool_call>\n{"a":')}1`],
    ['of end tags in a call that is none', `<tool_call>{"a" ? ${million('</tool_cal')}`],
    ['in one string', written('write_file', { content: million('<tool_call>"\\') })],
    ['of broken calls on one line', million('<tool_call>{"a":1}x</tool_call>')],
    ['of calls', million(`${run}\n`)],
    ['of calls that are never closed', million('<tool_call>{"name":"a"}\n')],
    ['in a call that is never finished', `<tool_call>{"name":"shell","arguments":{"command":"${million('ls ')}`],
    ['of deep brackets in a call', `<tool_call>{"name":"shell","arguments":${million('[')}`],
    ['of backticks', million('`')],
    ['of backticks that never match', Array.from({ length: 1400 }, (_, index) => `${'`'.repeat(index)} `).join('')],
    ['of fences', million('```\n')],
    ['of list markers', million('- ')],
    ['of space', million(' ')],
    ['of thoughts', `<think>${million('hm </thin')}`],
  ];
  /** In milliseconds of the processor: what other processes do does not count. */
  const costOf = async (pieces: readonly string[]): Promise<number> => {
    const before = process.cpuUsage();
    await readAnswer(...pieces);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };

  // What takes time with the square of the length takes minutes.
  test.each(hostile)('%s is read in no time, in one piece or in many', async (_what, answer) => {
    expect(await costOf([answer])).toBeLessThan(3000);
    expect(await costOf(inPieces(answer, [20]))).toBeLessThan(3000);
  });
});
