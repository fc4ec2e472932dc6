import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CastAllowances, castViolations } from './support/architecture/code-rules.ts';
import { examples } from './support/architecture/examples.ts';
import { featureTestViolations } from './support/architecture/floors.ts';
import { otherReaders } from './support/architecture/other-readers.ts';
import { quotedSentences, rowsSaid } from './support/architecture/quoted-sentences.ts';
import { sentencesIn, sentenceViolations } from './support/architecture/sentence-rules.ts';
import {
  inferredContracts,
  type LengthAllowances,
  literalSpreadViolations,
  longFunctionViolations,
  nestedFunctions,
  type SpreadAllowances,
} from './support/architecture/shape-rules.ts';
import { parseFile, readFiles, type SourceFile, type Violation } from './support/architecture/source-file.ts';
import { testViolations } from './support/architecture/test-rules.ts';

/** Where `as` is allowed, how often, and for which library's wrong types. */
const castAllowances: CastAllowances = {
  'channels/telegram/bot-api-client.ts': { casts: 2, reason: 'grammY wants the AbortSignal of a polyfill' },
};

/** Files with a function that was too long when the rule came, or when it stood with the tests. None may join them. */
const longFunctions: LengthAllowances = new Set([
  'bench/attacks/laundering.ts',
  'packages/fakes/src/discord-server.ts',
  'packages/fakes/src/slack-server.ts',
  'packages/fakes/src/slack/workspace.ts',
  'packages/fakes/src/telegram-server.ts',
  'src/store/outbox.ts',
]);

/** Files that spread literals, and how often. The numbers may only fall. */
const literalSpreads: SpreadAllowances = {
  'bench/attacks/sources.ts': 1,
  'bench/bench-daemon.ts': 2,
};

/** How many functions stand in others, and how many types are inferred from a function, in all. The numbers may only fall. */
const mostNested = 129;
const mostInferred = 11;

/** How many texts of tests repeat a sentence that people read, in all. May only fall. */
const mostQuoted = 150;

const a = 'src/engine/a.ts';
const root = join(import.meta.dirname, '..');
const code = readFiles(
  root,
  ['src', 'channels', 'packages/*/src', 'scripts', 'bench'].map((folder) => `${folder}/**/*.{ts,tsx}`),
);
const tests = readFiles(root, ['test/**/*.ts']);
const testRules: ReadonlySet<unknown> = new Set([testViolations, featureTestViolations]);

function violationsIn(file: SourceFile, rule: (file: SourceFile) => readonly Violation[]): readonly Violation[] {
  switch (rule) {
    case castViolations:
      return castViolations(file, castAllowances);
    case longFunctionViolations:
      return longFunctionViolations(file, longFunctions);
    case literalSpreadViolations:
      return literalSpreadViolations(file, literalSpreads);
    default:
      return rule(file);
  }
}

describe.each(examples)('$promise', ({ rule, bad, good }) => {
  test.each(bad)('%s may not say: %s', (path, source) => {
    expect(rule(parseFile(path, source))).not.toEqual([]);
  });

  test.each(good)('%s may say: %s', (path, source) => {
    expect(rule(parseFile(path, source))).toEqual([]);
  });

  test('the project keeps to it', () => {
    const files = testRules.has(rule) ? tests : code;
    expect(files.flatMap((file) => violationsIn(file, rule))).toEqual([]);
  });
});

describe('an outline shows what a module does', () => {
  const running = code.filter(({ path }) => /^(?:src|channels|packages\/client)\//.test(path));

  test('few functions stand within functions', () => {
    const all = running.flatMap((file) => nestedFunctions(file).map((name) => `${file.path}: ${name}`));
    expect(all.length, all.join('\n')).toBeLessThanOrEqual(mostNested);
  });

  test('few types are what some function happens to return', () => {
    const all = running.flatMap((file) => Array.from({ length: inferredContracts(file) }, () => file.path));
    expect(all.length, all.join('\n')).toBeLessThanOrEqual(mostInferred);
  });

  test.each([
    ['a function in a function', 'function f() { function g() { return 1; } return g; }', ['g']],
    ['one that a variable is given', 'function f() { const g = () => { h(); }; return g; }', ['g']],
    ['a method that does more than hand on', `function f() { return { g() {\n${'h();\n'.repeat(9)}} }; }`, ['g']],
    ['a method that hands on', 'function f() { return { g: (x) => h(x), i() { return j(); } }; }', []],
    ['an expression', 'function f() { const isLong = (x) => x > 3; return a.filter(isLong); }', []],
    ['a callback', 'function f() { a.forEach((x) => { b(x); c(x); }); }', []],
    ['a function of the module', 'const f = () => { g(); }; function g() {} class C { h() { g(); } }', []],
  ] as const)('%s is counted rightly', (_what, source, names) => {
    expect(nestedFunctions(parseFile(a, source))).toEqual(names);
  });

  test('a type that is inferred from a function is counted, however it is used', () => {
    const source = 'type A = ReturnType<typeof f>; const b: Awaited<ReturnType<typeof g>> = c; type D = ReturnType<E>;';
    expect(inferredContracts(parseFile(a, source))).toBe(2);
  });
});

test.each(['grammy', '@slack/bolt', 'discord.js', 'better-sqlite3', 'zod', 'pino'])(
  'the running program imports %s by its name, as its users asked',
  (name) => {
    const targets = code.filter(({ path }) => /^(src|channels)\//.test(path)).flatMap(({ imports }) => imports);
    // Or a part of it that is named, too: `grammy/web`.
    expect(targets.map(({ target }) => target.split('/').slice(0, name.split('/').length).join('/'))).toContain(name);
  },
);

describe('what a person reads stands in the words.ts of its folder', () => {
  test.each([
    "const b = 'You may not do that.';",
    'const b = `This could not be shown here`;',
    "answer(d ? 'Nothing waits here.' : e);",
    "throw new ChannelError('It answers no more.', f);",
    "const b = 'read, write and close it, then start again';",
  ])('src/engine/a.ts may not say: %s', (source) => {
    expect(sentencesIn(parseFile(a, source))).not.toEqual([]);
  });

  test.each([
    "log.warn({ b }, 'a run waits for its model');",
    "log[level]({ b }, 'a run waits for its model');",
    "host.log[level]({ b }, 'an event is tried again');",
    "if (d.includes('no answer in time')) e();",
    "f.abort(new DOMException('no answer in time', 'TimeoutError'));",
    "const b = z.string().describe('The key of the server.');",
    "const b = { list_dir: switchedTool('Lists a folder in the workspace.') };",
    "const c = { description: 'Reads a file of the workspace.' };",
    "throw new Error('the approval is about nothing');",
    "const d = sql.find(e, 'SELECT * FROM calls WHERE id = ?', f);",
    "const d = '-- Messages to people. A change of the text is a new revision.'",
    "const d = 'seq > ? AND state = ? ORDER BY seq DESC'",
    "const d = 'LEFT JOIN people AS person ON direct'",
    "const d = 'id, name, run_id, is_deferred'",
    "const d = new Sqlite.SqliteError('another program has it', 'SQLITE_BUSY');",
    "const refusedResult = 'Not executed: a rule forbids it.';",
    'const g = words.late({ at });',
    "import { b } from './a b c.ts';",
  ])('src/engine/a.ts may say: %s', (source) => {
    expect(sentencesIn(parseFile(a, source))).toEqual([]);
  });

  test.each([
    ['const b = <p>Nothing waits here.</p>;', 1],
    ["const b = <p title='Nothing waits here.'>{c}</p>;", 1],
    ['const b = <p class="card card-wide">{words.nothing}</p>;', 0],
  ] as const)('of a page, %s is counted rightly', (source, count) => {
    expect(sentencesIn(parseFile('packages/page/src/views/a.tsx', source))).toHaveLength(count);
  });

  test('the project keeps to it', () => {
    expect(code.flatMap(sentenceViolations)).toEqual([]);
  });
});

describe('tests ask the catalogues what is said', () => {
  /** The page's own words are seen in the page alone. */
  const said = rowsSaid(code.filter(({ path }) => !path.startsWith('packages/page/')));
  const saidInPage = rowsSaid(code);

  test.each([
    ['a text', "expect(a).toBe('No longer trusted by you.')", 1],
    ['a pattern', 'expect(a).toMatch(/no longer trusted by/)', 1],
    ['a template', 'expect(a).toBe(`no longer trusted by you`)', 1],
    ['a title', "test('is no longer trusted by you', () => { b(); })", 0],
    ['a part that has other words', "expect(a).toBe('no longer trusted')", 0],
    ['a table', "test.each([['no longer trusted by you', 1]])('%s', () => { b(); })", 0],
    ['an error that the test makes', "reject(new Error('no longer trusted by you'))", 0],
    ['an address', "expect(a).toBe('https://no.longer/trusted/by')", 0],
    ['a pattern that goes on behind what it leaves open', 'expect(a).toMatch(/no longer \\S trusted by/)', 0],
    ['a text on several lines', 'expect(a).toBe(`It is\\nno longer trusted by you`)', 1],
  ] as const)('%s is counted rightly', (_what, source, count) => {
    expect(quotedSentences(parseFile(a, source), new Set(['no longer trusted by']))).toHaveLength(count);
  });

  test.each([
    ['a sentence', "catalogue({ en: { a: 'It is stopped now.' } })", ['it is stopped now']],
    ['words that every sentence has', "catalogue({ en: { a: 'That is not in the one' } })", []],
    ['a path that it imports', "import { b } from '../it/is/stopped/now.ts';", []],
    ['a key', "catalogue({ en: { a: 'it.is.stopped.now' } })", []],
  ] as const)('a catalogue says %s', (_what, source, rows) => {
    expect([...rowsSaid([parseFile('src/engine/words.ts', source)])]).toEqual(rows);
  });

  function saidTo({ path }: SourceFile): ReadonlySet<string> {
    return path.startsWith('test/features/page/') ? saidInPage : said;
  }

  test('few repeat a sentence', () => {
    const all = tests
      .filter(({ path }) => !path.startsWith('test/words/'))
      .flatMap((file) => quotedSentences(file, saidTo(file)).map((text) => `${file.path}: ${text}`));
    expect(all.length, all.join('\n')).toBeLessThanOrEqual(mostQuoted);
  });

  test.each(Object.keys(otherReaders))('%s is read by others, and has sentences', (path) => {
    const place = path.endsWith('.tsx') ? 'src/engine/a.tsx' : a;
    const file = parseFile(place, code.find((one) => one.path === path)?.source ?? '');
    expect(sentencesIn(file)).not.toEqual([]);
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

  test('lets a file spread as many literals as it is allowed to, and no more', () => {
    const file = parseFile(a, 'const b = { ...{ c, d }, ...{ e } };');
    expect(literalSpreadViolations(file, { [a]: 2 })).toEqual([]);
    expect(literalSpreadViolations(file, { [a]: 1 })).not.toEqual([]);
  });

  test('lets only listed files have a long function', () => {
    const file = parseFile(a, `function f() {${'\n'.repeat(80)}}`);
    expect(longFunctionViolations(file, new Set([a]))).toEqual([]);
    expect(longFunctionViolations(file, new Set(['src/engine/b.ts']))).not.toEqual([]);
  });
});
