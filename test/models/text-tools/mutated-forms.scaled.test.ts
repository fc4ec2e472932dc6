import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../support/random.ts';
import { isThorough } from '../../support/thorough.ts';
import { quotations, readForm, spellings, theCalls } from './written-forms.ts';

const mutations = isThorough ? 20_000 : 2_000;

const shards: readonly [string, ...string[]] = [
  ...(['<', '>', '{', '}', '[', ']', '(', ')', '"', "'", '\\', '|', ':', ',', '=', '_', 'a', '😀'] as const),
  ...[
    '\n',
    '\n\n',
    '\r\n',
    ' ',
    'word ',
    '`',
    '```',
    '> ',
    '</tool_call>',
    '<tool_call>',
    '<|',
    '[TOOL_CALLS]',
    'Action: ',
  ],
];

/** Up to three places behind `from` are left out, added, doubled or changed. */
function mutated(text: string, random: SeededRandom, from = 0): string {
  let made = text;
  for (let times = random.integer(1, 3); times > 0; times -= 1) {
    const at = random.integer(from, Math.max(from, made.length));
    const length = random.integer(1, 4);
    const [before, behind] = [made.slice(0, at), made.slice(at)];
    const ways: readonly [string, ...string[]] = [
      before + behind.slice(length),
      before + random.pick(shards) + behind,
      before + random.pick(shards) + behind.slice(1),
      before + behind.slice(0, length * 5) + behind,
    ];
    made = random.pick(ways);
  }
  return made;
}

function inAnyPieces(text: string, random: SeededRandom): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 1) {
    pieces.push(text.slice(at, at + random.integer(1, random.pick([1, 4, 24]))));
  }
  return pieces;
}

/** From the first mark of a call to the name of its tool. */
const head = /^[\s\S]*?shell(?:\.call)?[\s\S]/;
const marked = spellings.filter(({ answer }) => /^(?:<[^s]|\[TOOL|functools|✿|>>>)/.test(answer));

describe(`in ${mutations} answers that are a little wrong`, () => {
  test('the pieces in which one comes change nothing of what is shown and called', () => {
    const random = new SeededRandom(20_261_129);
    const forms = [...spellings, ...quotations];
    for (let count = 0; count < mutations; count += 1) {
      const answer = mutated(forms[random.integer(0, forms.length - 1)]?.answer ?? '', random);
      const reads = random.pick<'anywhere' | 'end'>(['anywhere', 'end']);
      const whole = readForm([answer], reads);
      expect(readForm(inAnyPieces(answer, random), reads), JSON.stringify([reads, answer])).toEqual(whole);
    }
  });

  test('a call between marks is never shown, whatever is wrong behind the name of its tool', () => {
    const random = new SeededRandom(20_261_130);
    for (let count = 0; count < mutations; count += 1) {
      const { answer = '' } = marked[random.integer(0, marked.length - 1)] ?? {};
      const begin = head.exec(answer)?.[0] ?? '';
      const wrong = mutated(answer, random, begin.length);
      const { shown, calls } = readForm(inAnyPieces(wrong, random));
      expect(shown, JSON.stringify(wrong)).not.toContain(begin.trim());
      expect(calls.length, JSON.stringify(wrong)).toBeGreaterThan(0);
    }
  });

  test('none that is quoted runs', () => {
    const random = new SeededRandom(20_261_131);
    for (let count = 0; count < mutations; count += 1) {
      const form = spellings[random.integer(0, spellings.length - 1)]?.answer ?? '';
      // Nothing in it ends the quotation.
      const inner = mutated(form, random)
        .replaceAll('`', '')
        .replace(/<\/(?:pre|code)>|-->|\n\s*(?=\n)/g, '');
      const quoted = random.pick([
        `A call looks like this:\n\n\`\`\`\`\n${inner}\n\`\`\`\`\n`,
        `So:\n~~~~~ xml\n${inner.replaceAll('~', '')}\n~~~~~`,
        `<pre>\n${inner}\n</pre>`,
        `<code>\n${inner}\n</code>`,
        `<!--\n${inner}\n-->`,
        `> ${inner.replaceAll('\n', '\n> ')}`,
        `> It says\n${inner.replaceAll('\n', ' ').trimStart()}`,
        `| Form |\n|---|\n| ${inner.replaceAll('\n', ' ')} |`,
        `    ${inner.replaceAll('\n', '\n    ')}`,
        `Write \`${inner.replaceAll('\n', ' ')}\` for it.`,
      ]);
      const reads = random.pick<'anywhere' | 'end'>(['anywhere', 'end']);
      const { shown, calls } = readForm(inAnyPieces(quoted, random), reads);
      expect([calls, shown], JSON.stringify([reads, quoted])).toEqual([[], quoted]);
    }
  });
});

/** Where a plain text is the input, nothing tells that it is cut. */
const cuttable = spellings.filter(({ title }) => !/plain input|quoted input/.test(title));

test.each(cuttable)('nothing runs that was not written to its end: $title', ({ answer }) => {
  for (let length = 0; length < answer.length; length += 1) {
    for (const reads of ['anywhere', 'end'] as const) {
      const { calls } = readForm([answer.slice(0, length)], reads);
      const run = calls.filter((call) => typeof call.arguments === 'object');
      expect(run, answer.slice(0, length)).toEqual(theCalls.slice(0, run.length));
    }
  }
});
