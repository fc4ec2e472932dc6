import { describe, expect, test } from 'vitest';
import { strangerWords } from '../../../src/conversation/access/words.ts';
import { peopleWords } from '../../../src/conversation/commands/people/words.ts';
import { planningWords } from '../../../src/features/planning/words.ts';
import { group } from '../../support/daemon-setting.ts';
import type { Deed } from '../../support/deed.ts';
import { wordsOf } from '../../support/scripted-model.ts';
import { day, hour, minute, planningSetting, untilNine } from './planning-setting.ts';

const daily = { action: 'create', task: 'tell me a secret', cron: '0 9 * * *' };
const configWith = (changed: Readonly<Record<string, unknown>>) => ({ channels: { test: changed } });

const bobsTask = {
  type: 'task',
  person: '`test:bob` (`Bob`)',
  name: '`Bob`',
  channel: 'test',
  chat: { kind: 'direct', title: undefined },
  when: 'every day at 09:00, UTC',
} as const;

/** Somebody plans a task where they may. */
async function planned(deed: Deed, channels: Readonly<Record<string, unknown>>) {
  const parts = await planningSetting({ config: configWith(channels) });
  // So that the owner has a chat of their own.
  await parts.channel.ask('hello', 'echo: hello');
  await parts.channel.ask('and here', 'echo: and here', {
    in: { channel: 'test', chatId: 'ada', threadId: '7', kind: 'direct' },
  });
  await parts.plan('schedule', daily, deed);
  const asked = parts.model.requests.length;
  return { ...parts, asked };
}

describe('what somebody has planned who may not talk any more', () => {
  test('is not done but ended, and the owner is told, though not what it says', async () => {
    const { setting, channel, clock, model, asked } = await planned({ by: 'bob' }, { allow_from: ['bob'] });
    await setting.restart(configWith({ allow_from: [] }));
    clock.advance(untilNine);
    const told = await channel.sees('has ended', 'test:ada');
    expect(told.text).toBe(planningWords.en.revoked(bobsTask));
    clock.advance(day);
    await channel.whenIdle();
    expect(model.requests).toHaveLength(asked);
    expect(channel.textsIn('test:bob').join()).not.toContain('secret');
    expect(channel.screen.filter(({ text }) => text.includes('has ended'))).toHaveLength(1);
    expect(setting.rows('SELECT * FROM schedules')).toEqual([]);
    expect(
      setting.rows(`SELECT json_extract(detail, '$.result') AS result FROM audit WHERE kind = 'schedule-due'`),
    ).toEqual([{ result: 'revoked' }]);
  });

  test('is told to an owner in their language', async () => {
    const { setting, channel, clock } = await planned({ by: 'bob' }, { allow_from: ['bob'] });
    await channel.ask('/language zh', /\p{Script=Han}/u);
    await setting.restart(configWith({ allow_from: [] }));
    clock.advance(untilNine);
    const told = await channel.sees('Bob', 'test:ada');
    expect(told.text).toBe(planningWords.zh.revoked({ ...bobsTask, when: '每天 09:00，UTC' }));
  });

  test('ends in a group that is no longer in the config', async () => {
    const { setting, channel, clock, model, asked } = await planned(
      { by: 'bob', in: group },
      { groups: { team: { allow_from: ['bob'] } } },
    );
    await setting.restart(configWith({ groups: {} }));
    clock.advance(untilNine);
    await channel.sees(
      planningWords.en.revoked({ ...bobsTask, chat: { kind: 'group', title: undefined } }),
      'test:ada',
    );
    expect(model.requests).toHaveLength(asked);
  });

  test('because their code was taken from them has ended, too', async () => {
    const { channel, clock, model, plan } = await planningSetting();
    const { text } = await channel.ask('hello', /\/pair [a-z0-9]+/, { by: 'pia', at: 'test:pia' });
    await channel.ask(text.match(/\/pair [a-z0-9]+/)?.[0] ?? '', strangerWords.en.welcome);
    await plan('remind', { text: 'tea', in_minutes: 5 }, { by: 'pia' });
    await channel.ask(
      '/unpair pia',
      peopleWords.en.unpaired({ person: '`test:pia` (`Pia`)', isNamed: false, isLinkedIn: false }),
    );
    const asked = model.requests.length;
    clock.advance(5 * minute);
    await channel.sees('A reminder that `test:pia` (`Pia`) had planned', 'test:ada');
    expect(model.requests).toHaveLength(asked);
    expect(channel.textsIn('test:pia').join()).not.toContain('tea');
  });
});

test('what somebody has planned whom a role lets in is done while the config names that role', async () => {
  const friend: Deed = { by: 'dan', in: group, roles: ['role:friends'] };
  const { setting, channel, clock, model, asked } = await planned(friend, {
    groups: { team: { allow_from: ['role:friends'] } },
  });
  clock.advance(untilNine);
  expect(wordsOf(await model.asked(asked + 1))).toContain('that Dan has planned here');
  await channel.whenIdle(group);
  await setting.restart(configWith({ groups: { team: { allow_from: ['role:staff'] } } }));
  clock.advance(day);
  await channel.sees('`test:dan` (`Dan`) had planned', 'test:ada');
});

test.each([[{ schedule: { enabled: false } }], [{ disabled: ['sched*'] }]])(
  'what is planned waits while its tool is switched off by %j, and is made up for afterwards',
  async (tools) => {
    const { setting, clock, model, channel, plan } = await planningSetting();
    await plan('schedule', daily);
    await plan('remind', { text: 'tea', at: '2023-11-15T09:30' });
    await setting.restart({ tools });
    clock.advance(untilNine + hour);
    await channel.sees('⏰ tea');
    expect(model.requests).toHaveLength(4);
    await setting.restart();
    expect(wordsOf(await model.asked(5))).toContain('It is 1 h late');
  },
);
