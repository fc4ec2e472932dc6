import { expect, test } from 'vitest';
import { ada, direct, group, message, parse, wire } from './parsed.ts';

test.each([
  ['a gift', { gift: { gift: { id: 'g' } } }],
  ['a gift', { unique_gift: {} }],
  ['a giveaway', { giveaway: { chats: [] } }],
  ['a giveaway', { giveaway_winners: {} }],
  ['an invoice', { invoice: { title: 'x' } }],
  ['shared contacts', { users_shared: { request_id: 1, users: [] } }],
  ['a shared chat', { chat_shared: { request_id: 1 } }],
  ['what a web app sends', { web_app_data: { data: 'x', button_text: 'y' } }],
  ['passport data', { passport_data: {} }],
  ['this kind of message', { hologram: { id: 'x' } }],
  ['this kind of message', {}],
  ['this poll', { poll: { question: 7 } }],
  ['this file', { document: { file_id: 7 } }],
  ['this sticker', { sticker: 'x' }],
])('%s in a direct chat is told of as what cannot be read', (unreadable, fields) => {
  expect(message(fields)).toMatchObject({ text: '', addressed: true, unreadable });
  expect(message({ ...fields, chat: group })).toMatchObject({ addressed: false, unreadable });
});

test.each([
  ...[
    'new_chat_members',
    'left_chat_member',
    'new_chat_title',
    'new_chat_photo',
    'delete_chat_photo',
    'pinned_message',
  ],
  ...['group_chat_created', 'message_auto_delete_timer_changed', 'proximity_alert_triggered', 'boost_added'],
  ...['chat_background_set', 'checklist_tasks_done', 'checklist_tasks_added', 'direct_message_price_changed'],
  ...[
    'forum_topic_created',
    'forum_topic_edited',
    'forum_topic_closed',
    'forum_topic_reopened',
    'general_forum_topic_hidden',
  ],
  ...['giveaway_created', 'giveaway_completed', 'video_chat_started', 'video_chat_ended', 'write_access_allowed'],
  ...[
    'connected_website',
    'suggested_post_paid',
    'paid_message_price_changed',
    'successful_payment',
    'refunded_payment',
  ],
])('%s, which the platform says, needs no answer', (name) => {
  expect(parse({ update_id: 1, message: wire({ [name]: {}, chat: direct, from: ada }) })).toMatchObject({
    type: 'ignored',
  });
});

test('a blank text, and what can be read, is nothing of the kind', () => {
  expect(parse({ update_id: 1, message: wire({ text: ' ' }) })).toMatchObject({ type: 'ignored' });
  expect(message({ text: 'hi' }).unreadable).toBeUndefined();
  expect(message({ dice: { emoji: '🎲', value: 3 } }).unreadable).toBeUndefined();
});
