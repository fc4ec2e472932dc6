import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InboundAction, InboundMessage } from '../../../src/contract.ts';
import { ada, direct, group, message, parse } from './parsed.ts';

function press(fields: object): InboundAction {
  const base = {
    id: '99',
    from: ada,
    data: 'ap:1:a',
    chat_instance: 'x',
    message: { message_id: 5, date: 1, chat: direct },
  };
  const parsed = parse({ update_id: 1, callback_query: { ...base, ...fields } });
  if (parsed.type !== 'press') throw new Error(`It is ${JSON.stringify(parsed)}.`);
  return parsed.event;
}

/** A message in a group, with a mark on each piece of the text that stands there. */
function inGroup(text: string, marks: Record<string, string> = {}, fields: object = {}): InboundMessage {
  const entities = Object.entries(marks).map(([words, type]) => ({
    type,
    offset: text.indexOf(words),
    length: words.length,
  }));
  return message({ chat: group, text, entities, ...fields });
}

describe('a message', () => {
  test('in a direct chat is addressed to the bot and says where, who and when', () => {
    expect(message({ text: 'hello' })).toEqual({
      type: 'message',
      key: 'telegram:7:m:42:5',
      conversation: { channel: 'telegram', chatId: '42', kind: 'direct', title: 'Ada L' },
      sender: { id: '42', name: 'Ada L', isPerson: true },
      text: 'hello',
      addressed: true,
      sentAt: 1_700_000_000_000,
      messageId: '5',
    });
  });

  test('has one key, whichever update brings it', () => {
    const content = { message_id: 5, date: 1, chat: direct, from: ada, text: 'x' };
    expect(parse({ update_id: 1, message: content })).toEqual(parse({ update_id: 9, message: content }));
  });

  test('belongs to a thread only if it stands in a topic', () => {
    expect(inGroup('x', {}, { message_thread_id: 3, is_topic_message: true }).conversation).toMatchObject({
      threadId: '3',
    });
    expect(inGroup('x', {}, { message_thread_id: 3 }).conversation).not.toHaveProperty('threadId');
  });

  test.each(['zh-hans', undefined])('says which language the app of its sender has, if Telegram tells: %s', (code) => {
    const from = { ...ada, language_code: code };
    expect(message({ text: 'x', from }).sender.language).toBe(code);
    expect(press({ from }).sender.language).toBe(code);
  });

  test.each([7, null, {}])('is read although the language of its sender is %s', (code) => {
    expect(message({ text: 'x', from: { ...ada, language_code: code } })).toMatchObject({
      text: 'x',
      sender: { id: '42' },
    });
  });

  test('of a bot, an anonymous admin or a channel is not of a person', () => {
    expect(message({ text: 'x', from: { ...ada, is_bot: true } }).sender.isPerson).toBe(false);
    const anonymous = message({
      text: 'x',
      chat: group,
      from: { id: 1087968824, is_bot: true, first_name: 'Group' },
      sender_chat: group,
    });
    expect(anonymous.sender).toEqual({ id: '-1001', name: 'Family', isPerson: false });
    expect(message({ text: 'x', sender_chat: { id: -1, type: 'channel', title: 'News' } }).sender.isPerson).toBe(false);
  });

  test('without text, and a post in a channel, are not for us', () => {
    const base = { message_id: 5, date: 1, from: ada };
    for (const content of [
      { chat: direct, new_chat_title: 'x' },
      { chat: { id: -1, type: 'channel' }, text: 'x' },
    ]) {
      expect(parse({ update_id: 1, message: { ...base, ...content } }).type).toBe('ignored');
    }
  });
});

describe('a message in a group', () => {
  test('is not addressed if it calls nobody', () => {
    expect(inGroup('hello all').addressed).toBe(false);
    expect(inGroup('hello @keybot').addressed).toBe(false);
  });

  test.each([
    ['@keybot what is it?', 'what is it?'],
    ['@KeyBot, what is it?', 'what is it?'],
    ['what is it @KEYBOT', 'what is it'],
    ['does @keybot know?', 'does @keybot know?'],
    ['@keybot', '@keybot'],
    ["@keybot's answer", "@keybot's answer"],
  ])('%j that mentions the bot says %j', (text, expected) => {
    const name = /@keybot/i.exec(text)?.[0] ?? '';
    expect(inGroup(text, { [name]: 'mention' })).toMatchObject({ addressed: true, text: expected });
  });

  test('that mentions somebody else is not addressed', () => {
    expect(inGroup('@keybot2 hi', { '@keybot2': 'mention' })).toMatchObject({ addressed: false, text: '@keybot2 hi' });
  });

  test('is addressed by a mention without a user name', () => {
    const entities = (id: number) => [
      { type: 'text_mention', offset: 0, length: 3, user: { id, is_bot: true, first_name: 'Key' } },
    ];
    expect(message({ chat: group, text: 'Key hi', entities: entities(7) })).toMatchObject({
      addressed: true,
      text: 'hi',
    });
    expect(message({ chat: group, text: 'Key hi', entities: entities(8) })).toMatchObject({
      addressed: false,
      text: 'Key hi',
    });
  });

  test.each([
    ['/stop', '/stop', true],
    ['/deny@keybot 7 no', '/deny 7 no', true],
    ['/stop@otherbot', '/stop@otherbot', false],
  ])('with the command %j says %j', (text, expected, addressed) => {
    expect(inGroup(text, { [text.split(' ')[0] ?? '']: 'bot_command' })).toMatchObject({ text: expected, addressed });
  });

  test('with a command somewhere in a sentence is not addressed by it', () => {
    expect(inGroup('you can use /stop', { '/stop': 'bot_command' }).addressed).toBe(false);
  });

  test('reads a command behind the name', () => {
    expect(inGroup('@keybot /status', { '@keybot': 'mention', '/status': 'bot_command' }).text).toBe('/status');
    const both = { '@KEYBOT': 'mention', '/deny@keybot': 'bot_command' };
    expect(inGroup('@KEYBOT /deny@keybot 7', both).text).toBe('/deny 7');
  });

  test('keeps its places behind characters of two units', () => {
    expect(
      message({ chat: group, text: '😀😀 @keybot', entities: [{ type: 'mention', offset: 5, length: 7 }] }).text,
    ).toBe('😀😀');
  });
});

describe('a press', () => {
  test('says where, who and what', () => {
    expect(press({})).toEqual({
      type: 'action',
      key: 'telegram:7:cq:99',
      conversation: { channel: 'telegram', chatId: '42', kind: 'direct', title: 'Ada L' },
      sender: { id: '42', name: 'Ada L', isPerson: true },
      actionId: 'ap:1:a',
      messageRef: { id: '5' },
    });
  });

  test('in a topic belongs to it', () => {
    const fields = { message: { message_id: 5, date: 1, chat: group, message_thread_id: 3, is_topic_message: true } };
    expect(press(fields).conversation).toMatchObject({ threadId: '3', kind: 'group' });
  });

  test('on a message that the bot can no longer read is taken', () => {
    expect(press({ message: { message_id: 5, date: 0, chat: group } }).conversation).toMatchObject({ chatId: '-1001' });
  });

  test('without a message or data is not for us', () => {
    for (const fields of [{ message: undefined }, { data: undefined }]) {
      const query = { id: '9', from: ada, data: 'x', message: { message_id: 5, date: 1, chat: direct }, ...fields };
      expect(parse({ update_id: 1, callback_query: query }).type).toBe('ignored');
    }
  });
});

describe('a payload that is not what it should be', () => {
  const anything = fc.anything();
  const sound = {
    message_id: 5,
    date: 1,
    chat: group,
    from: ada,
    text: '@keybot /x',
    entities: [{ type: 'mention', offset: 0, length: 7 }],
  };
  const key = fc.constantFrom(...Object.keys(sound), 'reply_to_message', 'sender_chat', 'caption', 'is_topic_message');

  test('never throws', () => {
    fc.assert(fc.property(anything, (update) => typeof parse(update).type === 'string'));
    fc.assert(
      fc.property(key, anything, (name, value) => {
        const content = { ...sound, [name]: value };
        for (const update of [
          { message: content },
          { callback_query: { id: '1', from: ada, data: 'x', message: content, [name]: value } },
        ]) {
          parse({ update_id: 1, ...update });
        }
      }),
      { numRuns: 500 },
    );
  });

  test('with marks outside of the text never throws', () => {
    const mark = fc.record({
      type: fc.constantFrom('mention', 'bot_command', 'text_mention'),
      offset: fc.integer(),
      length: fc.integer(),
    });
    fc.assert(
      fc.property(fc.string(), fc.array(mark), (text, entities) => {
        parse({ update_id: 1, message: { ...sound, text, entities } });
      }),
    );
  });

  test('is named by its place, not by its content', () => {
    const parsed = parse({ update_id: 1, message: { ...sound, text: 'secret', date: 'secret' } });
    expect(parsed).toEqual({ type: 'unreadable', path: 'message.date' });
  });
});
