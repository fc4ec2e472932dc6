import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CastAllowances, castViolations } from './support/architecture/code-rules.ts';
import { examples } from './support/architecture/examples.ts';
import { featureTestViolations } from './support/architecture/floors.ts';
import { sentencesIn, sentenceViolations } from './support/architecture/sentence-rules.ts';
import { sentencesToMove } from './support/architecture/sentences-to-move.ts';
import { parseFile, readFiles } from './support/architecture/source-file.ts';
import { testViolations } from './support/architecture/test-rules.ts';

/** Where `as` is allowed, how often, and for which library's wrong types. */
const castAllowances: CastAllowances = {
  'channels/telegram/api.ts': { casts: 2, reason: 'grammY wants the AbortSignal of a polyfill' },
};

const a = 'src/engine/a.ts';
const root = join(import.meta.dirname, '..');
const code = readFiles(
  root,
  ['src', 'channels', 'packages/*/src', 'scripts', 'bench'].map((folder) => `${folder}/**/*.ts`),
);
const tests = readFiles(root, ['test/**/*.ts']);
const testRules: ReadonlySet<unknown> = new Set([testViolations, featureTestViolations]);

describe.each(examples)('$promise', ({ rule, bad, good }) => {
  test.each(bad)('%s may not say: %s', (path, source) => {
    expect(rule(parseFile(path, source))).not.toEqual([]);
  });

  test.each(good)('%s may say: %s', (path, source) => {
    expect(rule(parseFile(path, source))).toEqual([]);
  });

  test('the project keeps to it', () => {
    const files = testRules.has(rule) ? tests : code;
    const violations = files.flatMap((file) =>
      rule === castViolations ? castViolations(file, castAllowances) : rule(file),
    );
    expect(violations).toEqual([]);
  });
});

test.each(['grammy', '@slack/bolt', 'discord.js', 'better-sqlite3', 'zod', 'pino'])(
  'the running program imports %s by its name, as its users asked',
  (name) => {
    const targets = code.filter(({ path }) => /^(src|channels)\//.test(path)).flatMap(({ imports }) => imports);
    expect(targets.map(({ target }) => target)).toContain(name);
  },
);

describe('what a person reads stands in the words.ts of its folder', () => {
  test.each([
    "const b = 'You may not do that.';",
    'const b = `This could not be shown here`;',
    "answer(d ? 'Nothing waits here.' : e);",
    "throw new ChannelError('It answers no more.', f);",
  ])('src/engine/a.ts may not say: %s', (source) => {
    expect(sentencesIn(parseFile(a, source))).not.toEqual([]);
  });

  test.each([
    "log.warn({ b }, 'a run waits for its model');",
    "const b = z.string().describe('The key of the server.');",
    "const c = { description: 'Reads a file of the workspace.' };",
    "throw new Error('the approval is about nothing');",
    "const d = sql.find(e, 'SELECT * FROM calls WHERE id = ?', f);",
    "const refusedResult = 'Not executed: a rule forbids it.';",
    'const g = words.late({ at });',
    "import { b } from './a b c.ts';",
  ])('src/engine/a.ts may say: %s', (source) => {
    expect(sentencesIn(parseFile(a, source))).toEqual([]);
  });

  test('the project keeps to it, but for what is still to be moved', () => {
    expect(sentenceViolations(code, sentencesToMove)).toEqual([]);
  });
});

describe('the test itself', () => {
  test('reads the files of the project', () => {
    expect(code.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['src/contract.ts', 'src/tools/tool.ts', 'packages/client/src/client.ts']),
    );
    expect(tests.map(({ path }) => path)).toContain('test/architecture.test.ts');
  });

  test('lets a file cast as often as it is allowed to, not more and not less', () => {
    const file = parseFile(a, 'const b = c as D;');
    expect(castViolations(file, { [a]: { casts: 1, reason: 'c is typed wrong' } })).toEqual([]);
    expect(castViolations(file, { [a]: { casts: 2, reason: 'c is typed wrong' } })).not.toEqual([]);
  });

  test('allows casts only in files that exist', () => {
    expect(code.map(({ path }) => path)).toEqual(expect.arrayContaining(Object.keys(castAllowances)));
  });
});
