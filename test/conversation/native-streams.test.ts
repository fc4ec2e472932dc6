import { describe, expect, test } from 'vitest';
import { nextAnswer, previewIsNoted, writingSetting } from './writing-setting.ts';

const half = 'The quick brown fox jumps over';
const streaming = { channel: { streams: true, stays: true } } as const;

/** A reply that the platform itself shows while it grows, and of which people see the first half. */
async function streamedSetting() {
  const parts = await writingSetting(half, streaming);
  const { ref } = await parts.channel.sees(half);
  await previewIsNoted(parts.setting);
  return { ...parts, ref };
}

describe('a reply that the platform itself shows while it grows, and that would stay there', () => {
  test('is finished in its place by the next process, which edits it', async () => {
    const { setting, channel, clock, ref } = await streamedSetting();
    await setting.stop();
    expect(channel.textsIn('test:ada')).toEqual([half]);
    const again = nextAnswer(setting);
    await setting.start();
    await again.write('A slow red hen walks under the cat');
    clock.advance(400);
    expect((await channel.sees('A slow red hen')).ref).toBe(ref);
    await again.end();
    await channel.whenIdle();
    expect(channel.textsIn('test:ada')).toEqual(['A slow red hen walks under the cat']);
    expect(setting.rows('SELECT state, refs FROM outbox')).toEqual([
      { state: 'delivered', refs: JSON.stringify([{ id: ref }]) },
    ]);
  });

  test('is the platform’s own again from the next reply on', async () => {
    const { setting, channel } = await streamedSetting();
    setting.model.next('Done.');
    await setting.restart();
    await channel.seesAtRest('Done.');
    await channel.askAtRest('and?', 'and?');
    expect(channel.traffic.map(({ type }) => type)).toEqual(['preview', 'edit', 'preview', 'finish']);
  });

  test('stays when a person stops it, and says so', async () => {
    const { setting, channel } = await streamedSetting();
    await channel.askAtRest('/stop', 'Stopped');
    expect(setting.rows(`SELECT state FROM outbox WHERE kind = 'reply'`)).toEqual([{ state: 'delivered' }]);
    expect(channel.textsIn('test:ada').some((text) => text.includes('(interrupted)'))).toBe(true);
  });
});
