import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createSupervisor, type Supervisor } from '../../src/cli/supervisor.ts';
import { cliWords } from '../../src/cli/words.ts';
import { silentLog } from '../../src/lib/log.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { newFolder } from '../support/new-folder.ts';
import { waitUntil } from '../support/wait-for.ts';

const interval = 60_000;
let folder = '';
let clock = new ManualClock();

beforeEach(async () => {
  folder = await newFolder();
  clock = new ManualClock();
});

/** A program in the place of systemd-notify, that notes what it is told to send, and what it knows of the environment. */
async function fakeNotify(end = ''): Promise<void> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const script = `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> '${join(folder, 'sent')}'\nenv > '${join(folder, 'env')}'\n${end}\n`;
  await writeFile(join(bin, 'systemd-notify'), script);
  await chmod(join(bin, 'systemd-notify'), 0o755);
}

function supervisor(more: Readonly<Record<string, string>> = {}, log = silentLog): Supervisor | undefined {
  const environment = { PATH: join(folder, 'bin'), NOTIFY_SOCKET: '@here', TOKEN: 'hunter2', ...more };
  return createSupervisor({ environment, language: 'zh', clock, log });
}

function sent(): readonly string[] {
  const file = join(folder, 'sent');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

const watched = { WATCHDOG_USEC: `${2 * interval * 1000}` };
const yes = async (): Promise<boolean> => true;

test('nobody who waits for notices, no supervisor', async () => {
  await fakeNotify();
  expect(supervisor({ NOTIFY_SOCKET: '' })).toBeUndefined();
  const told: string[] = [];
  const log = { ...silentLog, warn: (_fields: object, text: string) => void told.push(text) };
  expect(createSupervisor({ environment: {}, language: 'en', clock, log })).toBeUndefined();
  expect(told).toEqual([]);
});

test('each notice is sent in its order, by a program that gets no secrets', async () => {
  await fakeNotify();
  const told = supervisor();
  told?.started(yes);
  told?.reloading();
  told?.reloaded();
  told?.ending();
  await waitUntil(() => sent().length === 4);
  const kinds = sent().map((line) => /^@here (\w+=1)/.exec(line)?.[1]);
  expect(kinds).toEqual(['READY=1', 'RELOADING=1', 'READY=1', 'STOPPING=1']);
  expect(sent()[0]).toContain(`STATUS=${cliWords.zh.supervised.runs}`);
  expect(sent()[1]).toMatch(/ MONOTONIC_USEC=\d+$/);
  expect(readFileSync(join(folder, 'env'), 'utf8')).not.toContain('hunter2');
});

test('a program that fails is logged, and the next notice is sent all the same', async () => {
  await fakeNotify('exit 3');
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (fields: object) => void warnings.push(JSON.stringify(fields)) };
  const told = supervisor({}, log);
  told?.started(yes);
  told?.ending();
  await waitUntil(() => warnings.length === 2);
  expect(warnings[0]).toContain('3');
  expect(sent()).toHaveLength(2);
});

describe('the watchdog', () => {
  test('is fed at half of its time while the database answers', async () => {
    await fakeNotify();
    supervisor(watched)?.started(yes);
    for (const count of [1, 2, 3]) {
      await clock.passes(interval);
      await waitUntil(() => sent().filter((line) => line === '@here WATCHDOG=1').length === count);
    }
  });

  test('is not fed by what does not watch, and needs no timer then', async () => {
    await fakeNotify();
    supervisor()?.started(yes);
    await waitUntil(() => sent().length === 1 && clock.waits.length === 0);
    clock.advance(100 * interval);
    expect(clock.waits).toEqual([]);
  });

  test('starves while the database cannot be read, and is fed again when it can', async () => {
    await fakeNotify();
    const answers = [true, false, 'broken', true];
    let asked = 0;
    const told = supervisor(watched);
    told?.started(async () => {
      const answer = answers[asked++];
      if (answer === 'broken') throw new Error('no such table');
      return answer === true;
    });
    for (const _ of answers) await clock.passes(interval);
    await waitUntil(() => sent().length === 3);
    expect(sent().slice(1)).toEqual(['@here WATCHDOG=1', '@here WATCHDOG=1']);
    expect(asked).toBe(4);
  });

  test('starves while the database hangs: nothing is asked again, and nothing sent', async () => {
    await fakeNotify();
    const asked: (() => void)[] = [];
    const told = supervisor(watched);
    told?.started(() => new Promise((resolve) => void asked.push(() => resolve(true))));
    await clock.passes(interval);
    await waitUntil(() => asked.length === 1);
    await waitUntil(() => sent().length === 1 && clock.waits.length === 0);
    clock.advance(50 * interval);
    expect(asked).toHaveLength(1);
    expect(sent()).toHaveLength(1);
    asked[0]?.();
    await waitUntil(() => sent().includes('@here WATCHDOG=1'));
  });

  test('is left alone once the process ends', async () => {
    await fakeNotify();
    const told = supervisor(watched);
    told?.started(yes);
    await clock.waitsFor(interval);
    told?.ending();
    await waitUntil(() => sent().length === 2);
    clock.advance(interval);
    expect(clock.waits).toEqual([]);
    expect(sent().at(-1)).toContain('STOPPING=1');
  });
});
