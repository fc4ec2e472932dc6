import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { begin, type Figures, inTurn } from './measuring.ts';
import { onStand } from './row.ts';
import type { Stand } from './stand.ts';
import type { Subject } from './subjects.ts';

const messages = 100;
/** What is written after an answer belongs to it, in ms. */
const rest = 1500;
const counter = join(import.meta.dirname, 'counting.js');

/** What each of 100 messages, one after the other, asks SQLite, the disk and the system for. The machine's load changes none of it. */
export async function countsOf(subject: Subject): Promise<Figures> {
  const asked = await onStand(subject, askedBy, { nodeArguments: ['--import', counter] });
  const hasStrace = spawnSync('strace', ['-V']).status === 0;
  if (!hasStrace) process.stderr.write('\rstrace is missing: system calls and fdatasync are not counted.\n');
  const called = hasStrace ? await onStand(subject, callsBy) : {};
  return { ...asked, ...called };
}

async function atRest(stand: Stand): Promise<void> {
  await begin(stand);
  await inTurn(stand, 20);
  await sleep(rest);
}

async function askedBy(stand: Stand): Promise<Figures> {
  await atRest(stand);
  const before = await countsIn(stand);
  await inTurn(stand, messages);
  await sleep(rest);
  const after = await countsIn(stand);
  return Object.fromEntries(
    Object.entries(after).map(([name, count]) => [name, (count - (before[name] ?? 0)) / messages]),
  );
}

/** Since the start. */
async function countsIn(stand: Stand): Promise<Figures> {
  rmSync(stand.countsFile, { force: true });
  process.kill(stand.pid, 'SIGUSR2');
  while (!existsSync(stand.countsFile)) await sleep(10);
  const calls = [...stand.platform.asked].filter(([method]) => method !== 'getupdates').map(([, count]) => count);
  return {
    ...countsAt(stand.countsFile),
    'KB to the disk': stand.written,
    'KB to the model': stand.model.bytes / 1024,
    'calls of Telegram besides polls': calls.reduce((sum, count) => sum + count, 0),
  };
}

function countsAt(file: string): Figures {
  const counts = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  return counts;
}

async function callsBy(stand: Stand): Promise<Figures> {
  await atRest(stand);
  const file = join(stand.folder, 'calls');
  const strace = spawn('strace', ['-f', '-c', '-U', 'calls,name', '-o', file, '-p', `${stand.pid}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await attached(strace);
  await inTurn(stand, messages);
  await sleep(rest);
  const ended = once(strace, 'exit');
  strace.kill('SIGINT');
  await ended;
  const calls = [...readFileSync(file, 'utf8').matchAll(/^\s*(\d+)\s+(\w+)\s*$/gm)].map(
    ([, count = '0', name = '']) => [name, Number(count) / messages] as const,
  );
  const named = Object.fromEntries(calls.filter(([name]) => name === 'fdatasync' || name === 'fsync'));
  const sum = calls.filter(([name]) => name !== 'total').reduce((all, [, count]) => all + count, 0);
  return { 'syncs of the disk': (named.fdatasync ?? 0) + (named.fsync ?? 0), 'system calls': sum };
}

async function attached({ stderr }: ChildProcess): Promise<void> {
  for await (const chunk of stderr?.iterator({ destroyOnReturn: false }) ?? []) if (/attached/.test(`${chunk}`)) return;
}
