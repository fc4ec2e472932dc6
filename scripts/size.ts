/**
 * Measures how much of Keyturn one message runs, in tokens of the files that a reader would open, and how large its parts are. The figures in docs/size.json may only fall:
 *   npm run size                      prints them, and records what has fallen
 *   npm run size -- --check           fails if one has risen (part of `npm run check`)
 *   npm run size -- --because "…"     records rises too, with the reason
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { measureRuns } from '../test/e2e/measured-run.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const recordFile = fileURLToPath(new URL('../docs/size.json', import.meta.url));

const recordSchema = z.object({
  goals: z.record(z.string(), z.number()),
  figures: z.record(z.string(), z.number()),
  /** Newest first. */
  risen: z.array(z.object({ figure: z.string(), from: z.number(), to: z.number(), because: z.string() })),
});

interface Count {
  readonly lines: number;
  readonly tokens: number;
}

/** A comment or one TypeScript token; a string literal is one token. */
const lexeme =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|[\w$#]+|=>|\.\.\.|[<>=!]==?|&&|\|\||\?\?=?|\?\.|[+\-*/]=|\*\*|[^\s\w]/g;

const { values: options } = parseArgs({ options: { check: { type: 'boolean' }, because: { type: 'string' } } });
const measured = await measure();
const record = recordSchema.parse(JSON.parse(readFileSync(recordFile, 'utf8')));
const risen = Object.entries(measured).flatMap(([figure, to]) => {
  const from = record.figures[figure] ?? 0;
  return to > from * (1 + varies(figure)) ? [{ figure, from, to }] : [];
});
if (options.check !== true) print();
if (risen.length > 0 && options.because === undefined) {
  for (const { figure, from, to } of risen) process.stderr.write(`${figure} rose from ${from} to ${to}.\n`);
  process.stderr.write('Leave something out, or give the reason: npm run size -- --because "…"\n');
  process.exitCode = 1;
} else if (options.check !== true) {
  const because = options.because ?? '';
  const next = {
    goals: record.goals,
    figures: measured,
    risen: [...risen.map((each) => ({ ...each, because })), ...record.risen].filter(({ figure }) => figure in measured),
  };
  writeFileSync(recordFile, `${JSON.stringify(next, null, 2)}\n`);
}

/** The tolerated rise, as a share: timers vary what runs, and more tests are welcome. */
function varies(figure: string): number {
  return figure.includes(' runs') || figure.includes(' reads') || figure === 'lines of tests' ? 0.05 : 0;
}

async function measure(): Promise<Readonly<Record<string, number>>> {
  const runs = await measureRuns(root);
  // What the whole product rests on: it stays as it is while features, channels and pages come.
  const core = 'src/{engine,approval,delivery,runs,conversation,words,store}/**/*.ts';
  return {
    'tokens that a hello reads': countFiles(runs.hello.paths).tokens,
    'tokens that an approved call reads': countFiles(runs.approvedCall.paths).tokens,
    'functions that a hello runs': runs.hello.functions,
    'functions that an approved call runs': runs.approvedCall.functions,
    'tokens of the core': count(['src/contract.ts', core]).tokens,
    'lines of the largest feature or channel': Math.max(
      ...ownFolders().map((folder) => count([`${folder}/**/*.ts`]).lines),
    ),
    'tokens of all': count(['{src,channels}/**/*.ts']).tokens,
    'lines of tests': count(['test/**/*.ts']).lines,
  };
}

/** The folders that can be left out, each with all that is its own. */
function ownFolders(): readonly string[] {
  const folders = globSync(['src/features/*/', 'channels/*/'], { cwd: root });
  return folders.map((folder) => relative('.', folder)).filter((folder) => folder !== 'channels/kit');
}

function count(patterns: readonly string[]): Count {
  // Servers of others are installed in test/peers.
  return countFiles(globSync([...patterns], { cwd: root, exclude: (path) => path.endsWith('node_modules') }));
}

function countFiles(paths: readonly string[]): Count {
  const texts = paths.map((path) => countText(readFileSync(`${root}${path}`, 'utf8')));
  return {
    lines: texts.reduce((total, { lines }) => total + lines, 0),
    tokens: texts.reduce((total, { tokens }) => total + tokens, 0),
  };
}

function countText(source: string): Count {
  const lexemes = source.match(lexeme) ?? [];
  const tokens = lexemes.filter((text) => !text.startsWith('//') && !text.startsWith('/*')).length;
  return { lines: source.split('\n').length - 1, tokens };
}

function print(): void {
  for (const [figure, now] of Object.entries(measured)) {
    const before = record.figures[figure];
    const goal = record.goals[figure] === undefined ? '' : `  goal ${record.goals[figure]}`;
    const change = before === undefined || before === now ? '' : `  was ${before}`;
    console.log(`${figure.padEnd(40)}${String(now).padStart(8)}${goal}${change}`);
  }
  console.log('\nThe largest folders:');
  for (const [folder, lines] of largestFolders()) console.log(`  ${folder.padEnd(38)}${String(lines).padStart(8)}`);
}

/** The largest parts: folders of `src/features`, `src` and `channels`. */
function largestFolders(): readonly (readonly [string, number])[] {
  const folders = globSync(['src/features/*/', 'src/*/', 'channels/*/'], { cwd: root })
    .map((folder) => relative('.', folder))
    .filter((folder) => folder !== 'src/features');
  return folders
    .map((folder) => [folder, count([`${folder}/**/*.ts`]).lines] as const)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 20);
}
