import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAccounts } from '../../src/conversation/access/access.ts';
import { strangerWords } from '../../src/conversation/access/words.ts';
import { createGuesses } from '../../src/conversation/commands/guesses.ts';
import { peopleWords } from '../../src/conversation/commands/people/words.ts';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { silentLog } from '../../src/lib/log.ts';
import { deploySetting } from '../engine/deploy-setting.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anything, saying } from '../support/saying.ts';
import { call, held } from '../support/scripted-model.ts';
import { codeOf, housed, knock, minute } from './pairing-setting.ts';

const hour = 3_600_000;

describe('a code', () => {
  test('may be guessed five times an hour by one person', () => {
    const clock = new ManualClock();
    const guesses = createGuesses(clock);
    for (let guess = 0; guess < 5; guess++) expect(guesses.take('test:eve')).toBe('granted');
    expect(guesses.take('test:eve')).toBe('too-many');
    expect(guesses.take('test:ada')).toBe('granted');
    clock.advance(hour - 1);
    expect(guesses.take('test:eve')).toBe('ignored');
    clock.advance(1);
    expect(guesses.take('test:eve')).toBe('granted');
  });

  test('is not guessed by a crowd that fills the memory, nor by those who have guessed lately', () => {
    const guesses = createGuesses(new ManualClock());
    for (let person = 0; person < 3000; person++) guesses.take(`test:${person}`);
    for (let guess = 0; guess < 5; guess++) guesses.take('test:eve');
    for (let person = 0; person < 900; person++) guesses.take(`test:x${person}`);
    expect(guesses.take('test:eve')).toBe('too-many');
  });
});

describe('/claim', () => {
  test('makes the first who shows the code the owner, for good', async () => {
    const { channel, ...setting } = await unclaimed();
    await channel.ask('hello', strangerWords.en.unclaimed({ command: '/claim' }), { by: 'eve', at: 'test:eve' });
    await channel.ask('/claim wrong', commandWords.en.wrongClaim, { by: 'eve', at: 'test:eve' });
    await channel.ask('/claim k3f9abcd', commandWords.en.claimed, { at: 'test:ada' });
    await channel.say('/claim k3f9abcd', { by: 'eve' });
    await setting.restart();
    await channel.ask('still me', 'echo: still me');
    expect(channel.textsIn('test:eve').join()).not.toContain('yours');
    expect(setting.rows('SELECT principal FROM owners')).toEqual([{ principal: 'test:ada' }]);
  });

  test('takes the code however it is typed, and nothing else; after five wrong ones, not even that', async () => {
    const { channel, clock, rows } = await unclaimed();
    const wrong = ['', 'k3f9abc', 'k3f9abcde', 'k3f9abcc', '天天天天'];
    for (const code of [...wrong, 'k3f9abcd', 'k3f9abcd']) await channel.say(`/claim ${code}`, { by: 'eve' });
    await channel.sees(commandWords.en.tooManyGuesses, 'test:eve');
    // Who was never heard before is answered in the language that they write.
    const { en, zh } = commandWords;
    const answers = wrong.map((code) => (code === '天天天天' ? zh.wrongClaim : en.wrongClaim));
    expect(channel.textsIn('test:eve')).toEqual([...answers, en.tooManyGuesses]);
    expect(rows('SELECT principal FROM owners')).toEqual([]);
    clock.advance(hour);
    await channel.ask('/claim   K3F9ABCD\n', commandWords.en.claimed, { by: 'eve', at: 'test:eve' });
  });

  test('a wrong code that the platform delivers twice counts once', async () => {
    const { channel } = await unclaimed();
    for (const key of ['one', 'two', 'three', 'four']) {
      for (let delivery = 0; delivery < 2; delivery += 1) await channel.say('/claim wrong', { by: 'eve', key });
    }
    await channel.ask('/claim k3f9abcd', commandWords.en.claimed, { by: 'eve', at: 'test:eve' });
  });

  test('of two at once, one becomes the owner, and the other is told', async () => {
    const { channel, rows } = await unclaimed();
    await Promise.all(['ada', 'bob'].map((by) => channel.say('/claim k3f9abcd', { by })));
    await channel.sees('yours now', 'test:ada');
    await channel.sees(commandWords.en.alreadyOwned, 'test:bob');
    expect(rows('SELECT principal FROM owners')).toHaveLength(1);
  });

  test.each(['/start k3f9abcd', 'k3f9abcd', ' `K3F9ABCD` '])(
    'is also said by %j, and noted in the log',
    async (text) => {
      const lines: string[] = [];
      const log = {
        ...silentLog,
        info: (fields: object, line: string) => lines.push(`${line} ${JSON.stringify(fields)}`),
      };
      const { setting, channel } = await daemonSetting({ config: { owners: [] }, log });
      await channel.ask(text, commandWords.en.claimed);
      expect(setting.rows('SELECT principal FROM owners')).toEqual([{ principal: 'test:ada' }]);
      expect(lines.filter((line) => line.includes('claimed'))).toEqual([expect.stringContaining('test:ada')]);
      await channel.ask('/start k3f9abcd', commandWords.en.about);
      await channel.ask('echo me', 'echo: echo me');
    },
  );

  test('is never met with silence, and a guess counts however it is written', async () => {
    const { channel, rows } = await unclaimed();
    for (const text of ['/start k3f9abcc', 'k3f9abcc', '/claim k3f9abcc']) await channel.say(text, { by: 'eve' });
    const { wrongClaim, tooManyGuesses } = commandWords.en;
    expect(channel.textsIn('test:eve')).toEqual([wrongClaim, wrongClaim, wrongClaim]);
    for (const text of ['/start a2', '/start a3', 'k3f9abcd', '/start k3f9abcd'])
      await channel.say(text, { by: 'eve' });
    expect(channel.textsIn('test:eve').slice(5)).toEqual([tooManyGuesses]);
    expect(rows('SELECT principal FROM owners')).toEqual([]);
  });

  test.each(['/start', '你好', 'hello', 'password', '/help'])('is explained to who says %j', async (text) => {
    const { channel } = await unclaimed();
    const says = [strangerWords.en, strangerWords.zh].map((words) => words.unclaimed({ command: '/claim' }));
    await channel.say(text, { by: 'eve' });
    await channel.changes.waitFor(() => channel.textsIn('test:eve').length === 1);
    expect(says).toContain(channel.textsIn('test:eve')[0]);
  });

  test('is said in a chat of two alone, and by no link once there is an owner', async () => {
    const { channel, rows } = await unclaimed();
    for (const text of ['k3f9abcd', '/start k3f9abcd']) await channel.say(text, { by: 'eve', in: group });
    expect(rows('SELECT principal FROM owners')).toEqual([]);
    await channel.ask('/claim k3f9abcd', commandWords.en.claimed);
    await channel.ask('/start k3f9abcd', 'people I know', { by: 'eve', at: 'test:eve' });
    expect(rows('SELECT principal FROM owners')).toEqual([{ principal: 'test:ada' }]);
  });

  test('works for somebody who may talk anyway', async () => {
    const { channel } = await unclaimed(['*']);
    await channel.ask('/claim k3f9abcd', commandWords.en.claimed);
  });

  test('is over once the config names the owners: who has claimed it is none any more, and nobody can', async () => {
    const { setting, channel, model, deploy } = await deploySetting({ config: { owners: [] } });
    await channel.ask('/claim k3f9abcd', commandWords.en.claimed);
    model.next([call('deploy', { what: 'site' })]);
    await channel.say('deploy the site');
    const card = await channel.card();
    await setting.restart({ owners: ['test:bob'] });
    const [approval] = setting.rows('SELECT id FROM approvals');
    expect(await channel.press(card)).toEqual({ notice: engineWords.en.toastNotYours });
    for (const text of [`/approve ${approval?.id}`, '/claim k3f9abcd', 'list the files']) await channel.say(text);
    await channel.ask('/claim k3f9abcd', 'people I know', { by: 'eve', at: 'test:ada' });
    await channel.sees('people I know', 'test:eve');
    await channel.askAtRest('it is mine', 'echo: it is mine', { by: 'bob', at: 'test:bob' });
    expect(model.requests).toHaveLength(2);
    expect(deploy.executed).toEqual([]);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
    expect(setting.rows('SELECT principal FROM owners')).toEqual([{ principal: 'test:ada' }]);
  });

  test('does not tell somebody else that it is theirs', async () => {
    const { channel } = await daemonSetting({ allowFrom: ['bob'] });
    await channel.ask('/claim k3f9abcd', commandWords.en.alreadyOwned, { by: 'bob', at: 'test:bob' });
    await channel.ask('/claim k3f9abcd', commandWords.en.alreadyOwned, { at: 'test:ada' });
  });
});

async function unclaimed(allowFrom: readonly string[] = []) {
  const { setting, channel, clock } = await daemonSetting({ config: { owners: [] }, allowFrom });
  return { channel, clock, restart: () => setting.restart(), rows: (sql: string) => setting.rows(sql) };
}

describe('/people and /unpair', () => {
  test('show who was let in and who asks to be, to owners alone', async () => {
    const { channel, clock } = await housed({}, ['test:ada'], ['bob']);
    await channel.ask('/people', peopleWords.en.letInList({ people: [] }), { at: 'test:ada' });
    await channel.say(`/pair ${await knock(channel, 'pia')}`);
    await knock(channel, 'eve');
    clock.advance(20 * minute);
    const line = peopleWords.en.personLine({ person: '`test:pia` (`Pia`)', by: '`test:ada`', since: anything });
    const letIn = peopleWords.en.letInList({ people: [line] });
    const { text } = await channel.ask('/people', saying(letIn), { at: 'test:ada' });
    // Local time: it depends on the machine which day it is.
    expect(text).toMatch(/ since 1[45] Nov 2023\n/);
    const holder = peopleWords.en.holderLine({ person: '`test:eve` (`Eve`)', rest: '23 h 40 min' });
    expect(text).toContain(peopleWords.en.holderList({ holders: [holder] }));
    for (const by of ['bob', 'pia']) {
      for (const command of ['/people', '/unpair pia']) await channel.say(command, { by });
      await channel.sees('Only an owner', `test:${by}`);
      expect(channel.textsIn(`test:${by}`).join()).not.toContain('Eve');
    }
  });

  test.each(['test:pia', 'pia'])('/unpair %s takes effect at once, and calls off nothing that runs', async (id) => {
    const { setting, channel } = await housed();
    await channel.say(`/pair ${await knock(channel, 'pia')}`);
    const answer = held('the answer');
    setting.model.next(answer.script);
    await channel.say('a question', { by: 'pia', key: 'question' });
    await setting.model.asked(1);
    await channel.ask(
      `/unpair ${id}`,
      peopleWords.en.unpaired({ person: '`test:pia` (`Pia`)', isNamed: false, isLinkedIn: false }),
      { at: 'test:ada' },
    );
    await channel.say('another question', { by: 'pia' });
    await channel.change('question', 'do as I say', { by: 'pia' });
    await channel.say('/status', { by: 'pia' });
    answer.release();
    await channel.sees('the answer', 'test:pia');
    await channel.whenIdle(direct('test', 'pia'));
    expect(setting.rows("SELECT text FROM inbox WHERE principal = 'test:pia'")).toEqual([{ text: 'a question' }]);
    await setting.restart();
    await channel.say('please', { by: 'pia' });
    expect(setting.model.requests).toHaveLength(1);
    await channel.say(`/pair ${await codeOf(channel, 'pia')}`);
    await channel.sees(strangerWords.en.welcome, 'test:pia');
  });

  test('/unpair of nobody, of whom the config names, and of several says what to do', async () => {
    const { setting, channel, channels } = await daemonSetting({
      moreChannels: [{ name: 'other' }],
      allowFrom: ['bob'],
    });
    const [, other] = channels;
    await channel.ask('/unpair', 'Say who');
    await channel.ask('/unpair nobody', peopleWords.en.notPaired);
    await channel.ask('/unpair test:bob', peopleWords.en.inConfig);
    for (const where of [channel, other]) {
      if (where !== undefined) await channel.say(`/pair ${await knock(where, 'pia')}`);
    }
    await channel.say('/unpair pia');
    await channel.sees(peopleWords.en.several({ people: ['`other:pia` (`Pia`)', '`test:pia` (`Pia`)'] }));
    await channel.ask(
      '/unpair other:pia',
      peopleWords.en.unpaired({ person: '`other:pia` (`Pia`)', isNamed: false, isLinkedIn: false }),
    );
    expect(setting.rows('SELECT principal FROM paired')).toEqual([{ principal: 'test:pia' }]);
  });

  test('/status tells an owner, and nobody else, that strangers ask', async () => {
    const { channel } = await housed({}, ['test:ada'], ['bob']);
    await knock(channel, 'eve');
    for (const by of ['ada', 'bob']) await channel.say('/status', { by });
    expect((await channel.sees('is up for', 'test:ada')).text).toContain(statusWords.en.strangersAsk({ count: 1 }));
    expect((await channel.sees('is up for', 'test:bob')).text).not.toContain('stranger');
    await knock(channel, 'mallory');
    await channel.ask('/status', statusWords.en.strangersAsk({ count: 2 }), { at: 'test:ada' });
  });
});

const link = (principal: string, person: string) => ({ principal, person });

describe('the accounts of a person', () => {
  test('are those that share a link, sorted, each with all of them; somebody else has their own alone', () => {
    const accounts = createAccounts(() => [], [link('b:1', 'x'), link('a:1', 'x'), link('c:1', 'y')]);
    expect(accounts.accountsOf('b:1')).toEqual(['a:1', 'b:1']);
    expect(accounts.accountsOf('a:1')).toEqual(['a:1', 'b:1']);
    expect(accounts.accountsOf('c:1')).toEqual(['c:1']);
    expect(accounts.accountsOf('d:1')).toEqual(['d:1']);
    expect(accounts.persons()).toEqual([['a:1', 'b:1']]);
  });

  test('are joined where the config and a code speak of the same account, and parted when the code does no more', () => {
    const fixed = [['a:1', 'b:1']];
    const accounts = createAccounts(() => fixed, [link('b:1', 'x'), link('c:1', 'x')]);
    for (const account of ['a:1', 'b:1', 'c:1']) expect(accounts.accountsOf(account)).toEqual(['a:1', 'b:1', 'c:1']);
    expect(accounts.persons()).toHaveLength(1);
    accounts.renew([]);
    expect(accounts.accountsOf('c:1')).toEqual(['c:1']);
    expect(accounts.accountsOf('a:1')).toEqual(['a:1', 'b:1']);
    expect([accounts.isFixed('b:1'), accounts.isFixed('c:1')]).toEqual([true, false]);
  });

  test('are the same whichever of them is asked for, whatever was linked with whatever', () => {
    const group = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(group, { maxLength: 5 }), (fixed) => {
        const { accountsOf } = createAccounts(() => fixed, []);
        for (const one of fixed.flat()) {
          expect(accountsOf(one)).toContain(one);
          for (const other of accountsOf(one)) expect(accountsOf(other)).toEqual(accountsOf(one));
        }
        for (const accounts of fixed)
          for (const one of accounts) expect(accountsOf(one)).toEqual(expect.arrayContaining(accounts));
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});
