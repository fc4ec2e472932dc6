import { describe, expect, test } from 'vitest';
import type { ChannelBlock } from '../../src/config/extension-settings.ts';
import type { Conversation, InboundEvent } from '../../src/contract.ts';
import { createAccess } from '../../src/conversation/access/access-rules.ts';

const direct: Conversation = { channel: 'test', chatId: '1', kind: 'direct' };
const team: Conversation = { channel: 'test', chatId: 'team', kind: 'group' };
const group = { require_mention: true, follow_threads: true, allow_from: [], commands_from: ['*'] };
const rules: ChannelBlock = {
  enabled: true,
  allow_from: ['bob', 'helper-bot'],
  groups: {
    team: group,
    open: { ...group, require_mention: false },
    club: { ...group, allow_from: ['carl', 'club-bot'] },
  },
};

/** Ada owns it, and Pia was let in with a code. */
function accessBy(changed: Partial<ChannelBlock> = {}, former: readonly string[] = [], accounts?: readonly string[]) {
  return createAccess({
    rules: () => new Map([['test', { ...rules, ...changed }]]),
    owners: { isOwner: (principal) => principal === 'test:ada' },
    paired: new Set(['test:pia']),
    accountsOf: (principal) => accounts ?? [principal],
    formerChats: () => former,
    groupChoice: () => undefined,
  });
}

interface Who {
  readonly id: string;
  readonly isPerson?: boolean;
  readonly addressed?: boolean;
  readonly roles?: readonly string[];
}

function message(conversation: Conversation, { id, isPerson = true, addressed = true, roles = [] }: Who): InboundEvent {
  const sender = { id, name: 'Ada', isPerson, roles };
  return { type: 'message', key: 'k', conversation, sender, text: 'hello', addressed, sentAt: 0 };
}

function access(conversation: Conversation, who: Who, changed: Partial<ChannelBlock> = {}): string {
  return accessBy(changed).accessOf(message(conversation, who)).type;
}

describe('in a direct chat', () => {
  test.each([
    ['the owner', 'ada', 'welcome'],
    ['who is on the list', 'bob', 'welcome'],
    ['whom an owner has let in', 'pia', 'welcome'],
    ['who is on the list of a group only', 'carl', 'refuse'],
    ['a stranger with the name of the owner', 'eve', 'refuse'],
    ['nobody', '', 'ignore'],
    ['a star', '*', 'ignore'],
  ])('%s (%s): %s', (_who, id, expected) => expect(access(direct, { id })).toBe(expected));

  test.each([
    ['the owner', 'ada', 'ignore'],
    ['somebody who was let in', 'pia', 'ignore'],
    ['no one', 'any-bot', 'ignore'],
    ['one on the list', 'helper-bot', 'welcome'],
  ])('a bot with the id of %s (%s): %s', (_who, id, expected) =>
    expect(access(direct, { id, isPerson: false })).toBe(expected),
  );

  test('a star lets everyone in, but bots', () => {
    expect(access(direct, { id: 'eve' }, { allow_from: ['*'] })).toBe('welcome');
    expect(access(direct, { id: 'bot', isPerson: false }, { allow_from: ['*'] })).toBe('ignore');
    expect(access(direct, { id: '*', isPerson: false }, { allow_from: ['*'] })).toBe('ignore');
  });

  test.each(['ada', 'pia'])('the id of another channel is another person: %s', (id) => {
    const elsewhere = { ...direct, channel: 'other' };
    expect(access(elsewhere, { id })).toBe('refuse');
  });
});

describe('in a group', () => {
  const unknown = { ...team, chatId: 'other' };

  test.each([
    ['the owner who is heard', team, { id: 'ada' }, 'welcome'],
    ['the owner who talks with others', team, { id: 'ada', addressed: false }, 'ignore'],
    ['who is on the list', team, { id: 'bob' }, 'welcome'],
    ['whom an owner has let in', team, { id: 'pia' }, 'welcome'],
    ['a stranger who calls', team, { id: 'eve' }, 'turn-away'],
    ['a stranger who talks with others', team, { id: 'eve', addressed: false }, 'ignore'],
    ['who is on the list of another group', team, { id: 'carl' }, 'turn-away'],
    ['who is on the list of this group', { ...team, chatId: 'club' }, { id: 'carl' }, 'welcome'],
    ['where no mention is needed', { ...team, chatId: 'open' }, { id: 'bob', addressed: false }, 'welcome'],
    ['that is not in the config, its owner', unknown, { id: 'ada' }, 'unknown-group'],
    ['that is not in the config, its owner who talks with others', unknown, { id: 'ada', addressed: false }, 'ignore'],
    ['that is not in the config, who is on the list', unknown, { id: 'bob' }, 'ignore'],
    ['that is not in the config, a bot like the owner', unknown, { id: 'ada', isPerson: false }, 'ignore'],
    ['whose id is a name of the language', { ...team, chatId: '__proto__' }, { id: 'bob' }, 'ignore'],
    ['whose id is another name of it', { ...team, chatId: 'constructor' }, { id: 'bob' }, 'ignore'],
    ['a bot on the list', team, { id: 'helper-bot', isPerson: false }, 'welcome'],
    [
      'a bot on the list that talks with others',
      team,
      { id: 'helper-bot', isPerson: false, addressed: false },
      'ignore',
    ],
    ['a bot on the list of another group', team, { id: 'club-bot', isPerson: false }, 'ignore'],
    ['a bot on the list of this group', { ...team, chatId: 'club' }, { id: 'club-bot', isPerson: false }, 'welcome'],
  ])('%s: %j %j: %s', (_who, conversation, who, expected) => expect(access(conversation, who)).toBe(expected));

  test('a star on its list lets in everyone there but bots, and nowhere else', () => {
    const groups = { team: { ...group, allow_from: ['*'] }, club: group };
    expect(access(team, { id: 'eve' }, { groups })).toBe('welcome');
    expect(access(team, { id: 'eve', isPerson: false }, { groups })).toBe('ignore');
    expect(access({ ...team, chatId: 'club' }, { id: 'eve' }, { groups })).toBe('turn-away');
    expect(access({ ...direct, chatId: 'team' }, { id: 'eve' }, { groups })).toBe('refuse');
  });

  test('that is not in the config is not explained to a bot, whatever its id', () => {
    const changed = { allow_from: ['ada'] };
    expect(access(unknown, { id: 'ada', isPerson: false }, changed)).toBe('ignore');
  });

  test('a press needs no mention', () => {
    const sender = { id: 'bob', name: 'Bob', isPerson: true };
    const press = { type: 'action', key: 'k', conversation: team, sender, actionId: 'x' } as const;
    expect(accessBy().accessOf(press).type).toBe('welcome');
  });

  test('lets in people by a role that they have there, and no program', () => {
    const groups = { team: { ...group, allow_from: ['role:7'] } };
    expect(access(team, { id: 'eve', roles: ['role:6', 'role:7'] }, { groups })).toBe('welcome');
    expect(access(team, { id: 'eve', roles: ['role:6'] }, { groups })).toBe('turn-away');
    expect(access(team, { id: 'eve', roles: ['role:7'], isPerson: false }, { groups })).toBe('ignore');
  });

  test('the rules of a group are those of its most exact name, and then those of all groups of its tenant', () => {
    const conversation = { ...team, tenant: 'T1', chatId: 'C1' };
    const named = (...names: readonly string[]) => {
      const groups = Object.fromEntries(names.map((name) => [name, { ...group, allow_from: [name] }]));
      return names.filter((id) => access(conversation, { id }, { groups }) === 'welcome');
    };
    expect(named('T1', 'C1', 'T1/C1')).toEqual(['T1/C1']);
    expect(named('T1', 'C1')).toEqual(['C1']);
    expect(named('T1', 'T2/C1')).toEqual(['T1']);
    expect(named('T2', 'T2/C1', 'C2')).toEqual([]);
  });

  test('the rules are found under an id that the group had before, and its own id goes first', () => {
    const carls = (chatId: string, former: readonly string[]) =>
      accessBy({}, former).accessOf(message({ ...team, chatId }, { id: 'carl' })).type;
    expect(carls('new', ['older', 'club', 'team'])).toBe('welcome');
    expect(carls('team', ['club'])).toBe('turn-away');
    expect(carls('new', ['constructor'])).toBe('ignore');
  });
});

describe('commands', () => {
  function may(
    name: string,
    who: Who,
    { commands_from, accounts, at = team }: { commands_from: string[]; accounts?: string[]; at?: Conversation },
  ): boolean {
    const policy = accessBy({ allow_from: ['*'], groups: { team: { ...group, commands_from } } }, [], accounts);
    return policy.mayCommand({ name, argument: '' }, message(at, who));
  }

  test.each([
    ['stop', 'bob', ['*'], true],
    ['stop', 'bob', [], false],
    ['stop', 'bob', ['carl'], false],
    ['stop', 'carl', ['carl'], true],
    ['stop', 'ada', ['carl'], true],
    ['unknown', 'bob', [], false],
    ['help', 'bob', [], true],
    ['status', 'bob', [], true],
    ['approve', 'bob', [], true],
  ])('/%s of %s, where %j may: %s', (name, id, commands_from, expected) =>
    expect(may(name, { id }, { commands_from })).toBe(expected),
  );

  test.each([
    ['role:7', true],
    ['role:8', false],
  ])('may be for a role: of those with %s: %s', (role, expected) =>
    expect(may('stop', { id: 'eve', roles: [role] }, { commands_from: ['role:7'] })).toBe(expected),
  );

  test.each([
    ['bob', true],
    ['carl', false],
  ])('may be for another account of the same person on the same platform, and on no other: %s', (id, expected) => {
    const accounts = ['other:carl', 'test:bob', 'test:eve'];
    expect(may('stop', { id: 'eve' }, { commands_from: [id], accounts })).toBe(expected);
  });

  test('a program gives none, whatever its id, and everybody may in a chat of their own', () => {
    for (const name of ['stop', 'help', 'approve'])
      expect(may(name, { id: 'carl', isPerson: false }, { commands_from: ['*', 'carl'] })).toBe(false);
    expect(may('stop', { id: 'bob' }, { commands_from: [], at: direct })).toBe(true);
  });
});
