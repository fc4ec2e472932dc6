import { describe, expect, test } from 'vitest';
import { commandWords } from '../../../src/conversation/commands/words.ts';
import { memoryWords } from '../../../src/features/memory/words.ts';
import { daemonSetting, group } from '../../support/daemon-setting.ts';
import { buttonOf } from '../../support/platform-traffic.ts';
import { useTool } from '../../support/use-tool.ts';

const words = memoryWords.en;
const bob = { by: 'bob', at: 'test:bob' };

async function withMemory() {
  const { setting, channel } = await daemonSetting({ allowFrom: ['bob'] });
  await useTool(setting, 'memory_store', { text: 'Ada keeps bees.', tags: ['animals'] });
  const stored = () => setting.rows('SELECT id, text FROM memories');
  return { setting, channel, stored, id: String(stored()[0]?.id) };
}

describe('/memories', () => {
  test('lists what is remembered, finds it by its words, and has it forgotten once that was asked', async () => {
    const { channel, stored } = await withMemory();
    await channel.askAtRest('/memories find animal', 'Ada keeps bees.');
    await channel.askAtRest('/memories find goats', words.remembered({ lines: [], sought: '`goats`' }));
    const list = await channel.ask('/memories', 'Ada keeps bees.');
    await channel.pressToSee(buttonOf(list, words.buttonForgetNumber({ number: 1 })), 'Ada keeps bees.');
    const question = channel.screen.find(({ ref }) => ref === list.ref);
    expect(stored()).toHaveLength(1);
    if (question !== undefined) await channel.press(buttonOf(question, words.buttonForget));
    await channel.whenIdle();
    expect(stored()).toEqual([]);
  });

  test('gives one another text, with its lines, of bounded length', async () => {
    const { channel, stored, id } = await withMemory();
    await channel.askAtRest(
      `/memories edit ${id} Ada keeps goats.\nTwo.`,
      words.memoryChanged({ text: 'Ada keeps goats. ⏎ Two.' }),
    );
    expect(stored()).toEqual([{ id, text: 'Ada keeps goats.\nTwo.' }]);
    await channel.askAtRest(
      `/memories edit ${id} ${'x'.repeat(4001)}`,
      words.memoryTooLong({ length: 4001, most: 4000 }),
    );
    await channel.askAtRest(`/memories edit ${id}`, words.memoriesUsage);
    await channel.askAtRest('/memories edit nothing else', words.noSuchMemory);
    expect(stored()).toEqual([{ id, text: 'Ada keeps goats.\nTwo.' }]);
  });

  test('shows a person their own, and nothing where a group reads along', async () => {
    const { channel, stored, id } = await withMemory();
    await channel.askAtRest('/memories', words.remembered({ lines: [], sought: undefined }), bob);
    await channel.askAtRest(`/memories forget ${id}`, words.noSuchMemory, bob);
    await channel.askAtRest(`/memories edit ${id} mine`, words.noSuchMemory, bob);
    await channel.askAtRest('/memories', commandWords.en.notInGroups, { in: group, at: 'test:team' });
    expect(stored()).toEqual([{ id, text: 'Ada keeps bees.' }]);
  });
});
