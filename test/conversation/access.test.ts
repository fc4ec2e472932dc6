import { describe, expect, test } from 'vitest';
import type { Conversation, InboundEvent } from '../../src/contract.ts';
import { type AccessRules, accessOf } from '../../src/conversation/access.ts';

const direct: Conversation = { channel: 'test', chatId: '1', kind: 'direct' };
const team: Conversation = { channel: 'test', chatId: 'team', kind: 'group' };
const rules: AccessRules = {
  allowFrom: ['bob'],
  groups: { team: { requireMention: true }, open: { requireMention: false } },
};

interface Who {
  readonly id: string;
  readonly isPerson?: boolean;
  readonly addressed?: boolean;
}

function message(conversation: Conversation, { id, isPerson = true, addressed = true }: Who): InboundEvent {
  const sender = { id, name: 'Ada', isPerson };
  return { type: 'message', key: 'k', conversation, sender, text: 'hello', addressed, sentAt: 0 };
}

function access(conversation: Conversation, who: Who, changed: Partial<AccessRules> = {}): string {
  return accessOf(message(conversation, who), { ...rules, ...changed }, (principal) => principal === 'test:ada').type;
}

describe('in a direct chat', () => {
  test.each([
    ['the owner', 'ada', 'welcome'],
    ['who is on the list', 'bob', 'welcome'],
    ['a stranger who calls himself like the owner', 'eve', 'refuse'],
    ['nobody', '', 'ignore'],
  ])('%s (%s): %s', (_who, id, expected) => expect(access(direct, { id })).toBe(expected));

  test('bots are ignored, whatever their id', () =>
    expect(access(direct, { id: 'ada', isPerson: false })).toBe('ignore'));

  test('a star lets everyone in', () => expect(access(direct, { id: 'eve' }, { allowFrom: ['*'] })).toBe('welcome'));

  test('the id of another channel is another person', () => {
    const elsewhere = { ...direct, channel: 'other' };
    expect(access(elsewhere, { id: 'ada' })).toBe('refuse');
  });
});

describe('in a group', () => {
  test.each([
    ['the owner who is heard', team, { id: 'ada' }, 'welcome'],
    ['the owner who talks with others', team, { id: 'ada', addressed: false }, 'ignore'],
    ['who is on the list', team, { id: 'bob' }, 'welcome'],
    ['a stranger', team, { id: 'eve' }, 'ignore'],
    ['where no mention is needed', { ...team, chatId: 'open' }, { id: 'bob', addressed: false }, 'welcome'],
    ['that is not in the config', { ...team, chatId: 'other' }, { id: 'ada' }, 'ignore'],
    ['whose id is a name of the language', { ...team, chatId: '__proto__' }, { id: 'ada' }, 'ignore'],
    ['whose id is another name of it', { ...team, chatId: 'constructor' }, { id: 'ada' }, 'ignore'],
  ])('%s: %j %j: %s', (_who, place, who, expected) => expect(access(place, who)).toBe(expected));

  test('a press needs no mention', () => {
    const sender = { id: 'bob', name: 'Bob', isPerson: true };
    const press = { type: 'action', key: 'k', conversation: team, sender, actionId: 'x' } as const;
    expect(accessOf(press, rules, () => false).type).toBe('welcome');
  });
});
