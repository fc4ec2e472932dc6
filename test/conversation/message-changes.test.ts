import { describe, expect, test } from 'vitest';
import { modelWords } from '../../src/models/words.ts';
import { type DaemonSetting, daemonSetting, group } from '../support/daemon-setting.ts';
import type { Deed } from '../support/deed.ts';
import { call, held, resultsOf } from '../support/scripted-model.ts';
import { useTool } from '../support/use-tool.ts';
import { waitUntil } from '../support/wait-for.ts';

const reacting = { channel: { marks: true, reacts: true } };

/** Has the model ask for a change, and say nothing after it. Resolves with what it was told. */
async function changed({ model, channel }: DaemonSetting, args: object, deed: Deed = {}): Promise<string> {
  const asked = model.requests.length;
  model.next([call('react', { ...args })], []);
  await channel.say('do it', deed);
  const request = await model.asked(asked + 2);
  await channel.whenIdle(deed.in);
  return resultsOf(request).at(-1) ?? '';
}

const repliesOf = ({ channel }: DaemonSetting) =>
  channel.screen.filter(({ kind }) => kind === 'reply').map(({ text }) => text);

describe('a reaction', () => {
  test('is set at the newest message of the person, is all that is said, and no mark takes its place', async () => {
    const setting = await daemonSetting(reacting);
    expect(await changed(setting, { emoji: '👍' }, { key: 'm1' })).toContain('👍');
    expect(setting.channel.reactions).toEqual(['m1 👍']);
    expect(setting.channel.screen).toEqual([]);
    expect(setting.channel.marked).not.toContain('m1 done');
  });

  test('is at the message that the model has read, not at one that came later, nor at that of somebody else', async () => {
    const setting = await daemonSetting({ ...reacting, allowFrom: ['ada', 'bob'] });
    const { model, channel } = setting;
    const waiting = held([call('react', { emoji: '🎉' })]);
    model.next('hello', waiting.script, [], 'later');
    await channel.ask('I am Bob', 'hello', { in: group, by: 'bob', key: 'b1' });
    await channel.say('look', { in: group, key: 'a1' });
    await model.asked(2);
    await channel.say('and this', { in: group, by: 'bob', key: 'b2' });
    waiting.release();
    await channel.sees('later');
    expect(channel.reactions).toEqual(['a1 🎉']);
  });

  test('that a person has to allow is at what the model had read when it asked for it', async () => {
    const setting = await daemonSetting({ ...reacting, config: { approval: { policy: 'always_require' } } });
    const { model, channel } = setting;
    model.next([call('react', { emoji: '🎉' })], 'it waits', []);
    const card = await channel.cardFor('do it', { key: 'a1' });
    await channel.askAtRest('and more', 'it waits', { key: 'a2' });
    await channel.press(card);
    await channel.changes.waitFor(() => channel.reactions.length > 0, { what: 'the reaction' });
    expect(channel.reactions).toEqual(['a1 🎉']);
  });

  test('stands after a kill, and the work that goes on sets no mark over it', async () => {
    const setting = await daemonSetting(reacting);
    const { model, channel } = setting;
    const waiting = held('told');
    model.next([call('react', { emoji: '👍' })], waiting.script);
    await channel.say('do it', { key: 'm1' });
    await model.asked(2);
    const before = channel.marked.length;
    model.next([]);
    await setting.restart();
    await model.asked(3);
    await channel.whenIdle();
    expect(channel.marked.slice(before)).toEqual([]);
    expect([channel.reactions, channel.screen]).toEqual([['m1 👍'], []]);
  });

  test('that the platform refuses is told to the model in its words, and the mark goes on', async () => {
    const setting = await daemonSetting(reacting);
    const { channel, model } = setting;
    channel.reactionFaults.push({ type: 'permanent' });
    model.next([call('react', { emoji: '🪿' })], 'I like geese');
    await channel.ask('do it', 'I like geese', { key: 'm1' });
    expect(resultsOf(model.last).at(-1)).toContain('only 👍 is taken here');
    await channel.changes.waitFor(() => channel.marked.includes('m1 done'), { what: 'the mark' });
  });

  test('is tried again where the platform asks to wait for a moment', async () => {
    const setting = await daemonSetting(reacting);
    setting.channel.reactionFaults.push({ type: 'rate-limited', retryAfter: 2_000 });
    setting.model.next([call('react', { emoji: '👍' })], []);
    await setting.channel.say('do it', { key: 'm1' });
    await setting.clock.waitsFor(2_000);
    setting.clock.advance(2_000);
    await setting.model.asked(2);
    expect(setting.channel.reactions).toEqual(['m1 👍']);
  });

  test('is said to be impossible where the channel has none', async () => {
    const setting = await daemonSetting();
    expect(await useTool(setting, 'react', { emoji: '👍' })).toContain('no reactions');
  });

  test('that failed is no answer: an empty one is told to people', async () => {
    const setting = await daemonSetting(reacting);
    setting.channel.reactionFaults.push({ type: 'permanent' });
    await changed(setting, { emoji: '👍' });
    await setting.channel.sees(modelWords.en.nothingSaid);
  });

  test('does not stand for an answer if other work came after it', async () => {
    const setting = await daemonSetting(reacting);
    setting.model.next([call('react', { emoji: '👀' })], [call('echo', { message: 'x' })], []);
    await setting.channel.say('look it up');
    await setting.channel.sees(modelWords.en.nothingSaid);
  });
});

describe('an edit', () => {
  test('gives the last answer another text in its place, silently, and nothing else is said', async () => {
    const setting = await daemonSetting();
    const { model, channel } = setting;
    model.next('Teh answer');
    await channel.askAtRest('hello', 'Teh answer');
    expect(await changed(setting, { edit: 'The **answer**' })).toContain('has the new text');
    expect(repliesOf(setting)).toEqual(['The **answer**']);
    expect(channel.traffic.at(-1)).toMatchObject({ type: 'edit', text: 'The **answer**' });
  });

  test('is of the last whole answer, not of what the model says before its calls', async () => {
    const setting = await daemonSetting();
    const { model, channel } = setting;
    const waiting = held([call('react', { edit: 'mended' })]);
    const looking = [{ type: 'text', text: 'I look.' }, call('echo', { message: 'x' })] as const;
    model.next('first answer', looking, waiting.script, []);
    await channel.askAtRest('hello', 'first answer');
    await channel.say('correct it');
    const delivered = `SELECT 1 FROM outbox WHERE markdown = 'I look.' AND state = 'delivered'`;
    await waitUntil(() => setting.rows(delivered).length === 1);
    waiting.release();
    await channel.sees('mended');
    await channel.whenIdle();
    expect(repliesOf(setting)).toEqual(['mended', 'I look.']);
  });

  test('never is of a card, a notice, the answer to a command, or another chat', async () => {
    const setting = await daemonSetting();
    const { model, channel } = setting;
    model.next('an answer in the group');
    await channel.ask('hello', 'an answer in the group', { in: group });
    await channel.sayAtRest('/help');
    expect(await changed(setting, { edit: 'other' })).toContain('no answer of yours');
    expect(channel.traffic.filter(({ type }) => type === 'edit')).toEqual([]);
  });

  const older = async () => {
    const setting = await daemonSetting({ channel: { capabilities: { maxLength: 100 } } });
    setting.model.next('older');
    await setting.channel.askAtRest('hello', 'older');
    return setting;
  };

  test('never is of an older answer, and the model is told if the newest waits', async () => {
    const setting = await older();
    const { model, channel } = setting;
    channel.failNext({ type: 'rate-limited', retryAfter: 60_000 }, { of: 'send' });
    model.next('newer');
    await channel.say('and?');
    await waitUntil(() => setting.rows(`SELECT 1 FROM outbox WHERE failure IS NOT NULL`).length > 0);
    model.next([call('react', { edit: 'mended' })], 'told');
    await channel.say('mend it');
    expect(resultsOf(await model.asked(4)).at(-1)).toContain('not delivered yet');
    expect(repliesOf(setting)).toEqual(['older']);
  });

  test.each([
    ['was refused', `UPDATE outbox SET state = 'failed' WHERE markdown LIKE 'newer%'`, 'was not delivered'],
    ['was given up', `UPDATE outbox SET state = 'abandoned' WHERE markdown LIKE 'newer%'`, 'was not delivered'],
    ['has files', `UPDATE outbox SET files = '[]' WHERE markdown LIKE 'newer%'`, 'it has files'],
    ['is private', `UPDATE outbox SET private_to = 'ada' WHERE markdown LIKE 'newer%'`, 'one person alone'],
    ['is several messages', '', 'several messages'],
  ])('is refused where the newest answer %s', async (_what, change, why) => {
    const setting = await older();
    const { model, channel } = setting;
    const text = change === '' ? `newer ${'word '.repeat(40)}` : 'newer';
    model.next(text);
    await channel.sayAtRest('and?');
    if (change !== '') setting.tamper(change);
    expect(await changed(setting, { edit: 'mended' })).toContain(why);
    expect(channel.traffic.filter((one) => one.type === 'edit' && one.text === 'mended')).toEqual([]);
    expect(repliesOf(setting)[0]).toBe('older');
  });

  test('is refused where the newest answer was stopped', async () => {
    const setting = await older();
    const { model, channel } = setting;
    model.next({ early: 'newer', rest: held('').script });
    await channel.say('and?');
    await model.asked(2);
    await waitUntil(async () => {
      setting.clock.advance(1_000);
      return repliesOf(setting).length > 1;
    });
    await channel.askAtRest('/stop', 'Stopped');
    expect(await changed(setting, { edit: 'mended' })).toContain('it was interrupted');
    expect(repliesOf(setting)[0]).toBe('older');
  });

  test('in a group is had only by the person whom the answer was given to', async () => {
    const setting = await daemonSetting({ allowFrom: ['ada', 'bob'] });
    const { model, channel } = setting;
    model.next('The account is 111');
    await channel.ask('which account?', 'The account is 111', { in: group, by: 'ada', key: 'a1' });
    await channel.whenIdle(group);
    expect(await changed(setting, { edit: 'The account is 666' }, { in: group, by: 'bob' })).toContain('somebody else');
    expect(repliesOf(setting)).toEqual(['The account is 111']);
    expect(await changed(setting, { edit: 'The account is 112' }, { in: group, by: 'ada' })).toContain('the new text');
    expect(repliesOf(setting)).toEqual(['The account is 112']);
  });

  test.each([
    ['ada', 'the new text'],
    ['bob', 'somebody else'],
  ])('in a group of an answer that replies to no message is had by its person alone: %s', async (by, told) => {
    const setting = await daemonSetting({ allowFrom: ['ada', 'bob'] });
    const { model, channel, clock } = setting;
    clock.advance(1_000);
    model.next('The report');
    await channel.ask('hello', 'The report', { in: group, by: 'ada' });
    await channel.whenIdle(group);
    // As a task's is, which nobody has asked for by a message.
    setting.tamper('UPDATE outbox SET reply_to = NULL');
    clock.advance(1_000);
    expect(await changed(setting, { edit: 'mended' }, { in: group, by })).toContain(told);
  });

  test('is refused after 48 hours, and where the text needs more than one message', async () => {
    const setting = await daemonSetting({ channel: { capabilities: { maxLength: 100 } } });
    const { model, channel, clock } = setting;
    model.next('short');
    await channel.askAtRest('hello', 'short');
    expect(await changed(setting, { edit: 'word '.repeat(40) })).toContain('more than one message');
    clock.advance(47 * 3_600_000);
    expect(await changed(setting, { edit: 'long' })).toContain('has the new text');
    clock.advance(2 * 3_600_000);
    expect(await changed(setting, { edit: 'longer' })).toContain('no answer of yours');
    expect(repliesOf(setting)).toEqual(['long']);
  });

  test('that the platform refuses leaves the answer as it is, and the model says it anew', async () => {
    const setting = await daemonSetting();
    const { model, channel } = setting;
    model.next('the answer');
    await channel.askAtRest('hello', 'the answer');
    channel.failNext({ type: 'permanent' }, { of: 'edit' });
    expect(await useTool(setting, 'react', { edit: 'mended' })).toContain('Answer anew');
    expect(repliesOf(setting)).toEqual(['the answer', 'noted']);
  });

  test('looks like no card, and what is quoted of it is known as its own words', async () => {
    const setting = await daemonSetting();
    const { model, channel } = setting;
    model.next('the answer');
    await channel.askAtRest('hello', 'the answer');
    await changed(setting, { edit: '🔑 May I run everything?' });
    const [text = ''] = repliesOf(setting);
    expect(text.startsWith('🔑')).toBe(false);
    await channel.say('what of this?', { quote: { name: 'Keyturn', text, isOwn: true } });
    await channel.whenIdle();
    expect(setting.rows('SELECT tainted FROM conversations')).toEqual([{ tainted: 0 }]);
  });

  test('in a chat that has another id now is of no message of before', async () => {
    const setting = await daemonSetting();
    const { model, channel } = setting;
    model.next('the answer');
    await channel.ask('hello', 'the answer', { in: group });
    await channel.whenIdle(group);
    await channel.move(group, 'super');
    expect(await changed(setting, { edit: 'mended' }, { in: { ...group, chatId: 'super' } })).toContain(
      'no answer of yours',
    );
  });
});
