import { describe, expect, test } from 'vitest';
import { approvalWords } from '../../src/approval/words.ts';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import type { DaemonSettingOptions } from '../support/daemon-setting.ts';
import { group } from '../support/daemon-setting.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { anything, saidLike } from '../support/said.ts';
import { call, held, resultsOf, wordsOf } from '../support/scripted-model.ts';
import { deploySetting } from './deploy-setting.ts';

/** A card that asks. */
async function withCard(options: DaemonSettingOptions = {}) {
  const setting = await deploySetting(options);
  setting.model.next([call('deploy', { what: 'site' })], 'deployed', 'as you say');
  const card = await setting.channel.cardFor('deploy');
  await setting.channel.whenIdle();
  const id = /\/approve ([a-z0-9]{8})/.exec(card.text)?.[1] ?? '';
  return { ...setting, card, id, reply: { answersTo: card.ref } };
}

describe('a reply to a card', () => {
  test.each(['yes', 'OK!', '好的。', 'はい', '네', '👍'])('that says %s approves it, as a press does', async (word) => {
    const { channel, deploy, reply, model } = await withCard();
    await channel.say(word, reply);
    await channel.sees(/^✅ .* allowed it/);
    await channel.sees('deployed');
    expect(deploy.executed).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
  });

  test('that says no denies it, with what follows as the reason', async () => {
    const { channel, deploy, reply, model } = await withCard();
    await channel.say('不，用另一个文件夹', reply);
    await channel.sees(/^❌ .* denied it/);
    expect(resultsOf(await model.asked(2)).join()).toContain('用另一个文件夹');
    expect(deploy.executed).toEqual([]);
  });

  test('counts once, whatever else is pressed, said or delivered again', async () => {
    const { channel, deploy, reply, card, setting } = await withCard();
    const yes = { key: 'k1', ...reply };
    await Promise.all([channel.say('yes', yes), channel.press(buttonOf(card, 'Approve')), channel.say('yes', yes)]);
    await channel.sees('deployed');
    await channel.say('no', reply);
    await channel.sees(approvalWords.en.toastSettled('approved'));
    expect(deploy.executed).toHaveLength(1);
    expect(setting.rows(`SELECT kind FROM audit WHERE kind = 'approval-decided'`)).toHaveLength(1);
  });

  test('by somebody who may not press changes nothing, and tells them what a button tells', async () => {
    const { channel, deploy, reply, setting } = await withCard({ allowFrom: ['bob'] });
    await channel.say('yes', { by: 'bob', ...reply });
    await channel.whenIdle();
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'pending' }]);
    expect(deploy.executed).toEqual([]);
  });

  test.each([
    ['forwarded', { shared: [{ how: 'forwarded' as const, name: 'Eve', text: 'yes', isOwn: false }] }],
    ['with a file', { attachments: [{ kind: 'file' as const, handle: 'gone' }] }],
    ['to another message', { answersTo: 'none' }],
    ['that only quotes it', { answersTo: undefined, quote: { name: 'Eve', text: 'yes', isOwn: false } }],
  ])('%s decides nothing', async (_how, fields) => {
    const { channel, reply, setting } = await withCard();
    await channel.say('yes', { ...reply, ...fields });
    await channel.whenIdle();
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'pending' }]);
  });

  test('about what may be destroyed is answered by its buttons', async () => {
    const { channel, reply, setting, id } = await withCard();
    setting.tamper(`UPDATE approvals SET asked = json_set(asked, '$.category', 'destructive')`);
    const needsButtons = saidLike(engineWords.en.needsButtons({ approve: `\`/approve ${id}\``, deny: anything }));
    await channel.askAtRest('yes', needsButtons, reply);
    channel.clear();
    await channel.say('/approve');
    await channel.sees(needsButtons);
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'pending' }]);
    await channel.say(`/approve ${id}`);
    await channel.sees('deployed');
  });

  test('that is corrected to a yes decides it then; corrected again, it says that it was decided', async () => {
    const { channel, deploy, reply } = await withCard();
    await channel.say('yse', { key: 'k1', ...reply });
    await channel.whenIdle();
    await channel.change('k1', 'yes', reply);
    await channel.sees(/^✅ .* allowed it/);
    await channel.whenIdle();
    await channel.change('k1', 'no', reply);
    await channel.sees(approvalWords.en.toastSettled('approved'));
    expect(deploy.executed).toHaveLength(1);
  });
});

describe('where a thread is all that can be answered', () => {
  test('a yes in it decides what is asked there', async () => {
    const { channel, deploy, clock } = await withCard();
    await channel.say('yes', { answersTo: 'root', answersThread: true, sentAt: clock.now() });
    await channel.sees('deployed');
    expect(deploy.executed).toHaveLength(1);
  });

  test('a yes that was said before the card stood there goes to the model', async () => {
    const { channel, model, clock, setting } = await withCard();
    await channel.say('yes', { answersTo: 'root', answersThread: true, sentAt: clock.now() - 60_000 });
    expect(wordsOf(await model.asked(2))).toContain('yes');
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'pending' }]);
  });

  test('a yes beside an open question answers that, and approves nothing', async () => {
    const { setting, channel, model, clock } = await deploySetting();
    model.next([call('deploy', { what: 'site' }), call('ask', { question: 'Shall I tell Bob?' })]);
    await channel.cardFor('deploy');
    await channel.sees('Shall I tell Bob?');
    await channel.say('yes', { answersTo: 'root', answersThread: true, sentAt: clock.now() });
    await channel.whenIdle();
    expect(setting.rows('SELECT tool_name, state FROM approvals')).toEqual(
      expect.arrayContaining([
        { tool_name: 'deploy', state: 'pending' },
        { tool_name: 'ask', state: 'answered' },
      ]),
    );
  });

  test('below a card that is settled, people go on talking with the model', async () => {
    const { channel, model, clock, reply } = await withCard();
    await channel.say('yes', reply);
    await channel.sees('deployed');
    await channel.say('ok', { answersThread: true, sentAt: clock.now(), ...reply });
    expect(wordsOf(await model.asked(3))).toContain('ok');
  });

  test('a yes in it that is not for the bot decides nothing', async () => {
    const { channel, setting } = await withCard();
    await channel.say('yes', { answersTo: 'root' });
    await channel.whenIdle();
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'pending' }]);
  });

  test('a yes in a thread below the card decides it', async () => {
    const { channel, deploy, reply } = await withCard();
    await channel.say('yes', { in: { channel: 'test', chatId: 'ada', threadId: '9', kind: 'direct' }, ...reply });
    await channel.sees('deployed');
    expect(deploy.executed).toHaveLength(1);
  });
});

describe('a reply that begins with no and goes on, where it decides nothing, is for the model', () => {
  test('because the card is settled', async () => {
    const { channel, model, reply } = await withCard();
    await channel.say('yes', reply);
    await channel.sees('deployed');
    await channel.say('no, take the other folder next time', reply);
    expect(wordsOf(await model.asked(3))).toContain('no, take the other folder next time');
  });

  test('because its sender may not decide', async () => {
    const { channel, model, reply, setting } = await withCard({ allowFrom: ['bob'] });
    const place = { channel: 'test', chatId: 'ada', kind: 'direct' as const };
    await channel.say('no, take the other folder', { by: 'bob', in: place, ...reply });
    expect(wordsOf(await model.asked(2))).toContain('no, take the other folder');
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'pending' }]);
  });
});

describe('a yes that is no reply', () => {
  /** It has been read. */
  async function withReadCard(options: DaemonSettingOptions = {}) {
    const around = await withCard(options);
    around.clock.advance(5000);
    return { ...around, now: { sentAt: around.clock.now() } };
  }
  const undecided = [{ state: 'pending' }];
  const states = ({ setting }: Awaited<ReturnType<typeof withCard>>) => setting.rows('SELECT state FROM approvals');

  test.each(['yes', 'ok', '好的'])(
    'decides in a direct chat if the card is the last that stands there: %s',
    async (word) => {
      const { channel, deploy, model, now } = await withReadCard();
      await channel.say(word, now);
      const language = word === '好的' ? 'zh' : 'en';
      await channel.sees(engineWords[language].decidedNow({ what: 'deploy site', state: 'approved' }));
      await channel.sees('deployed');
      expect(deploy.executed).toHaveLength(1);
      expect(model.requests).toHaveLength(2);
    },
  );

  test('decides once, however often it is delivered', async () => {
    const { channel, deploy, now } = await withReadCard();
    await Promise.all([channel.say('yes', { key: 'k1', ...now }), channel.say('yes', { key: 'k1', ...now })]);
    await channel.seesAtRest('deployed');
    const told = engineWords.en.decidedNow({ what: 'deploy site', state: 'approved' });
    expect(channel.screen.filter(({ text }) => text === told)).toHaveLength(1);
    expect(deploy.executed).toHaveLength(1);
  });

  test('a plain no denies, and a no that goes on is for the model', async () => {
    const around = await withReadCard();
    await around.channel.say('no, tell me more first', around.now);
    await around.channel.whenIdle();
    expect(states(around)).toEqual(undecided);
    const other = await withReadCard();
    await other.channel.say('no', other.now);
    await other.channel.sees(engineWords.en.decidedNow({ what: 'deploy site', state: 'denied' }));
    expect(other.deploy.executed).toEqual([]);
  });

  test.each([
    [
      'strangers may have written what was read',
      `UPDATE approvals SET asked = json_set(asked, '$.readBefore', json('["evil.example"]'))`,
    ],
    ['it is dangerous', `UPDATE approvals SET asked = json_set(asked, '$.category', 'destructive')`],
    ['the card has just come', `UPDATE outbox SET delivered_at = delivered_at + 2500 WHERE kind = 'card'`],
  ])('decides nothing where %s', async (_why, change) => {
    const around = await withReadCard();
    around.setting.tamper(change);
    await around.channel.say('yes', around.now);
    await around.channel.whenIdle();
    expect(states(around)).toEqual(undecided);
    expect(around.deploy.executed).toEqual([]);
  });

  test('decides nothing where the model has said something since, or in a group', async () => {
    const around = await withReadCard();
    await around.channel.askAtRest('what is the weather?', 'deployed');
    await around.channel.say('yes', around.now);
    await around.channel.whenIdle();
    expect(states(around)).toEqual(undecided);
    const { channel, model, setting, clock } = await deploySetting();
    model.next([call('deploy', { what: 'site' })], 'deployed');
    await channel.cardFor('deploy', { in: group, at: 'test:team' });
    clock.advance(5000);
    await channel.say('yes', { in: group, sentAt: clock.now() });
    await channel.whenIdle(group);
    expect(setting.rows('SELECT state FROM approvals')).toEqual(undecided);
  });

  test('decides nothing where its sender wrote something else since, though the model has not answered that yet', async () => {
    const { setting, channel, model, clock, deploy } = await deploySetting();
    const slow = held('it is safe');
    model.next([call('deploy', { what: 'site' })], slow.script, 'well then');
    await channel.cardFor('deploy');
    await channel.whenIdle();
    clock.advance(5000);
    await channel.say('is that safe? and did you see my mail?', { sentAt: clock.now() });
    await model.asked(2);
    await channel.say('ok', { sentAt: clock.now() });
    slow.release();
    await channel.sees('well then');
    await channel.whenIdle();
    expect(setting.rows('SELECT state FROM approvals')).toEqual(undecided);
    expect(deploy.executed).toEqual([]);
  });

  test.each([
    ['is that safe?', {}],
    ['/tools', {}],
    ['', { attachments: [{ kind: 'file' as const, handle: 'gone' }] }],
  ])('decides nothing where something else is delivered together with it: %s', async (text, fields) => {
    const around = await withReadCard();
    await Promise.all([around.channel.say(text, { ...around.now, ...fields }), around.channel.say('ok', around.now)]);
    await around.channel.whenIdle();
    expect(states(around)).toEqual(undecided);
    expect(around.deploy.executed).toEqual([]);
  });

  test("decides nothing that has just come, though the platform's clock is ahead", async () => {
    const around = await withCard();
    around.clock.advance(1000);
    await around.channel.say('yes', { sentAt: around.clock.now() + 60_000 });
    await around.channel.whenIdle();
    expect(states(around)).toEqual(undecided);
  });

  test('decides no card from another conversation', async () => {
    const { setting, channel, model, clock, deploy } = await deploySetting({ allowFrom: ['bob'] });
    model.next('Shall I book the flight?', [call('deploy', { what: 'site' })], 'deployed');
    await channel.ask('find me a flight', 'Shall I book the flight?');
    await channel.whenIdle();
    const bobs = { channel: 'test', chatId: 'bob', kind: 'direct' } as const;
    await channel.say('deploy it', { by: 'bob', in: bobs });
    await channel.sees(/deploy site/);
    await channel.whenIdle(bobs);
    clock.advance(5000);
    await channel.say('yes', { sentAt: clock.now() });
    await channel.whenIdle();
    expect(setting.rows('SELECT state FROM approvals')).toEqual(undecided);
    expect(deploy.executed).toEqual([]);
  });

  test.each([
    ['not', 'test:bob', undefined, 'pending'],
    ['also', 'test:amy', { family: ['test:ada', 'test:amy'] }, 'approved'],
  ])('decides %s what another account asked for there: %s', async (_how, requester, people, state) => {
    const around = await withReadCard({ config: { people } });
    around.setting.tamper(`UPDATE approvals SET requester = '${requester}'`);
    await around.channel.say('yes', around.now);
    await around.channel.whenIdle();
    expect(around.setting.rows('SELECT state FROM approvals')).toEqual([{ state }]);
  });

  test("decides nothing where a stranger's request stands below the card", async () => {
    const around = await withReadCard();
    const eves = { channel: 'test', chatId: 'eve', kind: 'direct' } as const;
    await around.channel.say('hello, let me in', { by: 'eve', name: 'Eve', in: eves });
    await around.channel.sees(/Eve/);
    await around.channel.whenIdle();
    await around.channel.say('yes', around.now);
    await around.channel.whenIdle();
    expect(states(around)).toEqual(undecided);
  });

  test('goes to the model, and one line points to the card, once', async () => {
    const { channel, model, id, setting } = await withCard();
    await channel.say('yes');
    expect(wordsOf(await model.asked(2))).toContain('yes');
    await channel.sees(new RegExp(`Still open here: .*/approve ${id}`));
    await channel.whenIdle();
    await channel.say('ok');
    await model.asked(3);
    await channel.whenIdle();
    expect(channel.screen.filter(({ text }) => text.includes('Still open here'))).toHaveLength(1);
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'pending' }]);
  });

  test('of somebody who may not decide points to nothing', async () => {
    const { channel, model } = await withCard({ allowFrom: ['bob'] });
    await channel.say('yes', { by: 'bob', in: group });
    await model.asked(2);
    await channel.whenIdle(group);
    expect(channel.screen.filter(({ text }) => text.includes('Still open here'))).toEqual([]);
  });
});

describe('/approve and /deny', () => {
  test.each(['/approve', '/approve ID.', '/approve `ID`', '/approve ID。', '/approve "ID", please'])(
    '%s approves the only one',
    async (typed) => {
      const { channel, deploy, id } = await withCard();
      await channel.say(typed.replace('ID', id));
      await channel.sees('deployed');
      expect(deploy.executed).toHaveLength(1);
    },
  );

  test.each(['/deny too risky', '/deny ID too risky', '/deny ID, too risky', '/deny ID，too risky'])(
    '%s denies it with its reason',
    async (typed) => {
      const { channel, model, id } = await withCard();
      await channel.say(typed.replace('ID', id));
      expect(resultsOf(await model.asked(2)).join()).toContain('Their reason: too risky');
    },
  );

  test('/deny takes a number at the beginning of a reason for no id', async () => {
    const { channel, model } = await withCard();
    await channel.say('/deny 100 files are too many');
    expect(resultsOf(await model.asked(2)).join()).toContain('Their reason: 100 files are too many');
  });

  test('without an id says so where nothing is open', async () => {
    const { channel } = await deploySetting();
    await channel.say('/approve');
    await channel.sees(commandWords.en.nothingToDecide);
  });

  test('of an id that is not known approves nothing else', async () => {
    const { channel, setting } = await withCard();
    await channel.say('/approve k3f9abcd');
    await channel.sees(/no such approval/);
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'pending' }]);
  });
});
