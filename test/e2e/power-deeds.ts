import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { newFolder } from '../support/new-folder.ts';
import { readRecordings, recordingInto } from '../support/power/recording.ts';
import { processesWith } from '../support/processes.ts';
import { waitUntil } from '../support/wait-for.ts';
import { contentOf, type Deeds, onDisk, type Remains, remainsOf } from './power-images.ts';

const keepingMain = resolve(import.meta.dirname, '../features/data/keeping-main.ts');
const start = resolve(import.meta.dirname, '../../src/start.js');

/** Records what the data are put through by a process of its own: see `keep`. */
export function recordKeeping(name: string, folder: string): Promise<Deeds> {
  return recordNode([keepingMain, name, folder], folder);
}

/** Records a command whose config stands in this folder. It has to work. */
export function recordCommand(args: readonly string[], folder: string): Promise<Deeds> {
  return recordNode([start, ...args], folder);
}

async function recordNode(args: readonly string[], folder: string): Promise<Deeds> {
  const there = contentOf(folder);
  const file = join(await newFolder(), 'recording');
  const [program = '', ...under] = recordingInto(file);
  const child = spawn(program, [...under, process.execPath, ...args], {
    env: { PATH: process.env.PATH ?? '', KEYTURN_HOME: folder },
    cwd: folder,
  });
  const [, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect([args[1], child.exitCode, stderr]).toEqual([args[1], 0, '']);
  await recorderEnds(file);
  return { folder, there, recorded: readRecordings([file]) };
}

/** All that was done is in the file. */
async function recorderEnds(file: string): Promise<void> {
  await waitUntil(async () => (await processesWith(file)).length === 0, { what: 'the end of the recorder' });
  expect(readFileSync(file).length).toBeGreaterThan(0);
}

/** What somebody was told until that place. */
export function toldUntil({ recorded }: Deeds, place: number, words: string): boolean {
  return recorded.some(({ deed, began }) => began <= place && deed.type === 'told' && deed.bytes.includes(words));
}

/** What is not as it should be after power failures at so many moments, if anything. At least most of them leave something of their own. */
export async function faultsOf(
  deeds: Deeds,
  plan: { readonly count: number; readonly seed: number },
  look: (folder: string, remains: Remains) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const faults: string[] = [];
  let images = 0;
  for (const remains of remainsOf(deeds, plan)) {
    images += 1;
    const found = await onDisk(remains, deeds.folder, (folder) => look(folder, remains)).catch((error) => [
      String(error),
    ]);
    faults.push(...found.map((fault) => `${remains.what}: ${fault}`));
  }
  expect(images).toBeGreaterThan(2);
  return faults;
}
