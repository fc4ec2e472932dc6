import { readFileSync } from 'node:fs';
import { test } from 'vitest';
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
