import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { demoWords } from '../../src/cli/commands/demo/words.ts';
import { languages } from '../../src/lib/words.ts';
import { newFolder } from '../support/new-folder.ts';
import { type OnTerminal, startOnTerminal } from './on-terminal.ts';

/** The sources: a demo starts what it was started by, and its processes end with it. */
const entry = resolve(import.meta.dirname, '../../src/start.js');
const say = demoWords.en;

interface Place {
  readonly folder: string;
  /** The only place for temporary folders. */
  readonly temporary: string;
  readonly env: Readonly<Record<string, string>>;
}

async function newPlace(): Promise<Place> {
  const folder = await newFolder();
  const temporary = join(folder, 'a 文件夹 of its own');
  mkdirSync(temporary);
  return { folder, temporary, env: { PATH: process.env.PATH ?? '', TMPDIR: temporary } };
}

async function play({ folder, env }: Place, locale: string) {
  const child = spawn(process.execPath, [entry, 'demo'], { cwd: folder, env: { ...env, LANG: locale } });
  child.stdin.end();
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

const locales = { en: 'C', zh: 'zh_CN.UTF-8' };

test.each(languages)('in %s it tells the story through, without a terminal, and leaves nothing', async (language) => {
  const place = await newPlace();
  const { code, stdout, stderr } = await play(place, locales[language]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const told = demoWords[language];
  const parts = [told.intro, told.writes, told.stands, told.presses, told.once({ lines: 1 }), told.end];
  expect(parts.filter((part) => !stdout.includes(part))).toEqual([]);
  const [first, second] = [...stdout.matchAll(/\d{3,}/g)].map(([pid]) => pid);
  expect(first).toBe(second);
  expect(stdout).toMatch(/│ \[ ✅ .+ \]/);
  expect(readdirSync(place.temporary)).toEqual([]);
  expect(readdirSync(place.folder)).toEqual(['a 文件夹 of its own']);
});

test('a reader that has seen enough ends it, and nothing is left', async () => {
  const { folder, temporary, env } = await newPlace();
  const child = spawn(process.execPath, [entry, 'demo', '--fast'], { cwd: folder, env });
  child.stdin.end();
  child.stdout.once('data', () => child.stdout.destroy());
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ code: child.exitCode, stderr }).toEqual({ code: 0, stderr: '' });
  expect(readdirSync(temporary)).toEqual([]);
});

/** Plays it at a terminal up to what is written there, a key after each step. */
async function playTo(words: string, { folder, env }: Place): Promise<OnTerminal> {
  const demo = startOnTerminal({ folder, columns: 100, env, args: ['demo'], entry });
  for (let step = 1; !demo.written().includes(words); step += 1) {
    await expect.poll(() => demo.written().split(say.anyKey.trim()).length).toBeGreaterThan(step);
    if (!demo.written().includes(words)) demo.type(' ');
  }
  return demo;
}

function folderOf({ temporary }: Place): string {
  const [name = ''] = readdirSync(temporary).filter((one) => one.startsWith('keyturn-demo-'));
  return join(temporary, name);
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The Keyturn that the demo has started last. */
function startedPid(demo: OnTerminal): number {
  return Number([...demo.written().matchAll(/process (\d+)\./g)].at(-1)?.[1]);
}

describe('at a terminal it waits for a key after each step', () => {
  test('and fails where the command ran twice', async () => {
    const place = await newPlace();
    const demo = await playTo(say.ran, place);
    appendFileSync(join(folderOf(place), 'workspace', 'orders.txt'), 'one coffee\n');
    demo.type(' ');
    await demo.wrote(say.wrongs.ranTwice);
    await demo.ended();
    expect(readdirSync(place.temporary)).toEqual([]);
  });

  test('q ends it, and nothing of it runs on', async () => {
    const place = await newPlace();
    const demo = await playTo(say.nothingYet, place);
    const pid = startedPid(demo);
    expect(runs(pid)).toBe(true);
    demo.type('q');
    await demo.wrote(say.stopped);
    await demo.ended();
    expect(runs(pid)).toBe(false);
    expect(readdirSync(place.temporary)).toEqual([]);
  });

  test('where the terminal is closed, nothing of it is left', async () => {
    const place = await newPlace();
    const demo = await playTo(say.nothingYet, place);
    const own = Number(readFileSync(join(folderOf(place), 'demo.pid'), 'utf8'));
    const started = startedPid(demo);
    // The program that shows it: its parent.
    process.kill(Number(readFileSync(`/proc/${own}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]), 'SIGKILL');
    await demo.ended();
    await expect.poll(() => runs(own) || runs(started)).toBe(false);
    expect(readdirSync(place.temporary)).toEqual([]);
  });

  test('killed itself, it takes its Keyturn along, and the next one removes what it has left', async () => {
    const place = await newPlace();
    const demo = await playTo(say.nothingYet, place);
    const [pid, folder] = [startedPid(demo), folderOf(place)];
    process.kill(Number(readFileSync(join(folder, 'demo.pid'), 'utf8')), 'SIGKILL');
    await demo.ended();
    await expect.poll(() => runs(pid)).toBe(false);
    expect(existsSync(folder)).toBe(true);
    expect((await play(place, 'C')).code).toBe(0);
    expect(readdirSync(place.temporary)).toEqual([]);
  });
});
