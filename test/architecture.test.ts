import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CastAllowances, castViolations } from './support/architecture/code-rules.ts';
import { examples } from './support/architecture/examples.ts';
import { featureTestViolations } from './support/architecture/floors.ts';
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
