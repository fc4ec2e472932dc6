import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inPieces, type ReadAnswer, readAnswer, written } from './read-answer.ts';

const property = { seed: 20_261_121, numRuns: Number(process.env.KEYTURN_PROPERTY_RUNS ?? 20) };

const run = written('shell', { command: 'ls' });

/** What is in the way of a reader of tags and code. */
const shards = fc.constantFrom(
  ...['<tool_call>', '</tool_call>', '{"name":"shell",', '"arguments":{"command":"ls"}}', '{', '}', '"', '\\', run],
  ...['`', '``', '```', '~~~', '````', '\n', '\n\n', '\r\n', ' ', '    ', '\t', '> ', '- ', '1. ', '  '],
  ...['<', '</', '<t'],
  ...['word', ' a b ', '🙂', '\\`', ':'],
);
const soup = fc.array(shards, { maxLength: 40 }).map((parts) => parts.join(''));
const fullUnicode = fc.string({ unit: 'grapheme', maxLength: 60 });
const anyAnswer = fc.oneof(soup, soup, fullUnicode);

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
    const plain = anyAnswer.filter((text) => !text.includes('tool_call'));
    const all = fc.asyncProperty(plain, async (answer) => {
      expect(await readAnswer(answer)).toMatchObject({ shown: answer, calls: [] });
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
