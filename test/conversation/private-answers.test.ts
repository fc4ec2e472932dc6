import { describe, expect, test } from 'vitest';
import { daemonSetting, group } from '../support/daemon-setting.ts';

const inPrivate = { in: group, privateTo: 'ada:1' } as const;

describe('a command that is given where nobody else reads it', () => {
  test('is answered to its giver alone, in all parts of the answer, and also by the next process', async () => {
    const setting = await daemonSetting({ channel: { capabilities: { maxLength: 130 } } });
    const { channel } = setting;
    channel.failNext({ type: 'transient' });
    await channel.say('/help', inPrivate);
    await setting.restart();
    await channel.whenIdle(group);
    expect(channel.screen.length).toBeGreaterThan(2);
    expect(new Set(channel.screen.map(({ privateTo }) => privateTo))).toEqual(new Set(['ada:1']));
  });

  test('is refused to its giver alone', async () => {
    const config = { channels: { test: { groups: { team: { allow_from: ['*'], commands_from: [] } } } } };
    const { channel } = await daemonSetting({ config });
    await channel.say('/stop', { ...inPrivate, by: 'eve' });
    expect(await channel.sees('not give me commands', 'test:team')).toMatchObject({ privateTo: 'ada:1' });
  });

  test('that somebody gives where all can read it is answered to all', async () => {
    const { channel } = await daemonSetting();
    expect((await channel.ask('/status', 'is up for', { in: group, at: 'test:team' })).privateTo).toBeUndefined();
  });
});
