import { describe, expect, test } from 'vitest';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { nextAnswer, previewIsNoted, shownSetting } from '../conversation/writing-setting.ts';
import { deploySetting } from '../engine/deploy-setting.ts';
import type { DaemonSettingOptions } from '../support/daemon-setting.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call } from '../support/scripted-model.ts';
import type { TestChannel } from '../support/test-channel.ts';
import { waitUntil } from '../support/wait-for.ts';

const long = 'The quick brown fox jumps over the lazy dog.';
const stopped = commandWords.en.stopped({ cancelled: 0 });
/** As on Telegram and Discord. */
const quiet: DaemonSettingOptions = { channel: { capabilities: { silence: true }, removes: true, needsCards: true } };

/** What devices rang for, in order. */
function rung({ traffic }: TestChannel): readonly string[] {
  return traffic
    .filter(({ type, isSilent, failed }) => type === 'send' && !isSilent && !failed)
    .map(({ text }) => text);
}

function sent({ traffic }: TestChannel): number {
  return traffic.filter(({ type }) => type === 'send').length;
}

test('of a run with tools, words between them, a card and its reminder, devices ring for the card, the reminder and the answer', async () => {
  const look = new RecordingTool('look', 'memory', async (what, { reply }) => {
    await reply(`looking at ${what}`);
    return { ...llmOnly(`saw ${what}`), forUser: `Here is ${what}.` };
  });
  const { setting, channel, clock, model } = await deploySetting({ ...quiet, tools: [look.registration] });
  const between = nextAnswer(setting);
  await channel.say('look and deploy');
  await between.write(long);
  clock.advance(1500);
  await channel.sees(long);
  await between.call('one', 'look', { what: 'this' });
  await between.call('two', 'look', { what: 'that' });
  model.next([call('deploy', { what: 'site' })]);
  await between.end();
  const card = await channel.card();
  await setting.channel.whenIdle();
  const reminders = `SELECT markdown FROM outbox WHERE kind = 'notice' AND state = 'delivered'`;
  for (const [minutes, which] of [
    [16, reminders],
    [10, `${reminders} AND is_silent IS NULL`],
  ] as const) {
    clock.advance(minutes * 60_000);
    await waitUntil(() => setting.rows(which).length > 0);
  }
  const [last] = setting.rows(`${reminders} AND is_silent IS NULL`);
  const answer = nextAnswer(setting);
  await channel.press(buttonOf(card));
  await answer.write(`Done. ${long}`);
  const isShown = (): boolean => channel.traffic.some(({ text }) => text.includes('Done.'));
  await waitUntil(isShown, { meanwhile: () => clock.advance(500) });
  await previewIsNoted(setting);
  await answer.write(' The end.');
  await answer.end();
  await channel.sees('The end.');
  await channel.whenIdle();
  const [asked, reminded, answered, ...others] = rung(channel);
  expect(others).toEqual([]);
  expect(asked).toBe(card.text);
  expect(reminded).toBe(last?.markdown);
  expect(answered).toBe(`Done. ${long} The end.`);
  expect(sent(channel)).toBeGreaterThan(7);
});

describe('an answer that people have read while it was written', () => {
  test('rings once when it is complete, at the end of the chat, and what was shown of it is taken away', async () => {
    const { setting, channel, answer, ref } = await shownSetting(long, quiet);
    expect(rung(channel)).toEqual([]);
    await answer.write(' The end.');
    await answer.end();
    const whole = await channel.sees('The end.');
    await channel.whenIdle();
    expect(rung(channel)).toEqual([`${long} The end.`]);
    expect(whole.ref).not.toBe(ref);
    expect(channel.textsIn('test:ada')).toEqual([`${long} The end.`]);
    expect(setting.rows('SELECT state, previews, refs FROM outbox')).toEqual([
      { state: 'delivered', previews: null, refs: JSON.stringify([{ id: whole.ref }]) },
    ]);
  });

  test('is finished in its place where calls follow', async () => {
    const { setting, channel, answer, ref } = await shownSetting(long, { ...quiet, ...oneTool() });
    await answer.call('one', 'look', { what: 'this' });
    setting.model.next('Seen.');
    await answer.end();
    await channel.sees('Seen.');
    await channel.whenIdle();
    expect(rung(channel)).toEqual(['Seen.']);
    expect((await channel.sees(long)).ref).toBe(ref);
  });

  test('is finished in its place where the platform cannot be silent, or takes nothing away: it has rung there', async () => {
    for (const channel of [{ removes: true }, { capabilities: { silence: true } }]) {
      const shown = await shownSetting(long, { channel });
      await shown.answer.write(' The end.');
      await shown.answer.end();
      expect((await shown.channel.sees('The end.')).ref).toBe(shown.ref);
      await shown.channel.whenIdle();
      expect(rung(shown.channel)).toEqual([long]);
    }
  });

  test('stays silent where a person has stopped it: the answer to /stop rings', async () => {
    const { channel, ref } = await shownSetting(long, quiet);
    await channel.say('/stop');
    await channel.sees(stopped);
    await channel.whenIdle();
    expect(rung(channel)).toEqual([stopped]);
    expect((await channel.sees(long)).ref).toBe(ref);
  });

  test.each(['sent', 'taken away'])(
    'stands there once though the process is killed before what was shown of it is %s',
    async (before) => {
      const { setting, channel, answer } = await shownSetting(long, quiet);
      const [of, says] = before === 'sent' ? (['send', long] as const) : (['remove', undefined] as const);
      channel.failNext({ type: 'transient' }, { of, ...(says === undefined ? {} : { says }), lasts: true });
      await answer.write(' The end.');
      await answer.end();
      await waitUntil(() => channel.traffic.some(({ type, failed }) => type === of && failed));
      await waitUntil(() => setting.rows('SELECT 1 FROM outbox WHERE failures > 0').length > 0);
      await setting.dies();
      channel.recover();
      await setting.start();
      await waitUntil(() => setting.rows(`SELECT 1 FROM outbox WHERE state = 'delivered'`).length === 1);
      expect(channel.textsIn('test:ada')).toEqual([`${long} The end.`]);
      expect(rung(channel)).toEqual([`${long} The end.`]);
    },
  );

  test('that was being written when the process was killed rings when the next process has written it', async () => {
    const { setting, channel } = await shownSetting(long, quiet);
    await setting.dies();
    setting.model.next(`${long} Again.`);
    await setting.start();
    await channel.sees('Again.');
    await channel.whenIdle();
    expect(channel.textsIn('test:ada')).toEqual([`${long} Again.`]);
    expect(rung(channel)).toEqual([`${long} Again.`]);
  });
});

function oneTool(): DaemonSettingOptions {
  return { tools: [new RecordingTool('look', 'memory').registration] };
}

test('a long answer rings once, however many messages it takes', async () => {
  const { channel, model } = await deploySetting({
    channel: { capabilities: { silence: true, maxLength: 100 }, removes: true },
  });
  const paragraphs = Array.from({ length: 4 }, (_, index) => `${index}: ${'word '.repeat(18).trim()}`);
  model.next(paragraphs.join('\n\n'));
  await channel.askAtRest('tell me', '3: word');
  expect(sent(channel)).toBeGreaterThan(3);
  expect(rung(channel)).toHaveLength(1);
});
