import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../support/new-folder.ts';
import { newStore } from '../support/store-setting.ts';

const start = resolve(import.meta.dirname, '../../src/start.js');
const work = resolve(import.meta.dirname, '../../src/store/backup/backup-work.ts');
const low = constants.priority.PRIORITY_BELOW_NORMAL;

/** Runs in a process before its own code: at its end, it writes the priorities of its threads, lowered to this at first. */
function tellingPriority(first: number): string {
  const code = `import os from 'node:os'; import fs from 'node:fs';
    os.setPriority(${first});
    process.on('exit', () => {
      const ids = process.platform === 'linux' ? fs.readdirSync('/proc/self/task').map(Number) : [0];
      fs.writeSync(2, JSON.stringify(ids.map((id) => os.getPriority(id))));
    });`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** The priorities of the threads at the end. */
function priorities(args: readonly string[], env: Readonly<Record<string, string>>, first = 0): readonly number[] {
  const all = ['--import', tellingPriority(first), ...args];
  const { status, stderr } = spawnSync(process.execPath, all, {
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^\[[\d,]+\]$/)]);
  return JSON.parse(stderr);
}

async function newHome(): Promise<string> {
  const home = await newFolder();
  mkdirSync(join(home, 'data'));
  const { store, file } = await newStore();
  await store.close();
  copyFileSync(file, join(home, 'data/keyturn.db'));
  writeFileSync(join(home, 'config.json'), '{"data_dir":"./data"}');
  return home;
}

test('a backup leaves the processors to the daemon, with all of its threads', async () => {
  const home = await newHome();
  const found = priorities([start, 'backup'], { KEYTURN_HOME: home });
  expect(found.length).toBeGreaterThan(0);
  expect(Math.min(...found)).toBe(low);
});

test('one that was started with a still lower priority keeps it', async () => {
  const home = await newHome();
  expect(priorities([start, 'backup'], { KEYTURN_HOME: home }, low + 5)[0]).toBe(low + 5);
});

test('so does the process that makes the one of each day', async () => {
  const order = {
    dataFolder: join(await newHome(), 'data'),
    target: join(await newFolder(), 'b.tar.gz'),
    replaces: false,
    at: 1,
  };
  const code = `const { backUp } = await import(${JSON.stringify(work)}); await backUp(${JSON.stringify(order)});`;
  expect(Math.min(...priorities(['--input-type=module', '-e', code], {}))).toBe(low);
});
