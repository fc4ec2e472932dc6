import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/contract.ts';
import { strangerWords } from '../../src/conversation/access/words.ts';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { type DaemonSettingOptions, daemonSetting, group } from '../support/daemon-setting.ts';
import { anything, saidLike } from '../support/said.ts';
import { call } from '../support/scripted-model.ts';
import { deploySetting } from './deploy-setting.ts';

const thread: Conversation = { ...group, threadId: 'root' };

async function threadSetting(rules: Readonly<Record<string, unknown>> = {}) {
  const config = { channels: { test: { allow_from: ['bob', 'helper-bot'], groups: { team: rules } } } };
  return daemonSetting({ config });
}

describe('in a thread', () => {
  const reply = { in: thread, addressed: false, isThreadReply: true } as const;

  test('that it has taken part in, no further mention is needed, by anybody who may talk there', async () => {
    const { channel, model } = await threadSetting();
    await channel.say('before', reply);
    await channel.ask('hello', 'echo: [Ada] hello', { in: thread, isThreadReply: true, at: 'test:team:#root' });
    await channel.ask('and then?', '[Bob] and then?', { ...reply, by: 'bob', at: 'test:team:#root' });
    // She has not called it: nobody need tell her that she may not.
    expect(await channel.say('who is that?', { ...reply, by: 'eve' })).toEqual({});
    await channel.whenIdle(thread);
    expect(model.requests).toHaveLength(2);
    const { notice } = await channel.say('and I?', { in: thread, isThreadReply: true, by: 'eve' });
    expect(notice).toMatch(saidLike(strangerWords.en.turnedAway({ id: anything })));
  });

  test('what is changed or taken back, and told of together with the message, is what counts', async () => {
    const { channel, model } = await threadSetting();
    await channel.ask('hello', 'hello', { in: thread, at: 'test:team:#root' });
    await Promise.all([
      channel.say('tell me of Barlin', { ...reply, key: 'm1' }),
      channel.change('m1', 'tell me of Berlin', { in: thread }),
      channel.say('and of the zoo', { ...reply, key: 'm2' }),
      channel.takeBack('m2', { in: thread }),
      channel.say('and of the lake', { ...reply, key: 'm3' }),
      channel.lose('m3'),
    ]);
    await channel.sees('tell me of Berlin');
    await channel.whenIdle(thread);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toMatch(/Barlin|zoo|lake/);
  });

  test('that it has not taken part in, a mention is needed, as it is beside a thread', async () => {
    const { channel, model } = await threadSetting();
    await channel.ask('hello', 'hello', { in: thread, at: 'test:team:#root' });
    await channel.say('elsewhere', { ...reply, in: { ...group, threadId: 'other' } });
    await channel.say('beside', { in: group, addressed: false });
    await channel.say('not a reply', { in: thread, addressed: false });
    await channel.whenIdle(thread);
    expect(model.requests).toHaveLength(1);
  });

  test.each([
    ['a program', {}, { by: 'helper-bot', isPerson: false }],
    ['anybody where the config says so', { follow_threads: false }, {}],
  ])('%s has to call it each time', async (_who, rules, deed) => {
    const { channel, model } = await threadSetting(rules);
    await channel.ask('hello', 'hello', { in: thread, at: 'test:team:#root' });
    await channel.say('beep', { ...reply, ...deed });
    await channel.whenIdle(thread);
    expect(model.requests).toHaveLength(1);
  });

  test('it still takes part after a restart, and a command needs no mention either', async () => {
    const setting = await threadSetting();
    await setting.channel.ask('hello', 'hello', { in: thread, at: 'test:team:#root' });
    await setting.restart();
    await setting.channel.ask('/stop', 'nothing to stop', { ...reply, at: 'test:team:#root' });
    await setting.channel.ask('and then?', /and then\?$/, { ...reply, at: 'test:team:#root' });
  });
});

describe('a channel that has connected', () => {
  test('is told where people have talked, the latest first, and when a process was last there', async () => {
    const setting = await threadSetting();
    const { channel, clock } = setting;
    expect(channel.leftAt).toBeUndefined();
    for (const conversation of [group, thread]) {
      await channel.say('hello', { in: conversation });
      await channel.whenIdle(conversation);
      clock.advance(1000);
    }
    await channel.ask('let me in', 'people I know', { by: 'eve', at: 'test:eve' });
    expect(await channel.conversations(1)).toEqual([thread]);
    const leftAt = clock.now();
    await setting.stop();
    clock.advance(60_000);
    await setting.start();
    expect(channel.leftAt).toBe(leftAt);
    expect(await channel.conversations(9)).toEqual([thread, group]);
  });

  test('is told of other chats, however many threads a chat has', async () => {
    const { channel, clock } = await threadSetting();
    await channel.say('hello');
    for (let index = 0; index < 30; index += 1) {
      clock.advance(1000);
      await channel.say('hello', { in: { ...group, threadId: `thread${index}` } });
    }
    const conversations = await channel.conversations(20);
    expect(conversations.map(({ threadId = 'none' }) => threadId)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => `thread${29 - index}`),
      'none',
    ]);
  });
});

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
    const card = await channel.card();
    const [approval] = setting.rows('SELECT id FROM approvals');
    expect(await channel.press(card, robot)).toEqual({ notice: engineWords.en.toastOnlyPeople });
    await channel.say(`/approve ${approval?.id}`, robot);
    await channel.whenIdle(group);
    expect(deploy.executed).toEqual([]);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  });
});

describe('programs that talk with each other', () => {
  test('are heard three times in a row, until a person speaks, and the log says it once', async () => {
    const lines: string[] = [];
    const { setting, channel, clock, model } = await withPrograms({ log: logInto(lines) });
    const talk = async (from: number, to: number) => {
      for (let time = from; time <= to; time++)
        await channel.say(`${time}`, { ...robot, by: time % 2 ? 'robot' : 'droid' });
      await channel.whenIdle(group);
    };
    const heard = () => setting.rows('SELECT text FROM inbox').map(({ text }) => text);
    const said = () => lines.filter((line) => line.includes('programs are not heard'));
    const told = () => channel.textsIn('test:team').filter((text) => text.startsWith('🔇'));
    await talk(1, 3);
    expect(told()).toEqual([]);
    await talk(4, 6);
    expect(told()).toEqual([strangerWords.en.programsUnheard]);
    expect(heard()).toEqual(['1', '2', '3']);
    const where = statusWords.en.programsUnheard({ places: ['`test:team` (test)'] });
    await channel.ask('/status', where, { at: 'test:ada' });
    await setting.restart();
    await talk(7, 8);
    await channel.say('not for the bot', { in: group, addressed: false });
    await channel.say('/status', { in: group });
    await talk(9, 9);
    expect(heard().filter((text) => text !== 'status')).toEqual(['1', '2', '3']);
    expect(said()).toHaveLength(2);
    expect(told()).toHaveLength(1);
    await channel.ask('go on', 'go on', { in: group, at: 'test:team' });
    await talk(10, 14);
    expect(heard().filter((text) => text !== 'status')).toEqual(['1', '2', '3', 'go on', '10', '11', '12']);
    expect(said()).toHaveLength(3);
    expect(told()).toHaveLength(1);
    clock.advance(3_600_000);
    await channel.ask('and again', 'and again', { in: group, at: 'test:team' });
    await talk(10, 14);
    expect(told()).toHaveLength(2);
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

function withPrograms(options: DaemonSettingOptions = {}) {
  return daemonSetting({ allowFrom: ['robot', 'droid'], ...options });
}

/** A log that keeps what is said at the level info. */
function logInto(lines: string[]): Log {
  const log: Log = { ...silentLog, info: (_fields, message) => lines.push(message), child: () => log };
  return log;
}
