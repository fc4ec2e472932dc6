import { describe, expect, test } from 'vitest';
import { call } from '../support/scripted-model.ts';
import { approveButton, deploySetting } from './deploy-setting.ts';

/** A card whose answer was lost: it stands in the chat twice, and the platform told of the second alone. */
async function shownTwice() {
  const around = await deploySetting();
  const { channel, model, clock } = around;
  model.next([call('deploy', { what: 'site' })]);
  channel.failNext({ type: 'ambiguous' }, { isShown: true });
  await channel.say('deploy the site');
  await clock.waitsFor(3000);
  const first = (await channel.card()).ref;
  const again = async (): Promise<string> => {
    clock.advance(3000);
    await channel.whenIdle();
    return channel.screen.at(-1)?.ref ?? '';
  };
  return { ...around, button: await approveButton(channel), first, again };
}

const cards = (channel: Awaited<ReturnType<typeof shownTwice>>['channel']) =>
  channel.screen
    .filter(({ kind }) => kind === 'card')
    .map(({ text, buttons }) => [text.slice(0, '✅ Approved'.length), buttons.length]);

describe('of a card that stands there twice', () => {
  test('the one that is pressed says what became of it, and its twin too', async () => {
    const { channel, deploy, button, first, again } = await shownTwice();
    const second = await again();
    expect(second).not.toBe(first);
    await channel.press(button, { on: first });
    await deploy.ran(1);
    await channel.whenIdle();
    expect(cards(channel)).toEqual([
      ['✅ Approved', 0],
      ['✅ Approved', 0],
    ]);
  });

  test('the one that nobody knows of says so when it is pressed later, also after a restart', async () => {
    const { setting, channel, deploy, button, first, again } = await shownTwice();
    await channel.press(button, { on: await again() });
    await deploy.ran(1);
    await channel.whenIdle();
    await setting.restart();
    expect((await channel.press(button, { on: first })).notice).toContain('already');
    await channel.whenIdle();
    expect(cards(channel)).toEqual([
      ['✅ Approved', 0],
      ['✅ Approved', 0],
    ]);
  });

  test('the second is not sent where the first is pressed before', async () => {
    const { channel, deploy, button, first, again } = await shownTwice();
    await channel.press(button, { on: first });
    await deploy.ran(1);
    await again();
    expect(cards(channel)).toEqual([['✅ Approved', 0]]);
  });

  test('a stranger who presses it changes nothing', async () => {
    const { setting, channel, deploy, button, first, again } = await shownTwice();
    await channel.press(button, { on: await again() });
    await deploy.ran(1);
    await channel.press(button, { on: first, by: 'eve' });
    await channel.press(button, { on: 'm999' });
    await channel.whenIdle();
    expect(cards(channel)).toEqual([
      [expect.stringContaining('🔑'), 2],
      ['✅ Approved', 0],
    ]);
    expect(setting.rows(`SELECT state FROM outbox WHERE kind = 'card'`)).toEqual([{ state: 'delivered' }]);
  });

  test.each([
    ['answered where the platform told of it', false],
    ['answered where nobody knew of it', true],
  ])('a question is no exception: %s', async (_, isFirstPressed) => {
    const { model, channel, clock } = await deploySetting();
    model.next([call('ask', { question: 'Which disk?', options: ['the first', 'the second'] })], 'thanks');
    channel.failNext({ type: 'ambiguous' }, { isShown: true });
    await channel.say('format a disk');
    await clock.waitsFor(3000);
    const { ref: first, buttons } = await channel.sees('Which disk?');
    clock.advance(3000);
    await channel.whenIdle();
    const second = channel.screen.at(-1)?.ref;
    const [answer = '', other = ''] = buttons.flat().map(({ actionId }) => actionId);
    await channel.press(answer, { on: isFirstPressed ? first : second });
    await channel.seesAtRest('thanks');
    if (!isFirstPressed) await channel.press(other, { on: first });
    await channel.whenIdle();
    const questions = channel.screen.filter(({ kind }) => kind === 'card');
    expect(questions.map((shown) => [shown.text.includes('the first'), shown.buttons])).toEqual([
      [true, []],
      [true, []],
    ]);
  });
});
