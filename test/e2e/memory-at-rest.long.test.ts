import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { waitUntil } from '../support/wait-for.ts';
import { TelegramSetting } from './telegram-setting.ts';

/** In megabytes: what the process holds now, and the most that it ever held. */
function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

test('a process that rests after its start holds less than the start has needed, and answers as before', async () => {
  await using setting = await TelegramSetting.start();
  const { telegram, daemon } = setting;
  const chat = setting.newOwner();
  telegram.say(chat, 'hello');
  await telegram.waitForMessage(chat, 'echo: hello');
  const isSmaller = (): boolean => memoryOf(daemon.pid).now < memoryOf(daemon.pid).peak - 10;
  await waitUntil(isSmaller, { what: 'memory to be given back' });
  telegram.say(chat, 'still there?');
  await telegram.waitForMessage(chat, 'echo: still there?');
});

/** The process's share of memory, in megabytes: a page that others use too counts in part. */
function shareOf(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) / 1024;
}

test('after a burst of 600 messages of 200 people, it soon holds at most 130 MB again, and answers as before', async () => {
  await using setting = await TelegramSetting.start({ channel: { allow_from: ['*'] } });
  const { telegram, daemon } = setting;
  const chats = Array.from({ length: 200 }, (_, index) => 10_000 + index);
  for (const number of [1, 2, 3]) for (const chat of chats) telegram.say(chat, `message ${number}`);
  for (const chat of chats) await telegram.waitForMessage(chat, /echo: .*message 3/s);
  const atLast = shareOf(daemon.pid);
  await waitUntil(() => shareOf(daemon.pid) <= 130, {
    what: `memory to be given back: ${atLast} MB`,
    timeoutMs: 10_000,
  });
  const [first = 0] = chats;
  telegram.say(first, 'still there?');
  await telegram.waitForMessage(first, 'echo: still there?');
  expect(shareOf(daemon.pid)).toBeLessThan(130);
});
