import type { JsonObject } from '../../src/lib/json.ts';
import type { Unreadable } from './words.ts';

/**
 * What a message is, by the names of its fields, if it is nothing that the platform itself says. Undefined for service
 * messages, which need no answer. Fields are those of `Message` in the Bot API; one that is not known here is content.
 */
export function unreadableIn(message: JsonObject): Unreadable | undefined {
  const names = Object.keys(message);
  if (names.some((name) => service.test(name))) return undefined;
  const known = names.map((name) => kinds[name]).find((kind) => kind !== undefined);
  // A blank text is no kind of its own.
  if (known === undefined && (message.text !== undefined || message.caption !== undefined)) return undefined;
  return known ?? 'other';
}

/** What the platform says about the chat, its members, its topics, payments to the bot and rights. */
const service =
  /^(?:new_chat_(?:members?|participant|title|photo)|left_chat_(?:member|participant)|delete_chat_photo|(?:group|supergroup|channel)_chat_created|message_auto_delete_timer_changed|migrate_(?:to|from)_chat_id|pinned_message|proximity_alert_triggered|boost_added|chat_background_set|checklist_tasks_(?:done|added)|direct_message_price_changed|(?:general_)?forum_topic_\w+|giveaway_(?:created|completed)|video_chat_\w+|voice_chat_\w+|chat_owner_\w+|suggested_post_\w+|poll_option_\w+|managed_bot_created|write_access_allowed|connected_website|paid_message_price_changed|successful_payment|refunded_payment)$/;

const kinds: Readonly<Record<string, Unreadable>> = {
  gift: 'gift',
  unique_gift: 'gift',
  gift_upgrade_sent: 'gift',
  giveaway: 'giveaway',
  giveaway_winners: 'giveaway',
  invoice: 'invoice',
  users_shared: 'sharedContacts',
  user_shared: 'sharedContacts',
  chat_shared: 'sharedChat',
  web_app_data: 'webAppData',
  passport_data: 'passportData',
  sticker: 'sticker',
  poll: 'poll',
  checklist: 'checklist',
  location: 'location',
  contact: 'contact',
  game: 'game',
  photo: 'picture',
  document: 'file',
  voice: 'voiceMessage',
  audio: 'recording',
  video: 'video',
  video_note: 'videoMessage',
  animation: 'animation',
};
