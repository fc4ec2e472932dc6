/**
 * Mutation testing: breaks the code, one small change at a time, and checks that the nearest tests fail:
 *   npm run mutate                           60 changes of the engine, the rules of approvals and the store
 *   npm run mutate -- --count 5 --seed 7     another number, another selection
 *   npm run mutate -- --file src/delivery/send.ts
 * Selects by a hash of the seed and the change, so that most changes stay selected when code around them is edited.
 * Equivalent changes are listed in docs/mutants.json with a reason. Exits with 1 if another change was not noticed.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAst } from 'vitest/node';
import { z } from 'zod';

/** The tests of each part of the code. A feature's tables are tested with the feature. */
const storing = 'approvals,conversations,inbox,journal,outbox,run-state,runs';
const nearest: Readonly<Record<string, string>> = {
  // Workers are tested with their feature.
  'src/engine/*.ts': 'test/engine test/features/agents',
  'src/delivery/*.ts': 'test/delivery test/engine',
  'src/approval/*.ts': 'test/approval test/engine',
  [`src/store/{${storing}}.ts`]: 'test/store test/engine',
  'src/store/{database,database-files,examine,lifetime,migrate,numbers,open,sql,storage-state}.ts':
    'test/store test/daemon/storage.test.ts',
};

const swapped: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
};

interface Mutant {
  readonly file: string;
  readonly tests: string;
  readonly line: number;
  /** The line before and after the change. */
  readonly was: string;
  readonly is: string;
  readonly source: string;
}

type Change = readonly [start: number, end: number, text: string];

/** The used part of a syntax node. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
}

const project = join(import.meta.dirname, '..');
const equivalents = z
  .array(z.object({ file: z.string(), was: z.string(), is: z.string(), because: z.string() }))
  .parse(JSON.parse(readFileSync(join(project, 'docs/mutants.json'), 'utf8')));
const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string' },
  },
});

const mutants = Object.entries(nearest)
  .flatMap(([pattern, tests]) => globSync(pattern, { cwd: project }).flatMap((file) => mutantsOf(file, tests)))
  .filter(({ file }) => options.file === undefined || file === options.file)
  .filter(
    (mutant) =>
      !equivalents.some(({ file, was, is }) => mutant.file === file && mutant.was === was && mutant.is === is),
  )
  .map((mutant) => ({ mutant, rank: hash(`${options.seed}\n${mutant.file}\n${mutant.was}\n${mutant.is}`) }))
  .sort((one, other) => (one.rank < other.rank ? -1 : 1))
  .slice(0, Number(options.count))
  .map(({ mutant }) => mutant);

const copy = copyOfProject();
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
const patience = patienceFor([...new Set(mutants.flatMap(({ tests }) => tests.split(' ')))].join(' '));
const unnoticed = mutants.filter((mutant, index) => {
  const isNoticed = breaksTests(mutant);
  process.stdout.write(
    `${index + 1}/${mutants.length} ${isNoticed ? 'noticed  ' : 'UNNOTICED'} ${mutant.file}:${mutant.line}\n`,
  );
  if (!isNoticed) process.stdout.write(`  - ${mutant.was}\n  + ${mutant.is}\n`);
  return !isNoticed;
});
process.stdout.write(`${mutants.length - unnoticed.length} of ${mutants.length} changes were noticed.\n`);
process.exitCode = unnoticed.length === 0 ? 0 : 1;

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A copy of all files that git would commit. */
function copyOfProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyturn-mutate-'));
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: project,
    encoding: 'utf8',
  });
  for (const name of listed.stdout.split('\0').filter((each) => each !== '')) {
    cpSync(join(project, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Three times the tests' duration without a change, in ms. Throws if they fail. */
function patienceFor(tests: string): number {
  const begun = performance.now();
  const { status, stdout } = runTests(tests, 900_000);
  if (status !== 0) throw new Error(`${tests} fails before anything is broken:\n${stdout.slice(-2000)}`);
  return Math.ceil(3 * (performance.now() - begun));
}

function runTests(tests: string, timeout: number): SpawnSyncReturns<string> {
  const args = ['scripts/run.js', 'vitest', 'run', ...tests.split(' '), '--bail=1', '--reporter=dot'];
  return spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', timeout, killSignal: 'SIGKILL' });
}

/** Whether a test fails or times out with the change. */
function breaksTests({ file, source, tests }: Mutant): boolean {
  const path = join(copy, file);
  const whole = readFileSync(path);
  writeFileSync(path, source);
  try {
    return runTests(tests, patience).status !== 0;
  } finally {
    writeFileSync(path, whole);
  }
}

function mutantsOf(file: string, tests: string): Mutant[] {
  const text = readFileSync(join(project, file), 'utf8');
  // Types become blanks, which keeps offsets.
  const root: unknown = parseAst(stripTypeScriptTypes(text, { mode: 'strip' }));
  return nodesIn(root)
    .flatMap((node) => changesOf(node, text))
    .map(([start, end, changed]) => {
      const source = text.slice(0, start) + changed + text.slice(end);
      const line = text.slice(0, start).split('\n').length;
      const lineOf = (all: string): string => (all.split('\n')[line - 1] ?? '').trim();
      return { file, tests, line, was: lineOf(text), is: lineOf(source), source };
    });
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function nodesIn(value: unknown): SyntaxNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (!isNode(value)) return [];
  return [value, ...Object.values(value).flatMap(nodesIn)];
}

/** The mutations of a node: negated conditions, shifted bounds, removed statements except logging. */
function changesOf(node: SyntaxNode, text: string): Change[] {
  const { type, start, end, test, left, right, operator, value, expression } = node;
  if (/^(?:If|Conditional|While)/.test(type) && isNode(test))
    return [[test.start, test.end, `!(${text.slice(test.start, test.end)})`]];
  if (typeof operator === 'string' && isNode(left) && isNode(right)) {
    const other = swapped[operator];
    const at = text.indexOf(operator, left.end);
    return other === undefined || at >= right.start ? [] : [[at, at + operator.length, other]];
  }
  if (type === 'Literal' && typeof value === 'boolean') return [[start, end, String(!value)]];
  const isStep =
    type === 'ExpressionStatement' && isNode(expression) && /^(?:Call|Await|Assignment|Update)/.test(expression.type);
  return isStep && !/^(?:this\.#?)?[\w.#]*\blog\.\w+\(/.test(text.slice(start, end)) ? [[start, end, ';']] : [];
}
