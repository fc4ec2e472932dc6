import { describe, expect, test } from 'vitest';
import { approvalWords } from '../../src/approval/words.ts';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { firstWord, parseCommand } from '../../src/engine/message.ts';
import { engineWords } from '../../src/engine/words.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { RecordingTool, untilStopped } from '../support/recording-tool.ts';
import { call, held, wordsOf } from '../support/scripted-model.ts';
import { askedSetting, deploySetting } from './deploy-setting.ts';

describe('rule 5: an event that is delivered twice acts once', () => {
  test('a redelivered /new does nothing', async () => {
    const { model, channel } = await deploySetting();
    await channel.say('/new', { key: 'k1' });
    await channel.ask('remember seven', 'echo: remember seven');
    await channel.say('/new', { key: 'k1' });
    await channel.ask('which number?', 'echo: which number?');
    expect(wordsOf(await model.asked(2))).toBe('remember seven\nwhich number?');
    expect(channel.screen.filter(({ kind }) => kind === 'notice')).toHaveLength(1);
  });

  test('a redelivered /stop does nothing', async () => {
    const { model, channel, deploy } = await deploySetting();
    await channel.say('/stop', { key: 'k1' });
    model.next([call('deploy', { what: 'site' })], 'deployed');
    await channel.say('deploy the site');
    const card = await channel.card();
    await channel.say('/stop', { key: 'k1' });
    await channel.pressToSee(card, 'deployed');
    expect(deploy.executed).toEqual(['site']);
  });

  test('a redelivered message makes one run, and a redelivered press one execution', async () => {
    const { model, channel, deploy } = await deploySetting();
    model.next([call('deploy', { what: 'site' })], 'deployed');
    await Promise.all([channel.say('deploy', { key: 'k1' }), channel.say('deploy', { key: 'k1' })]);
    const card = await channel.card();
    await Promise.all([channel.press(card, { key: 'k2' }), channel.press(card, { key: 'k2' })]);
    await channel.sees('deployed');
    await channel.press(card, { key: 'k2' });
    await channel.sayAtRest('deploy', { key: 'k1' });
    expect(deploy.executed).toEqual(['site']);
    expect(model.requests).toHaveLength(2);
  });

  test('of two commands in the same instant one decides, and the other is answered', async () => {
    const { channel, deploy, setting } = await askedSetting({ answers: ['deployed'] });
    const [approval] = setting.rows('SELECT id FROM approvals');
    await Promise.all([channel.say(`/approve ${approval?.id}`), channel.say(`/deny ${approval?.id}`)]);
    await channel.sees('already approved');
    await channel.sees('deployed');
    expect(deploy.executed).toEqual(['site']);
  });

  test('events of two channels may have the same key', async () => {
    const { setting, channel } = await deploySetting({
      moreChannels: [{ name: 'other' }],
      config: { owners: ['test:ada', 'other:ada'] },
    });
    const [, other] = setting.channels;
    await channel.say('from here', { key: '1' });
    await other?.say('from there', { key: '1' });
    await channel.sees('echo: from here');
    await other?.sees('echo: from there');
  });
});

/** A call that waits for Ada, without which the model has gone on. */
async function deferredSetting(options: { readonly deploy?: RecordingTool } = {}) {
  const around = await askedSetting({ ...options, answers: ['I am waiting'] });
  await around.channel.ask('how is it going?', 'I am waiting');
  return around;
}

describe('rule 6: /stop calls off what has not begun, and aborts what runs', () => {
  test('an undecided call does not run any more, no matter who presses', async () => {
    const { model, channel, deploy, card } = await askedSetting();
    await channel.ask('/stop', 'Called off');
    expect(await channel.press(card)).toEqual({ notice: approvalWords.en.toastSettled('cancelled') });
    await channel.whenIdle();
    expect(deploy.executed).toEqual([]);
    expect(model.requests).toHaveLength(1);
  });

  test('a call that runs is aborted, and the model is not asked about it', async () => {
    const slow = new RecordingTool('slow', 'memory', untilStopped);
    const { setting, model, channel } = await deploySetting({}, slow);
    model.next([call('slow', { what: 'work' })]);
    await channel.say('work');
    await slow.ran(1);
    await channel.sayAtRest('/stop');
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'cancelled' }]);
    expect(model.requests).toHaveLength(1);
    await channel.ask('and now?', /^echo: .*and now\?$/s);
  });

  test('what is still to come of an answer is not shown; what was read of it stays', async () => {
    const { model, channel } = await deploySetting({ channel: { streams: true } });
    const answer = held('too late');
    model.next({ early: 'half an answer', rest: answer.script });
    await channel.ask('tell me', 'half an answer');
    await channel.say('/stop');
    answer.release();
    await channel.whenIdle();
    expect(channel.textsIn('test:ada')).toEqual(['half an answer\n\n*(interrupted)*', '🛑 Stopped.']);
  });

  test.each(['stop first', 'press first'])(
    '%s, in the same instant: it runs or is called off, as the journal says',
    async (order) => {
      const { setting, channel, deploy, card } = await askedSetting();
      const deeds = [() => channel.say('/stop'), () => channel.press(card)];
      await Promise.all((order === 'stop first' ? deeds : deeds.toReversed()).map((deed) => deed()));
      await channel.whenIdle();
      expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'cancelled' }]);
      expect(deploy.executed).toEqual([]);
    },
  );

  test('a deferred call that is called off does not run, and the model reads of it when it is asked next', async () => {
    const { model, channel, deploy, card } = await deferredSetting();
    await channel.say('/stop');
    await channel.press(card);
    await channel.say('and now?');
    expect(wordsOf(await model.asked(3))).toContain('outcome="cancelled"');
    expect(deploy.executed).toEqual([]);
  });

  test('a deferred call that runs is aborted, and nobody is answered because of it', async () => {
    const slow = new RecordingTool('deploy', 'shell', untilStopped);
    const { setting, model, channel, card } = await deferredSetting({ deploy: slow });
    await channel.press(card);
    await slow.ran(1);
    await channel.sayAtRest('/stop');
    await setting.restart();
    await channel.whenIdle();
    expect(model.requests).toHaveLength(2);
    await channel.say('and now?');
    expect(wordsOf(await model.asked(3))).toContain('outcome="cancelled"');
  });

  test.each(['runs', 'waits'])('/new leaves nothing of a deferred call that %s', async (what) => {
    const slow = new RecordingTool('deploy', 'shell', untilStopped);
    const { model, channel, card } = await deferredSetting({ deploy: slow });
    if (what === 'runs') {
      await channel.press(card);
      await slow.ran(1);
    }
    await channel.sayAtRest('/new');
    await channel.say('hello');
    expect(wordsOf(await model.asked(3))).toBe('hello');
  });

  test('a message in the same instant as /stop is answered', async () => {
    const { channel } = await deploySetting();
    await Promise.all([channel.say('/stop'), channel.say('hello')]);
    await channel.sees('echo: hello');
  });

  test('a process that dies between /stop and the end of a call leaves a conversation that goes on', async () => {
    const slow = new RecordingTool('slow', 'shell', untilStopped);
    const { setting, model, channel } = await deploySetting({}, slow);
    model.next([call('slow', { what: 'work' })]);
    await channel.say('work');
    await channel.press(await channel.card());
    await slow.ran(1);
    await channel.sayAtRest('/stop');
    await setting.stop();
    setting.tamper(`UPDATE calls SET state = 'begun', outcome = NULL, result = NULL`);
    await setting.start();
    await channel.ask('and now?', /^echo: .*and now\?$/s);
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'unknown' }]);
    expect(slow.executed).toEqual(['work']);
  });

  test.each(['memory', 'shell'] as const)(
    'a process that dies between /new and the end of a call (%s) leaves one that is written off, and told',
    async (category) => {
      const slow = new RecordingTool('slow', category, untilStopped);
      const { setting, model, channel } = await deploySetting({}, slow);
      model.next([call('slow', { what: 'work' })]);
      await channel.say('work');
      if (category === 'shell') await channel.press(await channel.card());
      await slow.ran(1);
      await channel.sayAtRest('/new');
      await setting.stop();
      setting.tamper(
        `UPDATE calls SET state = 'begun', outcome = NULL, result = NULL; UPDATE conversations SET is_open = 1`,
      );
      await setting.start();
      // The card of a call says it of itself.
      const { unknownOutcome, unknownOutcomeOf } = engineWords.en;
      await channel.seesAtRest(category === 'shell' ? unknownOutcome : unknownOutcomeOf('`slow`'));
      expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'unknown' }]);
      expect(setting.rows('SELECT is_open FROM conversations')).toEqual([{ is_open: 0 }]);
      expect(slow.executed).toEqual(['work']);
      expect(model.requests).toHaveLength(1);
      await channel.say('hello');
      expect(wordsOf(await model.asked(2))).toBe('hello');
    },
  );
});

test.each([
  ['/stop', 'stop', ''],
  ['  /Stop \n', 'stop', ''],
  ['/deny k3f9  too\nrisky ', 'deny', 'k3f9  too\nrisky'],
  ['/a_1\targument', 'a_1', 'argument'],
])('%j is the command %s with %j', (text, name, argument) => {
  expect(parseCommand(text)).toEqual({ name, argument });
});

test.each([
  '',
  '/',
  '//',
  '/ stop',
  'stop',
  'please /stop',
  '/etc/hosts',
  '/1st',
  '/stop!',
  '/stop@bot',
  `/${'x'.repeat(33)}`,
  '／stop',
])('%j is none', (text) => expect(parseCommand(text)).toBeUndefined());

test('the first word is split off', () => {
  expect(firstWord('k3f9 too risky')).toEqual({ word: 'k3f9', rest: 'too risky' });
  expect(firstWord('k3f9')).toEqual({ word: 'k3f9', rest: '' });
  expect(firstWord('')).toEqual({ word: '', rest: '' });
});

test('a command that there is not is said to be none, and the model is not asked', async () => {
  const { model, channel } = await deploySetting();
  await channel.ask('/fly away', commandWords.en.unknown({ command: '`/fly`' }));
  expect(model.requests).toEqual([]);
});

describe('a saved permission', () => {
  const deployed = (what: string) => [[call('deploy', { what })], `${what} is up`] as const;

  test('is listed, holds over a restart, and ends when it is revoked', async () => {
    const { setting, model, channel, card } = await askedSetting({ answers: ['site is up'] });
    await channel.pressToSee(buttonOf(card, '15 min'), 'site is up');
    await setting.restart();
    model.next(...deployed('shop'), ...deployed('site'));
    await channel.ask('and the shop', 'shop is up');
    const { buttons } = await channel.ask('/grants', 'every call of `deploy`');
    const [, id] = /^\/revoke ([a-z0-9]{6})$/.exec(buttons[0]?.[0]?.shortcut ?? '') ?? [];
    await channel.ask('/revoke abcdef', commandWords.en.noSuchGrant);
    await channel.ask(`/revoke ${id}`, 'Revoked.');
    await channel.cardFor('the site once more');
  });

  test('for good outlives /new, and one for a while does not; all end at once when somebody says so', async () => {
    const { model, channel, card } = await askedSetting({ answers: ['site is up', ...deployed('shop')] });
    await channel.pressToSee(buttonOf(card, 'Always'), 'site is up');
    await channel.pressToSee(buttonOf(await channel.cardFor('and the shop'), '15 min'), 'shop is up');
    await channel.askAtRest('/new', 'A new conversation');
    model.next(...deployed('site'), ...deployed('shop'), ...deployed('site'));
    await channel.askAtRest('the site once more', 'site is up');
    await channel.press(await channel.cardFor('and the shop once more'));
    await channel.askAtRest('/revoke all', 'Revoked.');
    await channel.cardFor('the site yet again');
  });
});
