import type { TelegramServer } from '../support/telegram-server.ts';
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

/** Updates with something in them that Telegram does not send. */
function rubbish(): readonly unknown[] {
  const from = { id: 42, is_bot: false, first_name: 'Person' };
  const chat = { id: 42, type: 'private', first_name: 'Person' };
  const entities = [{ type: 'mention', offset: 0, length: 5 }];
  const message = { message_id: 1, date: 1, chat, from, text: '@name sound', entities };
  const press = { id: '1', from, data: 'ap:k3f9abcd:a', chat_instance: '1', message };
  return [
    ...mutations({ update_id: 1_000, message: { ...message, reply_to_message: message } }, 150),
    ...mutations({ update_id: 2_000, callback_query: press }, 100),
  ];
}
