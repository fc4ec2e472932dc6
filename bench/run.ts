/**
 * How fast Keyturn is, beside a bot of a few lines that stores nothing (the bare line) and beside the same work with Node and
 * SQLite alone (the floor). Prints a table; the rounds of all take turns, so that a busy machine meets each of them.
 *
 *     npm run bench -- [ROW…] [--rounds N] [--json]
 *     npm run bench -- compare FOLDER [ROW…] [--rounds N] [--json]      (this checkout beside another one)
 */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findBundle } from '../src/bundle.js';
import type { Figures } from './line/measuring.ts';
import type { Row } from './line/row.ts';
import { firstStart, rows } from './line/rows.ts';
import { bare, floor, keyturn, type Subject } from './line/subjects.ts';
import { type Measured, tableOf } from './line/table.ts';

interface Wish {
  readonly rows: readonly Row[];
  readonly subjects: readonly Subject[];
  readonly rounds: number | undefined;
  readonly json: boolean;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
await bench(wishOf(process.argv.slice(2)));

async function bench(wish: Wish): Promise<void> {
  if (wish.subjects.includes(bare)) installPeers();
  for (const subject of wish.subjects) await warmUp(subject);
  const machine = machineNow();
  if (!wish.json) process.stdout.write(`${Object.values(machine).join(' · ')}\n`);
  const results: Measured[] = [];
  for (const row of wish.rows) {
    const measured = await measure(row, wish);
    results.push(measured);
    if (!wish.json) process.stdout.write(tableOf(measured));
  }
  if (wish.json) process.stdout.write(`${JSON.stringify({ machine, rows: results.map(plain) })}\n`);
  else process.stdout.write(`\nLoad at the end: ${load()}\n`);
}

function wishOf(args: readonly string[]): Wish {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { rounds: { type: 'string' }, json: { type: 'boolean', default: false } },
  });
  const [word, folder = ''] = positionals;
  const isCompared = word === 'compare';
  if (isCompared && !existsSync(join(folder, 'src/start.js')))
    end(`compare FOLDER: "${folder}" is no checkout of Keyturn.`);
  const subjects = isCompared ? [keyturn(), keyturn('other', resolve(folder))] : [keyturn(), bare, floor];
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) end('--rounds: a number from 1 on.');
  return { rows: rowsOf(positionals.slice(isCompared ? 2 : 0)), subjects, rounds, json: values.json };
}

function rowsOf(names: readonly string[]): readonly Row[] {
  const unknown = names.filter((name) => rows.every((row) => row.name !== name));
  if (unknown.length === 0) return names.length === 0 ? rows : rows.filter(({ name }) => names.includes(name));
  const known = rows.map(({ name, about }) => `  ${name.padEnd(14)}${about}`).join('\n');
  return end(`There is no row called ${unknown.join(', ')}. There are:\n${known}`);
}

function end(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}

async function warmUp(subject: Subject): Promise<void> {
  progress(`first start of ${subject.name}`);
  await firstStart(subject);
}

async function measure(row: Row, { subjects, rounds: wanted }: Wish): Promise<Measured> {
  const measured = subjects.filter(({ kind }) => row.of.includes(kind));
  const rounds = new Map<string, Figures[]>(measured.map(({ name }) => [name, []]));
  const count = wanted ?? row.rounds;
  for (let round = 0; round < count; round += 1) {
    // In turns, so that none is always the first.
    for (const subject of round % 2 === 0 ? measured : measured.toReversed()) {
      progress(`${row.name}: round ${round + 1} of ${count}, ${subject.name}`);
      rounds.get(subject.name)?.push(await row.measure(subject));
    }
  }
  progress('');
  return { row, rounds };
}

/** In a terminal one line says what is measured now; nowhere else does anybody wait for it. */
function progress(doing: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${doing}`);
}

function plain({ row, rounds }: Measured): unknown {
  return { row: row.name, about: row.about, rounds: Object.fromEntries(rounds) };
}

function machineNow(): Readonly<Record<string, string>> {
  const [processor] = cpus();
  return {
    processor: `${cpus().length} × ${processor?.model ?? 'unknown'}`,
    memory: `${(totalmem() / 2 ** 30).toFixed(0)} GB`,
    node: `Node ${process.versions.node}`,
    code: findBundle({ isBuilt: false }).folder === undefined ? 'not packed: `npm run build` packs it' : 'packed',
    load: `load ${load()}`,
  };
}

function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(' ');
}

function installPeers(): void {
  const folder = join(import.meta.dirname, 'peers');
  if (isNewer(join(folder, 'node_modules/.package-lock.json'), join(folder, 'package-lock.json'))) return;
  const { status, stderr } = spawnSync(
    'npm',
    ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'],
    {
      encoding: 'utf8',
    },
  );
  if (status === 0) return;
  process.stderr.write(`The bare line could not be installed:\n${stderr}`);
  process.exit(1);
}

function isNewer(made: string, source: string): boolean {
  return existsSync(made) && statSync(made).mtimeMs >= statSync(source).mtimeMs;
}
