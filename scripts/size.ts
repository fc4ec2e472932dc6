/**
 * Measures the size of Keyturn, and how much of it one message runs. The figures in docs/size.json may only fall:
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
  readonly files: number;
  readonly lines: number;
  readonly codeLines: number;
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
    risen: [...risen.map((each) => ({ ...each, because })), ...record.risen],
  };
  writeFileSync(recordFile, `${JSON.stringify(next, null, 2)}\n`);
}

/** The tolerated rise, as a share: timers vary what runs, and more tests are welcome. */
function varies(figure: string): number {
  return figure.includes('runs') || figure === 'lines of tests' ? 0.05 : 0;
}

async function measure(): Promise<Readonly<Record<string, number>>> {
  const product = count('{src,channels}/**/*.ts');
  const engine = count('src/engine/*.ts');
  const tests = count('test/**/*.ts');
  const runs = await measureRuns(root);
  return {
    files: product.files,
    lines: product.lines,
    'lines of code': product.codeLines,
    tokens: product.tokens,
    'lines of the engine': engine.lines,
    'files of the engine': engine.files,
    'lines of delivery': count('src/delivery/*.ts').lines,
    'lines of tests': tests.lines,
    'files that a hello runs': runs.hello.files,
    'functions that a hello runs': runs.hello.functions,
    'files that an approved call runs': runs.approvedCall.files,
    'functions that an approved call runs': runs.approvedCall.functions,
  };
}

function count(pattern: string): Count {
  // Servers of others are installed in test/peers.
  const paths = globSync(pattern, { cwd: root, exclude: (path) => path.endsWith('node_modules') });
  const texts = paths.map((path) => countText(readFileSync(`${root}${path}`, 'utf8')));
  const sum = (key: keyof Omit<Count, 'files'>): number => texts.reduce((total, text) => total + text[key], 0);
  return { files: texts.length, lines: sum('lines'), codeLines: sum('codeLines'), tokens: sum('tokens') };
}

/** A code line holds more than a comment. */
function countText(source: string): Omit<Count, 'files'> {
  let tokens = 0;
  const code = source.replace(lexeme, (text) => {
    if (text.startsWith('//') || text.startsWith('/*')) return '';
    tokens += 1;
    return text;
  });
  const lines = source.split('\n').length - 1;
  return { lines, codeLines: code.split('\n').filter((line) => line.trim() !== '').length, tokens };
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
    .map((folder) => [folder, count(`${folder}/**/*.ts`).lines] as const)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 20);
}
