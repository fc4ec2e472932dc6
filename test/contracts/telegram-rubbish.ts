import type { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { mutations } from './mutations.ts';

const lastRubbish = 5_000;

/** Delivers updates that Telegram does not send. Resolves when the last of them is confirmed. */
export async function deliverRubbish(server: TelegramServer): Promise<void> {
  const result = [...rubbish(), null, 7, [], { update_id: 'x' }, { update_id: lastRubbish, message: null }];
  const body = JSON.stringify({ ok: true, result });
  // As everything else, it comes again until it is confirmed.
  let isConfirmed = false;
  const when = ({ offset }: Readonly<Record<string, unknown>>): boolean => {
    isConfirmed ||= offset === lastRubbish + 1;
    return !isConfirmed;
  };
  server.fault({ method: 'getUpdates', kind: 'status', status: 200, body, when });
  server.say(42, 'wake');
  await server.waitFor(() => isConfirmed, { what: 'the rubbish to be confirmed' });
}

/** Updates of every kind that is read, each with something in it that Telegram does not send. */
function rubbish(): readonly JsonObject[] {
  const from = { id: 42, is_bot: false, first_name: 'Person' };
  const bare = { message_id: 1, date: 1, chat: { id: 42, type: 'private', first_name: 'Person' }, from };
  const message = { ...bare, text: '@name sound', entities: [{ type: 'mention', offset: 0, length: 5 }] };
  const group = { id: -5, type: 'group', title: 'x' };
  const file = { file_id: 'f', file_size: 3, file_name: 'a.txt', mime_type: 'text/plain' };
  const photo = [{ file_id: 'p', file_size: 3, width: 1, height: 1 }];
  const replied = { ...message, caption: 'x', document: file, quote: { text: 'x', position: 0 } };
  const external_reply = { origin: { type: 'user', sender_user: { id: 1, first_name: 'B' } }, voice: file };
  const location = { latitude: 1, longitude: 2 };
  const extras = {
    location,
    venue: { location, title: 'x', address: 'y' },
    contact: { phone_number: '1', first_name: 'x' },
    poll: { question: 'x', options: [{ text: 'y' }] },
  };
  const album = { ...bare, photo, caption: 'x', media_group_id: 'm', reply_to_message: replied, quote: { text: 'x' } };
  const kinds: readonly JsonObject[] = [
    { message: { ...message, reply_to_message: message } },
    { message: album },
    { message: { ...album, chat: group } },
    { message: { ...bare, ...extras, external_reply } },
    { message: { ...message, chat: group, migrate_to_chat_id: -6 } },
    { edited_message: { ...album, edit_date: 2 } },
    { callback_query: { id: '1', from, data: 'ap:k3f9abcd:a', chat_instance: '1', message } },
    { stopped_message_generation: { chat: bare.chat, draft_id: 3, message_thread_id: 4 } },
  ];
  const updates = kinds.flatMap((kind) => mutations(kind, 150));
  // The number alone has to be right: without it, nothing can be confirmed.
  return updates.map((update, index) => ({ ...(isJsonObject(update) ? update : {}), update_id: 1_000 + index }));
}
