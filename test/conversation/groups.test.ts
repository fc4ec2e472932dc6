import { describe, expect, test } from 'vitest';
import { chatMoveWords, strangerWords } from '../../src/conversation/access/words.ts';
import { peopleWords } from '../../src/conversation/commands/people/words.ts';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { stubWords } from '../../src/words/words.ts';
import { deploySetting } from '../engine/deploy-setting.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { deliverySetting } from '../support/delivery-setting.ts';
import { anything, saying } from '../support/saying.ts';
import { call } from '../support/scripted-model.ts';

const hour = 3_600_000;

describe('who may talk in a group', () => {
  test('are those whom its own list names, there and nowhere else', async () => {
    const { setting, channel, model } = await inGroups({ team: { allow_from: ['carl'] }, club: {} });
    await channel.ask('to the team', 'echo: [Carl] to the team', { by: 'carl', in: group, at: 'test:team' });
    await channel.say('to the club', { by: 'carl', in: club });
    await channel.ask('to you', 'people I know', { by: 'carl', at: 'test:carl' });
    expect(channel.textsIn('test:club')).toEqual([]);
    expect(model.requests).toHaveLength(1);
    expect(setting.rows('SELECT text FROM inbox')).toEqual([{ text: 'to the team' }]);
  });

  test('is everybody in it where its list is open, and only there', async () => {
    const { channel, model } = await inGroups({ team: { allow_from: ['*'] }, club: {} });
    await channel.ask('anyone', 'echo: [Eve] anyone', { by: 'eve', in: group, at: 'test:team' });
    await channel.say('not addressed', { by: 'eve', in: group, addressed: false });
    await channel.say('elsewhere', { by: 'eve', in: club });
    await channel.ask('to you', 'people I know', { by: 'eve', at: 'test:eve' });
    expect(model.requests).toHaveLength(1);
  });

  test('a person who was let in with a code may talk in it, and no longer when that has ended', async () => {
    const { channel, model } = await inGroups({ team: {} });
    const { text } = await channel.ask('hello', /\/pair [a-z0-9]+/, { by: 'pia', at: 'test:pia' });
    await channel.ask(text.match(/\/pair [a-z0-9]+/)?.[0] ?? '', strangerWords.en.welcome);
    await channel.ask('in the group', '[Pia] in the group', { by: 'pia', in: group, at: 'test:team' });
    const unpaired = { person: '`test:pia` (`Pia`)', isNamed: false, isLinkedIn: false };
    await channel.ask('/unpair pia', peopleWords.en.unpaired(unpaired), { in: group, at: 'test:team' });
    await channel.say('once more', { by: 'pia', in: group });
    await channel.whenIdle(group);
    expect(model.requests).toHaveLength(1);
  });
});

describe('a stranger who calls in a group', () => {
  test('is told so in private, once an hour, with the id by which they can be let in', async () => {
    const { setting, channel, clock, model } = await inGroups({ team: {} });
    const told = await channel.say('hello', { by: 'eve', in: group });
    expect(told.notice).toContain('`test:eve`');
    expect(await channel.say('hello?', { by: 'eve', in: group })).toEqual({});
    expect((await channel.say('hello', { by: 'mallory', in: group })).notice).toContain('`test:mallory`');
    clock.advance(hour);
    expect((await channel.say('hello', { by: 'eve', in: group })).notice).toBeDefined();
    expect(model.requests).toEqual([]);
    expect(setting.rows('SELECT * FROM outbox')).toEqual([]);
  });

  test('is told nothing where they call nobody, where the group is not ours, or where they are a program', async () => {
    const { channel } = await inGroups({ team: {} });
    expect(await channel.say('hello', { by: 'eve', in: group, addressed: false })).toEqual({});
    expect(await channel.say('hello', { by: 'eve', in: { ...group, chatId: 'other' } })).toEqual({});
    expect(await channel.say('hello', { by: 'bot', in: group, isPerson: false })).toEqual({});
  });
});

describe('who may command in a group', () => {
  test('is whom the config names, and the owner; the others are told once an hour', async () => {
    const { setting, channel, clock } = await inGroups({ team: { allow_from: ['*'], commands_from: ['carl'] } });
    for (const text of ['/stop', '/new', '/grants', '/unknown', '/pair x'])
      await channel.say(text, { by: 'eve', in: group });
    await channel.sees(strangerWords.en.noCommand, 'test:team');
    expect(channel.textsIn('test:team')).toHaveLength(1);
    await setting.restart({
      channels: { test: { groups: { team: { allow_from: ['*'], commands_from: ['owner'] } } } },
    });
    await channel.say('/stop', { by: 'eve', in: group });
    expect(channel.textsIn('test:team')).toHaveLength(1);
    await channel.say('/new', { by: 'carl', in: group });
    await channel.changes.waitFor(() => channel.textsIn('test:team').length === 2);
    clock.advance(hour);
    await channel.say('/stop', { by: 'eve', in: group });
    await channel.changes.waitFor(() => channel.textsIn('test:team').length === 3);
    await channel.say('/stop', { by: 'owner', in: group });
    await channel.changes.waitFor(() => channel.textsIn('test:team').length === 4);
    expect(new Set(channel.textsIn('test:team')).size).toBe(1);
    await channel.ask('/stop', 'nothing to stop', { in: group, at: 'test:team' });
    expect(setting.rows(`SELECT principal, text FROM inbox WHERE kind = 'command'`)).toEqual([
      { principal: 'test:ada', text: 'stop' },
    ]);
  });

  test('everybody who may talk there can ask for help and for what runs, and nobody else', async () => {
    const { channel } = await inGroups({ team: { allow_from: ['carl'], commands_from: [] } });
    await channel.ask('/help', commandWords.en.about, { by: 'carl', in: group, at: 'test:team' });
    await channel.ask('/status', 'is up for', { by: 'carl', in: group, at: 'test:team' });
    for (const text of ['/help', '/status', '/stop']) await channel.say(text, { by: 'eve', in: group });
    expect(channel.textsIn('test:team')).toHaveLength(2);
  });

  test('decisions stay with the approvers, no matter who may command', async () => {
    const groups = { team: { allow_from: ['*'], commands_from: ['eve'] } };
    const { setting, channel, model, deploy } = await deploySetting({
      config: { approval: { approvers: ['test:bob'] }, channels: { test: { groups } } },
    });
    await channel.ask('hello', '[Bob] hello', { by: 'bob', in: group, at: 'test:team' });
    model.next([call('deploy', { what: 'site' })], 'deployed');
    await channel.say('deploy', { by: 'eve', in: group });
    await channel.card();
    const [approval] = setting.rows('SELECT id FROM approvals');
    for (const by of ['eve', 'ada']) await channel.say(`/approve ${approval?.id}`, { by, in: group });
    await channel.changes.waitFor(
      () => channel.textsIn('test:team').filter((text) => text === engineWords.en.toastNotYours).length === 2,
    );
    expect(deploy.executed).toEqual([]);
    await channel.ask(`/approve ${approval?.id}`, 'deployed', { by: 'bob', in: group, at: 'test:team' });
  });
});

describe('a group that is not in the config', () => {
  test('is explained to an owner who calls the bot, once an hour, and to nobody else', async () => {
    const { setting, channel, clock, model } = await inGroups({ team: {} }, ['bob']);
    for (const deed of [{ by: 'bob' }, { by: 'eve' }, { addressed: false }, { isPerson: false }])
      await channel.say('anybody?', { in: club, ...deed });
    expect(setting.rows('SELECT * FROM outbox')).toEqual([]);
    for (const text of ['hello', '/status', '/new']) await channel.say(text, { in: club });
    await channel.say('in a thread', { in: { ...club, threadId: '7' } });
    const entry = '`"club": { "require_mention": true }`';
    await channel.sees(strangerWords.en.unknownGroup({ entry, key: '`channels.test.groups`' }), 'test:club');
    clock.advance(hour);
    await channel.say('hello', { in: club });
    await channel.changes.waitFor(() => channel.textsIn('test:club').length === 2);
    expect(channel.screen).toHaveLength(2);
    expect(model.requests).toEqual([]);
    expect(setting.rows('SELECT * FROM inbox')).toEqual([]);
  });

  test('is silent for everybody an owner could be mistaken for', async () => {
    const { setting, channel } = await inGroups({ team: {} });
    await channel.say('hello', { in: club, by: 'eve', name: 'Ada' });
    await channel.say('/claim k3f9abcd', { in: club, by: 'eve' });
    expect(setting.rows('SELECT * FROM outbox')).toEqual([]);
  });
});

describe('a group that was given another id', () => {
  const named = { ...group, title: 'The *Team*' };
  const moved = { ...group, chatId: 'super' };
  const again = { ...group, chatId: 'hyper' };

  test('goes on under the rules of its old one, and the owner is told once, in their own chat', async () => {
    const { setting, channel, model } = await inGroups({ team: { allow_from: ['carl'], commands_from: [] } });
    await channel.sayAtRest('hi');
    await channel.say('hi', { in: { channel: 'test', chatId: 'ada', kind: 'direct', threadId: '5' } });
    await channel.say('hi', { by: 'carl', in: { ...named, threadId: '7' } });
    await channel.ask('before', 'before', { by: 'carl', in: named, at: 'test:team' });
    await Promise.all([1, 2].map(() => channel.move(named, 'super')));
    const { text } = await channel.sees('another id', 'test:ada');
    const facts = { title: 'The \\*Team\\*', id: '`super`', outdated: '`team`', key: '`channels.test.groups`' };
    expect(text).toBe(chatMoveWords.en.moved(facts));
    await channel.ask('behind', 'behind', { by: 'carl', in: moved, at: 'test:super' });
    await channel.ask('/stop', strangerWords.en.noCommand, { by: 'carl', in: moved, at: 'test:super' });
    await channel.say('a stranger', { by: 'eve', in: moved });
    await setting.restart();
    await channel.move(named, 'super');
    await channel.move({ ...named, threadId: '7' }, 'super');
    await channel.ask('later', 'later', { by: 'carl', in: { ...moved, threadId: '7' }, at: 'test:super:#7' });
    expect(model.requests).toHaveLength(6);
    expect(channel.screen.filter(({ text: words }) => words.includes('another id'))).toHaveLength(1);
  });

  test('does so twice in a row, and where nobody had spoken in it', async () => {
    const { setting, channel } = await inGroups({ team: {} });
    await channel.move(group, 'super');
    await channel.move(moved, 'hyper');
    await channel.ask('hello', 'hello', { in: again, at: 'test:hyper' });
    await setting.restart({ channels: { test: { groups: { super: {} } } } });
    await channel.ask('still', 'still', { in: again, at: 'test:hyper' });
    await setting.restart({ channels: { test: { groups: { other: {} } } } });
    const unknown = strangerWords.en.unknownGroup({ entry: anything, key: '`channels.test.groups`' });
    await channel.ask('and now?', saying(unknown), { in: again, at: 'test:hyper' });
  });

  test('is not spoken of where the config knows the new id, or never knew the old one', async () => {
    const { setting, channel } = await inGroups({ team: {}, super: {} });
    await channel.sayAtRest('hi');
    await channel.move(group, 'super');
    await channel.move(club, 'other');
    await channel.ask('hello', 'hello', { in: moved, at: 'test:super' });
    expect(setting.rows(`SELECT id FROM outbox WHERE markdown LIKE '%another id%'`)).toEqual([]);
  });
});

const club = { ...group, chatId: 'club' };

function inGroups(groups: object, allowFrom: readonly string[] = []) {
  return daemonSetting({ config: { channels: { test: { groups } } }, allowFrom });
}

function to(chatId: string) {
  return { type: 'moved', chatId } as const;
}

test('a message for a chat that has moved goes to where it is now, at once, and so do all later ones', async () => {
  const { channel, clock } = await daemonSetting();
  channel.failNext(to('team2'));
  await channel.ask('one', /^echo: .*one$/, { in: group, at: 'test:team2' });
  expect(clock.waits).not.toContain(0);
  await channel.ask('two', /^echo: .*two$/, { in: group, at: 'test:team2' });
  await channel.ask('three', /^echo: .*three$/, { in: { ...group, chatId: 'team2' }, at: 'test:team2' });
  expect(channel.textsIn('test:team')).toEqual([]);
});

test('a reply that was shown while it was written is shown where the chat is now', async () => {
  const { channel } = await daemonSetting({ channel: { streams: true } });
  channel.failNext(to('team2'), { of: 'finish' });
  await channel.ask('one', /^echo: .*one$/, { in: group, at: 'test:team2' });
});

test('a chat that moves to where it is already can not be reached: what is said there waits with a stub', async () => {
  const { channel, say, whenIdle, moves, rows } = await deliverySetting();
  channel.failNext(to('ada'), { says: 'hello', lasts: true });
  await say('hello');
  await say('still there?');
  await whenIdle();
  const stub = expect.stringMatching(saying(stubWords.en.unshown({ what: anything, why: anything, id: anything })));
  expect(moves).toEqual([]);
  expect(rows('SELECT state, parked_at IS NOT NULL AS parked FROM outbox WHERE stub_of IS NULL ORDER BY seq')).toEqual([
    { state: 'failed', parked: 1 },
    { state: 'delivered', parked: 0 },
  ]);
  expect(channel.textsIn('test:ada')).toEqual([stub, 'still there?']);
});

test('a chat that moves on and on can not be reached: after three moves what is said there waits', async () => {
  const { channel, say, whenIdle, moves, rows } = await deliverySetting();
  for (const id of ['a', 'b', 'c', 'd', 'e']) channel.failNext(to(id));
  await say('hello');
  await whenIdle();
  expect(moves).toEqual(['ada → a', 'ada → b', 'ada → c']);
  expect(rows('SELECT DISTINCT state FROM outbox')).toEqual([{ state: 'failed' }]);
});

test('moves count again once something was sent', async () => {
  const { channel, say, whenIdle, rows } = await deliverySetting();
  for (const _ of ['first', 'second']) {
    for (const id of ['a', 'b', 'c']) channel.failNext(to(id));
    await say('hello');
    await whenIdle();
  }
  expect(rows('SELECT DISTINCT state FROM outbox')).toEqual([{ state: 'delivered' }]);
});
