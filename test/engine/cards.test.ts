import { describe, expect, test } from 'vitest';
import { cardWords } from '../../src/approval/asking/words.ts';
import { approvalWords } from '../../src/approval/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { instantFor } from '../../src/lib/card-parts.ts';
import type { DaemonSettingOptions } from '../support/daemon-setting.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, resultsOf, wordsOf } from '../support/scripted-model.ts';
import { waitUntil } from '../support/wait-for.ts';
import { askedSetting, deploySetting } from './deploy-setting.ts';

/** A card that asks, with these arguments. */
async function withCard(what: string, options: DaemonSettingOptions = {}) {
  const setting = await deploySetting(options);
  setting.model.next([call('deploy', { what })], 'deployed');
  const card = await setting.channel.cardFor('deploy');
  await setting.channel.whenIdle();
  return { ...setting, card, approve: card };
}

const short = { channel: { capabilities: { maxLength: 650 } } };
const long = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');

describe('a card on a channel that can ask for a text', () => {
  const forms = { channel: { capabilities: { forms: true } } };

  test('can be refused with words, which people and the model read', async () => {
    const { model, channel, card, deploy } = await withCard('site', forms);
    expect(card.buttons.flat().find(({ asks }) => asks !== undefined)?.asks).toBe('Why not?');
    await channel.press(buttonOf(card, 'say why'), { text: 'not on a Friday' });
    await channel.sees(/^❌ .* denied it .*not on a Friday/);
    expect(resultsOf(await model.asked(2)).join()).toContain('Their reason: not on a Friday');
    expect(deploy.executed).toEqual([]);
  });
});

describe('a card that changes', () => {
  test('is edited in its place, and loses its buttons, none of which asks for a text where the channel cannot', async () => {
    const { channel, card, approve } = await withCard('site');
    expect(card.buttons.flat().filter(({ asks }) => asks !== undefined)).toEqual([]);
    expect(card.buttons).toHaveLength(2);
    await channel.pressToSee(approve, 'deployed');
    const shown = channel.screen.find(({ ref }) => ref === card.ref);
    expect(shown).toMatchObject({ text: expect.stringMatching(/^✅ .* allowed it.*✔️ done in/s), buttons: [] });
    expect(channel.screen.filter(({ kind }) => kind === 'card')).toHaveLength(1);
  });

  test('of several messages keeps its arguments, and shows the outcome where the buttons were', async () => {
    const { channel, card, approve } = await withCard(long, short);
    const before = channel.screen;
    expect(before.length).toBeGreaterThan(2);
    expect(before.filter(({ buttons }) => buttons.length > 0)).toEqual([card]);
    await channel.pressToSee(approve, 'deployed');
    const after = channel.screen.filter(({ kind }) => kind === 'card');
    expect(after.map(({ ref }) => ref)).toEqual(before.map(({ ref }) => ref));
    expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(after.at(-1)?.text).toMatch(/^✅ .* allowed it/);
  });

  test('that somebody has deleted is sent again', async () => {
    const { channel, card, approve } = await withCard('site');
    channel.delete(card.ref);
    await channel.pressToSee(approve, /^✅ .* allowed it/);
    await channel.seesAtRest('deployed');
    expect(channel.screen.filter(({ kind }) => kind === 'card')).toHaveLength(1);
  });

  test('whose edit is refused for a while is edited later, once', async () => {
    const { channel, clock, approve } = await withCard('site');
    channel.failNext({ type: 'rate-limited', retryAfter: 2000 }, { of: 'edit' });
    await channel.press(approve);
    await clock.passes(2000);
    await channel.seesAtRest('deployed');
    expect(channel.screen.filter(({ kind }) => kind === 'card')).toHaveLength(1);
  });

  test('before it was ever sent is sent as it is by then', async () => {
    const setting = await deploySetting();
    const { model, channel } = setting;
    model.next([call('deploy', { what: 'site' })], 'deployed');
    const release = channel.hold();
    await channel.say('deploy');
    await channel.changes.waitFor(() => true);
    await model.asked(1);
    await channel.say('/stop');
    release();
    await channel.seesAtRest('🛑 Stopped');
    expect(channel.screen.filter(({ buttons }) => buttons.length > 0)).toEqual([]);
  });

  test('after its answer was lost, and before the next process, is sent, and edited where it may have stood', async () => {
    const { setting, model, channel, clock } = await deploySetting();
    model.next([call('deploy', { what: 'site' })]);
    channel.failNext({ type: 'ambiguous' }, { isShown: true });
    await channel.say('deploy');
    await clock.waitsFor(3000);
    await setting.stop();
    setting.tamper('UPDATE outbox SET revision = 2');
    clock.advance(1);
    await setting.start();
    await channel.whenIdle();
    expect(channel.traffic.map(({ type, ref }) => [type, ref])).toEqual([
      ['send', 'm1'],
      ['send', 'm2'],
      ['edit', 'm2'],
    ]);
  });

  test('and whose messages were deleted sends none of the new ones twice when the last of them fails', async () => {
    const { channel, clock, card } = await withCard('site', { channel: { capabilities: { maxLength: 160 } } });
    for (const { ref } of channel.screen) channel.delete(ref);
    channel.failNext({ type: 'transient' }, { of: 'send', says: 'LAST' });
    const id = card.buttons[0]?.[0]?.actionId.split(':')[1] ?? '';
    await channel.say(`/deny ${id} ${'because '.repeat(60)} LAST`);
    await clock.passes(500);
    await channel.seesAtRest('LAST');
    const cards = channel.screen.filter(({ kind }) => kind === 'card').map(({ text }) => text);
    expect(cards.length).toBeGreaterThan(2);
    expect(cards.filter((text) => text.includes('Ada denied it'))).toHaveLength(1);
    expect(cards.join(' ').match(/because/g)).toHaveLength(60);
  });
});

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
  return { ...around, card: await channel.card(), first, again };
}

const cards = (channel: Awaited<ReturnType<typeof shownTwice>>['channel']) =>
  channel.screen
    .filter(({ kind }) => kind === 'card')
    .map(({ text, buttons }) => [text.slice(0, '✅ Ada'.length), buttons.length]);

describe('of a card that stands there twice', () => {
  test.each([true, false])(
    'the one that is pressed says what became of it, and its twin, if sent, too: %s',
    async (isSent) => {
      const { channel, deploy, card, first, again } = await shownTwice();
      if (isSent) expect(await again()).not.toBe(first);
      await channel.press(card, { on: first });
      await deploy.ran(1);
      await again();
      expect(cards(channel)).toEqual(Array.from({ length: isSent ? 2 : 1 }, () => ['✅ Ada', 0]));
    },
  );

  test('the one that is pressed says so later where the platform is busy', async () => {
    const { channel, clock, deploy, card, first } = await shownTwice();
    channel.failNext({ type: 'transient' }, { of: 'edit' });
    await channel.press(card, { on: first });
    await deploy.ran(1);
    clock.advance(3000);
    await channel.changes.waitFor(() => channel.traffic.some(({ failed, type }) => failed && type === 'edit'));
    await clock.passes(500);
    await channel.whenIdle();
    expect(cards(channel)).toEqual([['✅ Ada', 0]]);
  });

  test('the one that nobody knows of says so when it is pressed later, also after a restart', async () => {
    const { setting, channel, deploy, card, first, again } = await shownTwice();
    await channel.press(card, { on: await again() });
    await deploy.ran(1);
    await channel.whenIdle();
    await setting.restart();
    expect((await channel.press(card, { on: first })).notice).toContain('already');
    await channel.whenIdle();
    expect(cards(channel)).toEqual([
      ['✅ Ada', 0],
      ['✅ Ada', 0],
    ]);
  });

  test('a stranger who presses it changes nothing', async () => {
    const { setting, channel, deploy, card, first, again } = await shownTwice();
    await channel.press(card, { on: await again() });
    await deploy.ran(1);
    await channel.press(card, { on: first, by: 'eve' });
    await channel.press(card, { on: 'm999' });
    await channel.whenIdle();
    expect(cards(channel)).toEqual([
      [expect.stringContaining('🔑'), 2],
      ['✅ Ada', 0],
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

const halfTime = 900_000;
const unreachable = approvalWords.en.unreachable('deploy site');
const refusal = { type: 'permanent' } as const;

/** Bob asks for what only Ada and Zoe may allow, who read it in chats of their own. */
async function forwarded(config: DaemonSettingOptions['config'] = {}) {
  const owners = ['test:ada', 'test:zoe'];
  const around = await deploySetting({ config: { owners, ...config }, allowFrom: ['bob'] });
  const { channel, model } = around;
  for (const by of owners.map((owner) => owner.slice('test:'.length))) {
    await channel.ask('hello', 'echo: hello', { by, at: `test:${by}` });
  }
  model.next([call('deploy', { what: 'site' })]);
  return around;
}

describe('a card that the platform refuses for good', () => {
  test('is told at once where it was asked, and nobody is reminded of it', async () => {
    const { setting, model, channel, clock, deploy } = await deploySetting();
    model.next([call('deploy', { what: 'site' })]);
    channel.failNext(refusal);
    await channel.askAtRest('deploy the site', unreachable, { at: 'test:ada' });
    expect(channel.textsIn('test:ada')).toEqual([engineWords.en.goOn({ words: unreachable })]);
    expect(channel.screen[0]?.buttons).toEqual([]);
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'expired' }]);
    expect(setting.rows('SELECT is_open FROM conversations')).toEqual([{ is_open: 0 }]);

    for (const _half of ['reminder', 'expiry']) {
      clock.advance(halfTime);
      await channel.whenIdle();
    }
    expect(channel.screen).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
    await channel.say('and now?');
    expect(wordsOf(await model.asked(2))).toContain('and now?');
    expect(deploy.executed).toEqual([]);
  });

  test('is told by the next process, if the one that was refused died before it could say so', async () => {
    const { setting, channel } = await askedSetting();
    await channel.whenIdle();
    await setting.stop();
    setting.tamper(
      `UPDATE outbox SET state = 'failed', failure = 'refused', delivered_revision = 0, refs = '[]' WHERE kind = 'card'`,
    );
    await setting.start();
    await channel.seesAtRest(unreachable, 'test:ada');
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'expired' }]);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
  });

  test('leaves the other one as it is: it still decides', async () => {
    const { channel, deploy } = await forwarded();
    channel.failNext(refusal, { in: 'test:ada' });
    await channel.say('deploy', { by: 'bob' });
    const card = await channel.card('test:zoe');
    await channel.whenIdle();
    await channel.pressToSee(card, /^✅ .* allowed it/, { by: 'zoe', at: 'test:bob' });
    await deploy.ran(1);
    expect(channel.screen.filter(({ text }) => text.includes(unreachable))).toEqual([]);
  });

  test('in both of its places is told to the one who asked, once', async () => {
    const { setting, channel, clock } = await forwarded();
    for (const id of ['test:ada', 'test:zoe']) channel.failNext(refusal, { in: id });
    await channel.askAtRest('deploy', unreachable, { by: 'bob', at: 'test:bob' });
    clock.advance(halfTime);
    await channel.whenIdle();
    expect(channel.textsIn('test:bob')).toEqual([expect.stringContaining(unreachable)]);
    expect(channel.screen.filter(({ text }) => text.includes('Still waiting'))).toEqual([]);
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'expired' }]);
    expect(setting.rows('SELECT reminded_at FROM approvals')).toEqual([{ reminded_at: null }]);
  });
});

test.each([
  ['a question', [call('ask', { question: 'Which disk?', options: ['one', 'two'] })], 'Which disk', {}],
  ['whether to go on', [call('look', { what: 'x' })], 'Nobody said whether I should go on', { max_turns: 1 }],
] as const)('what a person is asked and cannot be shown is told once: %s', async (_name, calls, words, agent) => {
  const look = new RecordingTool('look', 'memory').registration;
  const { channel, model } = await deploySetting({ tools: [look], config: { agent } });
  model.next(calls);
  channel.failNext(refusal);
  await channel.say('go');
  await channel.sees(words);
  await channel.whenIdle();
  expect(channel.textsIn('test:ada')).toEqual([expect.stringContaining(words)]);
  expect(model.requests).toHaveLength(1);
});

const lasting = { lasts: true } as const;

test('a card that comes late has all its time from then on, and says nothing of an end that nobody saw', async () => {
  const { setting, model, channel, clock, deploy } = await deploySetting();
  model.next([call('deploy', { what: 'site' })]);
  channel.failNext({ type: 'transient' }, lasting);
  await channel.say('deploy the site');
  await clock.waitsFor(500);
  clock.advance(3 * halfTime);
  await clock.waitsFor(1000);
  channel.recover();
  clock.advance(1000);
  const card = await channel.card();
  expect(card.text).toContain(
    cardWords.en.expires(instantFor(clock.now() + 2 * halfTime, { timeZone: 'UTC', isNamed: true })),
  );
  await channel.whenIdle();
  expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  clock.advance(halfTime);
  await channel.sees('Still waiting');
  await channel.press(await channel.card());
  await deploy.ran(1);
  expect(channel.screen.filter(({ text }) => text.startsWith('⌛'))).toEqual([]);
});

test('a reminder of what is decided before it could be sent is not sent', async () => {
  const { channel, clock, deploy, card } = await askedSetting();
  await channel.whenIdle();
  channel.failNext({ type: 'transient' }, { says: 'Still waiting' });
  clock.advance(halfTime);
  await clock.waitsFor(500);
  await channel.press(card);
  await deploy.ran(1);
  clock.advance(5000);
  await channel.whenIdle();
  expect(channel.traffic.filter(({ text }) => text.includes('Still waiting'))).toEqual([
    expect.objectContaining({ failed: true }),
  ]);
});

test('a card of what is decided before it could be sent is not sent', async () => {
  const { setting, model, channel, clock, deploy } = await deploySetting();
  model.next([call('deploy', { what: 'site' })]);
  channel.failNext({ type: 'transient' }, { says: 'deploy' });
  await channel.say('deploy the site');
  await clock.waitsFor(500);
  const [approval] = setting.rows('SELECT id FROM approvals');
  await channel.say(`/approve ${String(approval?.id)}`);
  await deploy.ran(1);
  clock.advance(5000);
  await channel.whenIdle();
  clock.advance(5000);
  await channel.whenIdle();
  expect(channel.screen.filter(({ kind }) => kind === 'card')).toEqual([]);
});

test('a reminder of what nobody decided before it could be sent is not sent', async () => {
  const { setting, channel, clock } = await askedSetting();
  await channel.whenIdle();
  channel.failNext({ type: 'transient' }, { says: 'Still waiting', ...lasting });
  clock.advance(halfTime);
  await clock.waitsFor(500);
  await clock.passes((halfTime * 2) / 3);
  await clock.passes(halfTime / 3);
  const isOver = (): boolean => channel.screen.some(({ text }) => text.startsWith('⌛'));
  await waitUntil(() => setting.rows(`SELECT 1 FROM approvals WHERE state = 'expired'`).length === 1);
  // The reminders may have been tried again just before.
  await waitUntil(() => {
    clock.advance(1000);
    return isOver();
  });
  await channel.whenIdle();
  expect(setting.rows(`SELECT state FROM outbox WHERE markdown LIKE '%Still waiting%'`)).toEqual([
    { state: 'abandoned' },
    { state: 'abandoned' },
  ]);
  expect(channel.screen.filter(({ text }) => text.includes('Still waiting'))).toEqual([]);
});

test('the time of a card that its platform does not take begins when it is parked', async () => {
  const { setting, model, channel, clock } = await deploySetting();
  model.next([call('deploy', { what: 'site' })]);
  // The card is refused, and then its stub, for good: it waits for `/retry`, which owners are told of.
  channel.failNext({ type: 'transient', isBlocked: true }, { says: 'deploy', ...lasting });
  channel.failNext({ type: 'permanent' }, { says: '⚠️', ...lasting });
  await channel.say('go');
  for (const pause of [500, 1000, 2000, 4000, 8000]) await clock.passes(pause);
  await waitUntil(() => setting.rows('SELECT 1 FROM outbox WHERE parked_at IS NOT NULL').length === 1);
  await channel.whenIdle();
  const [approval] = setting.rows(
    'SELECT shown_at - created_at AS after, expires_at - created_at AS ends FROM approvals',
  );
  expect(approval).toEqual({ after: 15_500, ends: 15_500 + 2 * halfTime });
  // Who drops it has nobody decide.
  channel.recover();
  const [parked] = setting.rows('SELECT id FROM outbox WHERE stub_of IS NOT NULL');
  await channel.ask(`/drop ${parked?.id}`, unreachable);
  expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
});

test('a call that has changed since its card was shown does not run', async () => {
  const { setting, model, channel, deploy, card } = await askedSetting({ answers: ['so be it'] });
  setting.tamper(`UPDATE calls SET arguments = '{"what":"other"}'`);
  await channel.pressToSee(card, 'so be it');
  expect(resultsOf(await model.asked(2)).join()).toMatch(/^Not executed: the call, .* changed after it was approved/);
  expect(deploy.executed).toEqual([]);
});
