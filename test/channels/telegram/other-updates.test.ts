import { describe, expect, test } from 'vitest';
import { ada, direct, eventOf, group, message, now, parse, wire } from './parsed.ts';

describe('a change of the bot’s membership', () => {
  const member = (chat: object, was: object, is: object) => ({
    update_id: 3,
    my_chat_member: { chat, from: ada, date: 1, old_chat_member: was, new_chat_member: is },
  });
  const [inside, outside] = [{ status: 'member' }, { status: 'left' }];

  test('says who has added the bot to a group, and who has taken it out', () => {
    expect(eventOf(member(group, outside, inside))).toEqual({
      type: 'membership',
      key: 'telegram:7:cm:3',
      conversation: { channel: 'telegram', chatId: '-1001', kind: 'group', title: 'Family' },
      sender: { id: '42', name: 'Ada L', isPerson: true },
      change: 'added',
    });
    const ends = [{ status: 'kicked' }, outside, { status: 'restricted', is_member: false }];
    for (const end of ends) expect(eventOf(member(group, inside, end))).toMatchObject({ change: 'removed' });
  });

  test('says that a person has blocked it, or talks to it', () => {
    expect(eventOf(member(direct, inside, { status: 'kicked' }))).toMatchObject({
      conversation: { chatId: '42', kind: 'direct' },
      change: 'removed',
    });
    expect(eventOf(member(direct, { status: 'kicked' }, inside))).toMatchObject({ change: 'added' });
  });

  test.each([
    ['of rights alone', member(group, inside, { status: 'administrator' })],
    ['in a channel', member({ id: -1, type: 'channel' }, outside, inside)],
    ['of one restricted, who stays', member(group, inside, { status: 'restricted', is_member: true })],
  ])('is none: %s', (_, update) => {
    expect(parse(update)).toMatchObject({ type: 'ignored' });
  });
});

describe('an edit', () => {
  const edit = (fields: object, updateId = 1) =>
    eventOf({ update_id: updateId, edited_message: wire({ edit_date: 1_700_000_060, ...fields }) });

  test('names the message that it changes, and says what that says now', () => {
    expect(edit({ text: 'hello you' })).toEqual({
      type: 'edit',
      key: 'telegram:7:m:42:5:e:1700000060:1',
      messageKey: message({ text: 'hello' }).key,
      conversation: { channel: 'telegram', chatId: '42', kind: 'direct', title: 'Ada L' },
      sender: { id: '42', name: 'Ada L', isPerson: true },
      text: 'hello you',
    });
  });

  test('has a key of its own, within the same second too', () => {
    expect(edit({ text: 'a' }, 1).key).not.toBe(edit({ text: 'b' }, 2).key);
    expect(edit({ text: 'a' }).key).not.toBe(edit({ text: 'a', edit_date: 1_700_000_061 }).key);
    expect(edit({ text: 'a' }).key).not.toBe(message({ text: 'a' }).key);
  });

  test('has its text read as that of the message was', () => {
    const entities = [{ type: 'mention', offset: 0, length: 7 }];
    expect(edit({ chat: group, text: '@keybot and now?', entities })).toMatchObject({ text: 'and now?' });
    expect(edit({ caption: 'a caption', voice: { file_id: 'f' } })).toMatchObject({ text: 'a caption' });
    expect(edit({ voice: { file_id: 'f' } })).toMatchObject({ text: '' });
  });

  test('of what has no text is none: a place that moves', () => {
    const location = { latitude: 1, longitude: 2, live_period: 60 };
    for (const fields of [
      { location },
      { poll: { question: 'x', options: [] } },
      { chat: { id: -1, type: 'channel' }, text: 'x' },
    ])
      expect(parse({ update_id: 1, edited_message: wire(fields) })).toMatchObject({ type: 'ignored' });
  });
});

describe('a group that becomes a supergroup', () => {
  const old = { id: -500, type: 'group', title: 'Family' };
  const moved = { type: 'moved', from: { channel: 'telegram', chatId: '-500', kind: 'group' }, chatId: '-1001' };

  test('is told of by the old chat and by the new one, and both say the same', () => {
    expect(parse({ update_id: 1, message: wire({ chat: old, migrate_to_chat_id: -1001 }) })).toEqual(moved);
    expect(parse({ update_id: 1, message: wire({ chat: group, migrate_from_chat_id: -500 }) })).toEqual(moved);
  });

  test('is told of by nobody else', () => {
    for (const fields of [{ migrate_to_chat_id: -1001 }, { chat: old, migrate_to_chat_id: 'x' }])
      expect(parse({ update_id: 1, message: wire(fields) })).toMatchObject({ type: 'ignored' });
  });
});

describe('the button below a draft', () => {
  const stop = (fields: object) => ({
    update_id: 9,
    stopped_message_generation: { chat: direct, draft_id: 3, ...fields },
  });

  test('says /stop for the person whose chat it is', () => {
    expect(eventOf(stop({}))).toEqual({
      type: 'message',
      key: 'telegram:7:s:9',
      conversation: { channel: 'telegram', chatId: '42', kind: 'direct', title: 'Ada L' },
      sender: { id: '42', name: 'Ada L', isPerson: true },
      text: '/stop',
      addressed: true,
      sentAt: now,
    });
  });

  test('belongs to the topic in which it is', () => {
    expect(eventOf(stop({ message_thread_id: 4 })).conversation).toMatchObject({ threadId: '4' });
  });

  test('stands in direct chats only', () => {
    expect(parse(stop({ chat: group }))).toMatchObject({ type: 'ignored' });
  });
});
