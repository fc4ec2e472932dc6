import { describe, expect, test } from 'vitest';
import { type DaemonSettingOptions, group } from '../support/daemon-setting.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { call, held, resultsOf, wordsOf } from '../support/scripted-model.ts';
import { askedSetting, deploySetting } from './deploy-setting.ts';

describe('rule 7: a run has one principal', () => {
  test("in a group, other people's messages wait for a run of their own", async () => {
    const { setting, model, channel } = await deploySetting({ allowFrom: ['bob'] });
    const first = held('to Ada');
    model.next(first.script, 'to Bob', 'to Ada again');
    await channel.say('one', { in: group });
    await model.asked(1);
    await channel.say('two', { in: group, by: 'bob' });
    await channel.say('three', { in: group });
    first.release();
    await channel.sees('to Ada again');
    expect(setting.rows('SELECT principal, seen_seq FROM turns')).toEqual([
      { principal: 'test:ada', seen_seq: 1 },
      { principal: 'test:bob', seen_seq: 2 },
      { principal: 'test:ada', seen_seq: 3 },
    ]);
    expect(wordsOf(await model.asked(2))).toBe('[Ada] one\n[Bob] two');
  });

  test('a permission that serves one person does not serve another', async () => {
    const { channel, deploy, card } = await askedSetting({
      allowFrom: ['bob'],
      answers: ['done for Ada', [call('deploy', { what: 'site' })]],
      deed: { in: group },
    });
    await channel.pressToSee(buttonOf(card, '15 min'), 'done for Ada', { in: group });
    expect((await channel.cardFor('deploy', { in: group, by: 'bob' })).text).toContain('for `test:bob` (`Bob`)');
    expect(deploy.executed).toEqual(['site']);
  });

  test('the same call of two people is asked for twice, and of one person once', async () => {
    const { setting, model, channel, deploy } = await deploySetting({ allowFrom: ['bob'] });
    const deploySite = [call('deploy', { what: 'site' })];
    model.next(deploySite, deploySite, deploySite, 'it waits for you');
    expect((await channel.cardFor('deploy', { in: group })).text).toContain('for `test:ada` (`Ada`)');
    await channel.ask('deploy', 'for `test:bob` (`Bob`)', { in: group, by: 'bob' });
    const bobs = await channel.card();
    await channel.ask('deploy, I said', 'it waits for you', { in: group });
    expect(setting.rows('SELECT requester FROM approvals ORDER BY requester')).toEqual([
      { requester: 'test:ada' },
      { requester: 'test:bob' },
    ]);
    expect(resultsOf(await model.asked(4)).at(-1)).toContain('Already awaiting approval');
    await channel.press(bobs, { in: group });
    await deploy.ran(1);
    await channel.whenIdle(group);
    expect(setting.rows('SELECT requester, state FROM approvals ORDER BY requester')).toEqual([
      { requester: 'test:ada', state: 'pending' },
      { requester: 'test:bob', state: 'approved' },
    ]);
  });
});

describe.each(['/stop', '/new'])('%s ends the run of one, and not what others have said', (command) => {
  const forgets = command === '/new';

  /** The model answers Ada in the group, and the others talk meanwhile. */
  async function adasRun(options: DaemonSettingOptions = {}) {
    const around = await deploySetting({ allowFrom: ['bob', 'eve'], ...options });
    const answer = held('too late');
    around.model.next(answer.script);
    await around.channel.say('one', { in: group });
    await around.model.asked(1);
    return around;
  }

  test('a message that waits behind it is answered, no matter who ended it', async () => {
    const { model, channel } = await adasRun();
    await channel.say('from Eve', { in: group, by: 'eve' });
    await channel.ask(command, /^echo: .*\[Eve\] from Eve$/s, { in: group, by: 'bob' });
    await channel.whenIdle(group);
    expect(channel.textsIn('test:team').join()).not.toContain('too late');
    expect(wordsOf(await model.asked(2)).includes('one')).toBe(!forgets);
    expect(model.requests).toHaveLength(2);
  });

  test('what both have said before another one is dropped, and what stands behind them is answered', async () => {
    const { setting, model, channel } = await adasRun();
    await channel.say('more of Ada', { in: group });
    await channel.say('from Bob', { in: group, by: 'bob' });
    await channel.say('from Eve', { in: group, by: 'eve' });
    await channel.say('Bob again', { in: group, by: 'bob' });
    await channel.ask(command, /Bob again$/, { in: group, by: 'bob' });
    await channel.whenIdle(group);
    expect(setting.rows(`SELECT principal FROM turns WHERE kind = 'turn'`)).toEqual([
      { principal: 'test:eve' },
      { principal: 'test:bob' },
    ]);
    expect(wordsOf(await model.asked(2)).includes('from Bob')).toBe(!forgets);
  });

  test('a run that waits for a person is called off, and the message of another is answered', async () => {
    const { setting, model, channel, deploy } = await deploySetting({ allowFrom: ['bob', 'eve'] });
    const first = held([call('deploy', { what: 'site' })]);
    model.next(first.script);
    await channel.say('deploy', { in: group });
    await model.asked(1);
    first.release();
    await channel.card();
    const busy = held('to Eve');
    model.next(busy.script);
    await channel.say('from Eve', { in: group, by: 'eve' });
    await model.asked(2);
    await channel.say(command, { in: group, by: 'ada' });
    busy.release();
    await channel.whenIdle(group);
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }]);
    expect(deploy.executed).toEqual([]);
  });

  test('in a direct chat all of it is dropped', async () => {
    const { setting, model, channel } = await deploySetting();
    model.next(held('too late').script);
    await channel.say('one');
    await model.asked(1);
    await channel.say('two');
    await channel.sayAtRest(command);
    expect(model.requests).toHaveLength(1);
    expect(setting.rows('SELECT is_open FROM conversations')).toEqual([{ is_open: 0 }]);
    await channel.say('three');
    expect(wordsOf(await model.asked(2)).includes('two')).toBe(!forgets);
  });
});
