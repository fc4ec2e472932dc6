import { describe, expect, test } from 'vitest';
import { call, text } from '../support/scripted-model.ts';
import { nextAnswer, previewIsNoted, shownSetting } from './writing-setting.ts';

const half = 'The quick brown fox jumps over';

describe('a reply that was being written when the process ended', () => {
  test('stays as it stands, and is finished in its place by the next one', async () => {
    const { setting, channel, clock, ref } = await shownSetting(half, { channel: { removes: true } });
    await setting.stop();
    expect(channel.textsIn('test:ada')).toEqual([half]);
    const again = nextAnswer(setting);
    await setting.start();
    await again.write('A slow red hen walks under the cat');
    clock.advance(400);
    expect((await channel.sees('A slow red hen')).ref).toBe(ref);
    await again.write(', and back.');
    await again.end();
    await channel.whenIdle();
    expect(channel.textsIn('test:ada')).toEqual(['A slow red hen walks under the cat, and back.']);
    expect(setting.rows('SELECT state, refs FROM outbox')).toEqual([
      { state: 'delivered', refs: JSON.stringify([{ id: ref }]) },
    ]);
  });

  test('is replaced by an answer that comes at once, too', async () => {
    const { setting, model, channel } = await shownSetting(half).then((parts) => ({
      ...parts,
      model: parts.setting.model,
    }));
    model.next('Done.');
    await setting.restart();
    await channel.seesAtRest('Done.');
    expect(channel.traffic.map(({ type }) => type)).toEqual(['send', 'edit']);
  });

  test('is replaced once: what the model says after a call has a message of its own', async () => {
    const { setting, channel, ref } = await shownSetting(half);
    setting.model.next([text('I look.'), call('list_tools', {})], 'Done.');
    await setting.restart();
    await channel.seesAtRest('Done.');
    expect((await channel.sees('I look.')).ref).toBe(ref);
    expect(channel.textsIn('test:ada').filter((shown) => /I look|Done/.test(shown))).toEqual(['I look.', 'Done.']);
  });

  test.each([
    ['gives back', true, undefined, ['Done.']],
    ['empties, where the platform refuses to give them back,', true, 'permanent', ['Done.', '…']],
    ['empties, where the platform gives none back,', false, undefined, ['Done.', '…']],
  ] as const)('%s the messages that a shorter answer does not need', async (_what, removes, refusal, left) => {
    const capabilities = { maxLength: 60 };
    const { setting, channel, clock, answer } = await shownSetting(half, { channel: { capabilities, removes } });
    if (refusal !== undefined) channel.failNext({ type: refusal }, { of: 'remove' });
    await answer.write(' the lazy dog and runs on until the evening comes');
    clock.advance(2000);
    await previewIsNoted(setting, 2);
    setting.model.next('Done.');
    await setting.restart();
    await channel.seesAtRest('Done.');
    expect(channel.textsIn('test:ada')).toEqual(left);
  });

  test('says that it was interrupted if no reply follows', async () => {
    const { setting, channel, ref } = await shownSetting(half);
    await setting.stop();
    setting.tamper('UPDATE conversations SET is_open = 0');
    await setting.start();
    expect((await channel.sees('(interrupted)')).ref).toBe(ref);
    await channel.whenIdle();
    expect(channel.screen).toHaveLength(1);
    await channel.ask('again', /^echo: .*again/s);
    expect(channel.screen).toHaveLength(2);
  });

  test('is given up if nobody has seen any of it', async () => {
    const { setting, channel } = await shownSetting(half);
    await setting.stop();
    setting.tamper('UPDATE outbox SET previews = NULL');
    setting.model.next('Done.');
    await setting.start();
    await channel.seesAtRest('Done.');
    expect(setting.rows('SELECT state FROM outbox')).toEqual([{ state: 'abandoned' }, { state: 'delivered' }]);
  });
});

test('a reply that was complete, and not yet shown as such is finished in its place by the next process', async () => {
  const { setting, channel, clock, answer, ref } = await shownSetting(half);
  channel.failNext({ type: 'transient' }, { of: 'edit' });
  await answer.write(' the dog.');
  await answer.end();
  await clock.waitsFor(500);
  await setting.restart();
  await channel.seesAtRest('the dog.');
  expect(channel.screen.map((shown) => [shown.ref, shown.text])).toEqual([[ref, `${half} the dog.`]]);
});

test('a reply is continued in its place though the platform shows replies itself now; the next one is the platform’s', async () => {
  const { setting, channel } = await shownSetting(half);
  await setting.stop();
  channel.showStreams();
  setting.model.next('Done.');
  await setting.start();
  await channel.seesAtRest('Done.');
  await channel.askAtRest('and?', 'and?');
  expect(channel.traffic.map(({ type }) => type)).toEqual(['send', 'edit', 'preview', 'finish']);
});
