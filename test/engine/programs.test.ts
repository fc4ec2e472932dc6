import { describe, expect, test } from 'vitest';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { type DaemonSettingOptions, daemonSetting, group } from '../support/daemon-setting.ts';
import { call } from '../support/scripted-model.ts';
import { approveButton, deploySetting } from './deploy-setting.ts';

const robot = { by: 'robot', isPerson: false, in: group };

describe('a program', () => {
  test('is not heard, though everybody may talk, nor is it answered', async () => {
    const { setting, channel } = await withPrograms({ allowFrom: ['*'] });
    await channel.say('hello', robot);
    await channel.say('hello', { by: 'robot', isPerson: false });
    expect(setting.rows('SELECT * FROM outbox')).toEqual([]);
    expect(setting.rows('SELECT * FROM inbox')).toEqual([]);
  });

  test('may talk where the config names its id', async () => {
    const { setting, channel } = await withPrograms();
    await channel.ask('hello', 'echo: [Robot] hello', { ...robot, at: 'test:team' });
    expect(setting.rows('SELECT principal, is_person FROM inbox')).toEqual([{ principal: 'test:robot', is_person: 0 }]);
  });

  test('gives no command and claims nothing', async () => {
    const { setting, channel } = await withPrograms({ config: { owners: [] } });
    for (const text of ['/claim k3f9abcd', '/stop', '/help', '/status', '/pair x', '/new'])
      await channel.say(text, robot);
    await channel.whenIdle(group);
    expect(setting.rows('SELECT * FROM inbox')).toEqual([]);
    expect(setting.rows('SELECT * FROM outbox')).toEqual([]);
    expect(setting.rows('SELECT * FROM owners')).toEqual([]);
  });

  test('decides nothing, though its id is that of an approver', async () => {
    const { setting, channel, model, deploy } = await deploySetting({
      allowFrom: ['robot'],
      config: { approval: { approvers: ['owner', 'test:robot'] } },
    });
    model.next([call('deploy', { what: 'site' })]);
    await channel.say('deploy', { in: group });
    const button = await approveButton(channel);
    const [approval] = setting.rows('SELECT id FROM approvals');
    expect(await channel.press(button, robot)).toEqual({ notice: 'Only a person can decide that.' });
    await channel.say(`/approve ${approval?.id}`, robot);
    await channel.whenIdle(group);
    expect(deploy.executed).toEqual([]);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  });
});

describe('programs that talk with each other', () => {
  test('are heard three times in a row, until a person speaks, and the log says it once', async () => {
    const lines: string[] = [];
    const { setting, channel, model } = await withPrograms({ log: logInto(lines) });
    const talk = async (from: number, to: number) => {
      for (let time = from; time <= to; time++)
        await channel.say(`${time}`, { ...robot, by: time % 2 ? 'robot' : 'droid' });
      await channel.whenIdle(group);
    };
    const heard = () => setting.rows('SELECT text FROM inbox').map(({ text }) => text);
    const said = () => lines.filter((line) => line.includes('programs are not heard'));
    await talk(1, 6);
    expect(heard()).toEqual(['1', '2', '3']);
    await setting.restart();
    await talk(7, 8);
    await channel.say('not for the bot', { in: group, addressed: false });
    await channel.say('/status', { in: group });
    await talk(9, 9);
    expect(heard().filter((text) => text !== 'status')).toEqual(['1', '2', '3']);
    expect(said()).toHaveLength(2);
    await channel.ask('go on', 'go on', { in: group, at: 'test:team' });
    await talk(10, 14);
    expect(heard().filter((text) => text !== 'status')).toEqual(['1', '2', '3', 'go on', '10', '11', '12']);
    expect(said()).toHaveLength(3);
    const requests = model.requests.length;
    await talk(15, 20);
    expect(model.requests).toHaveLength(requests);
  });

  test('do not keep those of another conversation from being heard', async () => {
    const { setting, channel } = await withPrograms();
    const thread = { ...group, threadId: '7' };
    for (let time = 1; time <= 5; time++) await channel.say(`${time}`, robot);
    for (let time = 1; time <= 5; time++) await channel.say(`${time}`, { ...robot, in: thread });
    const heard = 'SELECT conversation_id AS id, count(*) AS count FROM inbox GROUP BY conversation_id ORDER BY id';
    expect(setting.rows(heard)).toEqual([
      { id: 'test:team', count: 3 },
      { id: 'test:team:#7', count: 3 },
    ]);
  });

  test('are counted when they speak at once, too', async () => {
    const { setting, channel } = await withPrograms();
    await Promise.all(Array.from({ length: 20 }, (_, time) => channel.say(`${time}`, robot)));
    expect(setting.rows('SELECT text FROM inbox')).toHaveLength(3);
  });
});

async function withPrograms(options: DaemonSettingOptions = {}) {
  const setting = await daemonSetting({ allowFrom: ['robot', 'droid'], ...options });
  return { setting, channel: setting.channel, model: setting.model };
}

/** A log that keeps what is said at the level info. */
function logInto(lines: string[]): Log {
  const log: Log = { ...silentLog, info: (_fields, message) => lines.push(message), child: () => log };
  return log;
}
