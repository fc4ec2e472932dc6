import { describe, expect, test } from 'vitest';
import { crashRecord } from '../../../src/features/plugins/plugin-supervisor.ts';
import { pluginWords } from '../../../src/features/plugins/words.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { writeTroublesome } from '../../support/plugin-files.ts';
import { processesWith } from '../../support/processes.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { type PluginSetting, pluginSetting, startTrusted } from './plugin-setting.ts';

const words = pluginWords.en;

async function troublesome(clock: ManualClock): Promise<PluginSetting> {
  const setting = await pluginSetting({ clock });
  await writeTroublesome(setting.folder);
  await startTrusted(setting, 'troublesome');
  return setting;
}

/** Crashes it once, after whatever pause it has to keep. */
async function crash({ call, log }: PluginSetting, clock: ManualClock): Promise<void> {
  const crashes = (): number => log.filter(({ message }) => message === 'a plugin crashed').length;
  const before = crashes();
  let isPaused = false;
  const crashed = call('crash', { code: 1 }, { progress: () => (isPaused = true) });
  await waitUntil(() => isPaused || crashes() > before);
  if (isPaused) clock.advance(20_000);
  await crashed;
  await waitUntil(() => crashes() > before);
}

describe('a program that crashes', () => {
  test('is started again with the next call, after a pause', async () => {
    const clock = new ManualClock();
    const setting = await troublesome(clock);
    await crash(setting, clock);
    expect(await processesWith(setting.folder)).toEqual([]);
    const shown: string[] = [];
    const next = setting.call('say', { text: 'back' }, { progress: (status) => shown.push(status) });
    await waitUntil(() => shown.length > 0);
    expect(shown).toEqual([words.startsAgain({ seconds: 1 })]);
    expect(await processesWith(setting.folder)).toEqual([]);
    clock.advance(1_000);
    expect((await next).forLlm).toBe('back');
  });

  test('is not waited for by a call that has no time for it, or is stopped', async () => {
    const clock = new ManualClock();
    const setting = await troublesome(clock);
    await crash(setting, clock);
    const controller = new AbortController();
    const progress = (): void => controller.abort();
    const stopped = await setting.call('say', { text: 'x' }, { signal: controller.signal, progress });
    expect(stopped).toMatchObject({ isError: true });
    expect(await processesWith(setting.folder)).toEqual([]);
  });

  test('five times within ten minutes is off, and the owners are told once', async () => {
    const clock = new ManualClock();
    const setting = await troublesome(clock);
    for (let count = 1; count <= 4; count += 1) await crash(setting, clock);
    expect(setting.told).toEqual([]);
    expect(setting.names()).not.toEqual([]);
    await crash(setting, clock);
    await waitUntil(() => setting.names().length === 0, { what: 'it to be off' });
    expect(setting.told).toHaveLength(1);
    expect(setting.told[0]).toBe(words.isOff({ plugin: '`troublesome`', why: words.gaveUp }));
    expect(setting.troubles()[0]).toContain(`${words.title({ plugin: 'troublesome' })}: ${words.gaveUp.split('.')[0]}`);
    // An owner who has looked into it can have it again.
    setting.trust.distrust('troublesome');
    setting.trust.trust('troublesome');
    await waitUntil(() => setting.names().length > 0, { what: 'it to be on' });
    expect((await setting.call('say', { text: 'back' })).forLlm).toBe('back');
  });

  test('five times in more than ten minutes stays on', async () => {
    const clock = new ManualClock();
    const setting = await troublesome(clock);
    for (let count = 1; count <= 7; count += 1) {
      await crash(setting, clock);
      clock.advance(180_000);
    }
    expect(setting.names()).not.toEqual([]);
    expect(setting.told).toEqual([]);
  });

  test('before it can be called says so, and counts as a crash', async () => {
    const clock = new ManualClock();
    const setting = await pluginSetting({ clock });
    await writeTroublesome(setting.folder, {}, "process.stderr.write('no licence'); process.exit(9);");
    await startTrusted(setting, 'troublesome');
    const { forLlm } = await setting.call('say', { text: 'x' });
    expect(forLlm).toMatch(
      /^say did not run\. The plugin troublesome: It could not be started: it ended with exit code 9; .*no licence/,
    );
    expect(setting.log.some(({ message }) => message === 'a plugin crashed')).toBe(true);
  });
});

describe('where conversations have folders of their own', () => {
  test('there is a process for each, and at most four that do nothing', async () => {
    const setting = await troublesome(new ManualClock());
    const { mkdtemp } = await import('node:fs/promises');
    const folders = await Promise.all(Array.from({ length: 6 }, () => mkdtemp(`${setting.workspace}/w`)));
    for (const workspace of folders) {
      const { forLlm } = await setting.call('environment', {}, { workspace });
      expect(JSON.parse(forLlm)).toMatchObject({ folder: workspace });
    }
    await waitUntil(async () => (await processesWith(setting.folder)).length === 4, { what: 'two to be ended' });
    expect(setting.log.some(({ message }) => message === 'a plugin crashed')).toBe(false);
  });
});

test('the pause after a crash doubles from one second to a minute, and starts over when it has worked', () => {
  const clock = new ManualClock();
  const record = crashRecord(clock, () => 1);
  expect(record.pause()).toBe(0);
  const pauses = Array.from({ length: 8 }, () => {
    clock.advance(3_600_000);
    expect(record.crashed()).toBe(false);
    return record.pause();
  });
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  record.worked();
  clock.advance(3_600_000);
  record.crashed();
  expect(record.pause()).toBe(1_000);
  clock.advance(400);
  expect(record.pause()).toBe(600);
});
