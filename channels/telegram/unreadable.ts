import type { JsonObject } from '../../src/lib/json.ts';

/**
 * What a message is, by the names of its fields, if it is nothing that the platform itself says. Undefined for service
 * messages, which need no answer. Fields are those of `Message` in the Bot API; one that is not known here is content.
 */
export function unreadableIn(message: JsonObject): string | undefined {
  const names = Object.keys(message);
  if (names.some((name) => service.test(name))) return undefined;
  const known = names.map((name) => kinds[name]).find((kind) => kind !== undefined);
  // A blank text is no kind of its own.
  if (known === undefined && (message.text !== undefined || message.caption !== undefined)) return undefined;
  return known ?? 'this kind of message';
}

/** What the platform says about the chat, its members, its topics, payments to the bot and rights. */
const service =
  /^(?:new_chat_(?:members?|participant|title|photo)|left_chat_(?:member|participant)|delete_chat_photo|(?:group|supergroup|channel)_chat_created|message_auto_delete_timer_changed|migrate_(?:to|from)_chat_id|pinned_message|proximity_alert_triggered|boost_added|chat_background_set|checklist_tasks_(?:done|added)|direct_message_price_changed|(?:general_)?forum_topic_\w+|giveaway_(?:created|completed)|video_chat_\w+|voice_chat_\w+|chat_owner_\w+|suggested_post_\w+|poll_option_\w+|managed_bot_created|write_access_allowed|connected_website|paid_message_price_changed|successful_payment|refunded_payment)$/;

const kinds: Readonly<Record<string, string>> = {
  gift: 'a gift',
  unique_gift: 'a gift',
  gift_upgrade_sent: 'a gift',
  giveaway: 'a giveaway',
  giveaway_winners: 'a giveaway',
  invoice: 'an invoice',
  users_shared: 'shared contacts',
  user_shared: 'shared contacts',
  chat_shared: 'a shared chat',
  web_app_data: 'what a web app sends',
  passport_data: 'passport data',
  sticker: 'this sticker',
  poll: 'this poll',
  checklist: 'this checklist',
  location: 'this location',
  contact: 'this contact',
  game: 'this game',
  photo: 'this picture',
  document: 'this file',
  voice: 'this voice message',
  audio: 'this recording',
  video: 'this video',
  video_note: 'this video message',
  animation: 'this animation',
};
