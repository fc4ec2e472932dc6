import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../support/new-folder.ts';
import { startOnTerminal } from './on-terminal.ts';

test('names of the workspace are completed, and what was typed is there after a restart', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'config.json'), '{ "model": "offline" }');
  await mkdir(join(folder, 'workspace'), { mode: 0o700 });
  await writeFile(join(folder, 'workspace', 'shopping.txt'), 'oat milk');
  const first = startOnTerminal({ folder, columns: 80 });
  await first.wrote('›');
  first.type('read sho\t');
  await first.wrote('pping.txt');
  first.type('\r');
  await first.wrote('oat milk');
  first.type('\u0004');
  await first.ended();
  const file = join(folder, 'data', 'terminal-history');
  expect(await readFile(file, 'utf8')).toBe('read shopping.txt\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const next = startOnTerminal({ folder, columns: 80 });
  await next.wrote('›');
  next.type('\u001b[A');
  await next.wrote('read shopping.txt');
  next.type('\u0003\u0004');
  await next.ended();
});
