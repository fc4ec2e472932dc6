import { expect, test } from 'vitest';
import { unreadableWords } from '../../../channels/telegram/words.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { openBench } from './bench.ts';
import { ada, direct, group, parse, wire } from './parsed.ts';

function parsed(fields: object) {
  return parse({ update_id: 1, message: wire(fields) });
}

test.each([
  ['gift', { gift: { gift: { id: 'g' } } }],
  ['gift', { unique_gift: {} }],
  ['giveaway', { giveaway: { chats: [] } }],
  ['giveaway', { giveaway_winners: {} }],
  ['invoice', { invoice: { title: 'x' } }],
  ['sharedContacts', { users_shared: { request_id: 1, users: [] } }],
  ['sharedChat', { chat_shared: { request_id: 1 } }],
  ['webAppData', { web_app_data: { data: 'x', button_text: 'y' } }],
  ['passportData', { passport_data: {} }],
  ['other', { hologram: { id: 'x' } }],
  ['other', {}],
  ['poll', { poll: { question: 7 } }],
  ['file', { document: { file_id: 7 } }],
  ['sticker', { sticker: 'x' }],
])('a message is told of as what cannot be read: %s', (unreadable, fields) => {
  expect(parsed(fields)).toMatchObject({ event: { text: '', addressed: true }, unreadable });
  expect(parsed({ ...fields, chat: group })).toMatchObject({ event: { addressed: false }, unreadable });
});

const invoice = { title: 'Tea', description: 'Green', start_parameter: 'tea', currency: 'EUR', total_amount: 300 };

test.each(['en', 'zh'] as const)(
  'the sender of a message that cannot be read is told in their language what it is: %s',
  async (language) => {
    const { server, host, connect } = await openBench();
    await connect();
    const from = { ...ada, language_code: language === 'zh' ? 'zh-hans' : 'de' };
    server.people.show(42, { invoice }, { from });
    const event = await waitUntil(() => host.received[0]);
    expect(event).toMatchObject({ type: 'message', unreadable: unreadableWords[language].invoice });
  },
);

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
  expect(parsed({ text: 'hi' })).toMatchObject({ event: { text: 'hi' }, unreadable: undefined });
  expect(parsed({ dice: { emoji: '🎲', value: 3 } })).toMatchObject({ type: 'message', unreadable: undefined });
});
