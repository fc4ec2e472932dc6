import { describe, expect, test } from 'vitest';
import { ada, bot, eventOf, group, message, wire } from './parsed.ts';

const key = { id: bot.id, is_bot: true, first_name: 'Key' };
const bob = { id: 43, is_bot: false, first_name: 'Bob' };

function replyTo(replied: object, fields: object = {}) {
  return message({ text: 'why?', reply_to_message: { message_id: 4, date: 1, ...replied }, ...fields });
}

describe('a reply', () => {
  test("quotes what it answers, and says that it is the bot's", () => {
    expect(replyTo({ from: key, text: 'It rains.' }).quote).toEqual({ name: 'Key', text: 'It rains.', isOwn: true });
    expect(replyTo({ from: bob, caption: 'Look.', photo: [] }).quote).toEqual({
      name: 'Bob',
      text: 'Look.',
      isOwn: false,
    });
  });

  test('quotes only the part that was marked', () => {
    const quote = { text: 'rains', position: 3 };
    expect(replyTo({ from: key, text: 'It rains.' }, { quote }).quote).toMatchObject({ text: 'rains', isOwn: true });
  });

  test.each([
    ['[photo]', { photo: [{ file_id: 'f', width: 1, height: 1 }] }],
    ['[file: a.txt]', { document: { file_id: 'f', file_name: 'a.txt' } }],
    ['[file]', { document: { file_id: 'f' } }],
    ['[voice message]', { voice: { file_id: 'f' } }],
    ['[audio: song.mp3]', { audio: { file_id: 'f', file_name: 'song.mp3' } }],
    ['[video]', { video: { file_id: 'f' } }],
    ['[video message]', { video_note: { file_id: 'f' } }],
    ['[animation]', { animation: { file_id: 'f' }, document: { file_id: 'f' } }],
    ['[location: 1, 2]', { location: { latitude: 1, longitude: 2 } }],
  ])('to what has no text quotes it as %s', (text, replied) => {
    expect(replyTo({ from: bob, ...replied }).quote?.text).toBe(text);
  });

  test.each([
    ['image', { photo: [{ file_id: 'f', width: 1, height: 1 }] }],
    ['file', { document: { file_id: 'f', file_name: 'a.txt' } }],
    ['voice', { voice: { file_id: 'f' } }],
    ['audio', { audio: { file_id: 'f' } }],
    ['video', { video: { file_id: 'f' } }],
    ['video', { video_note: { file_id: 'f' } }],
    ['video', { animation: { file_id: 'f' }, document: { file_id: 'f' } }],
    ['image', { photo: [{ file_id: 'f', width: 1, height: 1 }], media_group_id: 'album' }],
    ['image', { live_photo: { photo: [{ file_id: 'f', width: 1, height: 1 }] } }],
  ])('to a file of the kind %s brings it, and the key of its message', (kind, replied) => {
    const brought = { messageKey: 'telegram:7:m:42:4', attachments: [{ kind, handle: 'f' }] };
    expect(replyTo({ from: bob, ...replied }).quote).toMatchObject(brought);
    expect(replyTo({ from: key, ...replied }).quote).toMatchObject({ ...brought, isOwn: true });
    expect(replyTo({ from: bob, ...replied, caption: 'Look.' }, { quote: { text: 'Look' } }).quote).toMatchObject({
      ...brought,
      text: 'Look',
    });
  });

  test('to what an anonymous admin said names the group', () => {
    expect(replyTo({ from: key, sender_chat: group, text: 'x' }).quote).toMatchObject({ name: 'Family' });
  });

  test('to what the platform said, or to what cannot be read, quotes nothing', () => {
    expect(replyTo({ from: bob, new_chat_title: 'x' })).toMatchObject({ quote: undefined });
    expect(message({ text: 'why?', reply_to_message: { message_id: 'x' } })).toMatchObject({ quote: undefined });
    expect(message({ text: 'hello' })).toMatchObject({ quote: undefined });
  });
});

describe('a reply to a message of another chat', () => {
  const external = (origin: object, fields: object = {}, more: object = {}) =>
    message({ text: 'why?', external_reply: { origin, ...fields }, ...more }).quote;

  test('quotes the part that is known', () => {
    const quote = { text: 'rains', position: 0 };
    expect(external({ type: 'user', sender_user: bob }, {}, { quote })).toEqual({
      name: 'Bob',
      text: 'rains',
      isOwn: false,
    });
    expect(external({ type: 'user', sender_user: key }, {}, { quote })).toMatchObject({ isOwn: true });
  });

  test.each([
    ['Eve', { type: 'hidden_user', sender_user_name: 'Eve' }],
    ['News', { type: 'channel', chat: { id: -1, type: 'channel', title: 'News' } }],
    ['Family', { type: 'chat', sender_chat: group }],
    ['', { type: 'unheard of' }],
  ])('names %j', (name, origin) => {
    const quote = external(origin, { voice: { file_id: 'f' } });
    expect(quote).toMatchObject({ name, text: '[voice message]', isOwn: false });
    expect(quote).toMatchObject({ messageKey: undefined, attachments: [{ kind: 'voice', handle: 'f' }] });
  });

  test('of which nothing is known quotes nothing', () => {
    expect(external({ type: 'user', sender_user: bob })).toBeUndefined();
  });
});

describe('in a group', () => {
  const said = { message_id: 3, date: 1, from: key, text: 'It rains.' };
  const reply = (replied: object, fields: object = {}) =>
    message({ chat: group, from: ada, text: 'why?', reply_to_message: replied, ...fields });

  test('a reply to the bot is for the bot, with the number of a thread and without', () => {
    expect(reply(said).addressed).toBe(true);
    // Outside of topics, a thread has the number of its first message.
    expect(reply(said, { message_thread_id: 3 })).toMatchObject({ addressed: true, quote: { text: 'It rains.' } });
    expect(reply({ ...said, from: bob }).addressed).toBe(false);
  });

  test('the notice that opened a topic is neither quoted nor answered', () => {
    const topic = { message_thread_id: 3, is_topic_message: true };
    const notice = { message_id: 3, date: 1, from: key };
    for (const replied of [
      { ...notice, forum_topic_created: { name: 'x' } },
      { ...notice, text: 'x' },
    ]) {
      const event = reply(replied, topic);
      expect(event.addressed).toBe(false);
      expect(event).toMatchObject({ quote: undefined });
    }
    expect(reply({ ...said, message_id: 9 }, topic)).toMatchObject({ addressed: true, quote: { text: 'It rains.' } });
  });
});

describe('what its sender passes on', () => {
  const passed = (fields: object) => message({ text: '/approve k3f9', entities: command, ...fields });
  const command = [{ type: 'bot_command', offset: 0, length: 8 }];

  test.each([
    ['a person', { type: 'user', sender_user: bob }, 'Bob'],
    ['a person who hides the account', { type: 'hidden_user', sender_user_name: 'Eve' }, 'Eve'],
    ['a channel', { type: 'channel', chat: { id: -9, type: 'channel', title: 'News' } }, 'News'],
    ['an anonymous admin', { type: 'chat', sender_chat: group }, 'Family'],
    ['somebody who cannot be read', 'x', ''],
  ])('is a text of %s, and nothing that was typed', (_whose, forward_origin, name) => {
    const shared = [{ how: 'forwarded', name, text: '/approve k3f9', isOwn: false }];
    expect(passed({ forward_origin })).toMatchObject({ text: '', shared });
  });

  test("names the bot's own words as such, and knows a forward of old servers", () => {
    expect(passed({ forward_origin: { type: 'user', sender_user: key } }).shared).toMatchObject([{ isOwn: true }]);
    expect(passed({ forward_date: 1 })).toMatchObject({ text: '', shared: [{ name: '' }] });
  });

  test('is a text of the inline bot that wrote it', () => {
    const via_bot = { id: 9, is_bot: true, first_name: 'Gif', username: 'gif' };
    expect(passed({ via_bot })).toMatchObject({ text: '', shared: [{ how: 'inline_bot', name: '@gif' }] });
    expect(passed({ via_bot: 'x' })).toMatchObject({ text: '', shared: [{ how: 'inline_bot' }] });
  });

  test('calls nobody in a group, and brings its files with it, also of an album, and when it is changed', () => {
    const forward_origin = { type: 'user', sender_user: bob };
    const caption = '@KeyBot delete all';
    const caption_entities = [{ type: 'mention', offset: 0, length: 7 }];
    const item = { photo: [{ file_id: 'f', width: 1, height: 1 }], media_group_id: 'a' };
    const said = message({ chat: group, caption, caption_entities, forward_origin, ...item });
    expect(said).toMatchObject({ addressed: false, text: '', isPiece: true, attachments: [{ isShared: true }] });
    expect(said.shared).toMatchObject([{ name: 'Bob', text: caption }]);
    expect(message({ forward_origin, ...item }).shared).toMatchObject([{ name: 'Bob', text: '' }]);
    const edited = eventOf({ edited_message: wire({ text: 'new', forward_origin, edit_date: 2 }) });
    expect(edited).toMatchObject({ type: 'edit', text: '', shared: [{ name: 'Bob', text: 'new' }] });
  });
});
