import type { Sender } from '../../src/contract.ts';
import type { TelegramChat, TelegramUser } from './update.ts';

/** A chat that speaks (a channel, an anonymous admin) is not a person: `from` then names a stand-in that all share. */
export function senderOf({
  from,
  sender_chat,
}: {
  readonly from?: TelegramUser | undefined;
  readonly sender_chat?: TelegramChat | undefined;
}): Sender | undefined {
  if (sender_chat !== undefined) return { id: String(sender_chat.id), name: nameOfChat(sender_chat), isPerson: false };
  return from && personOf(from);
}

export function personOf({ id, first_name, last_name, username, is_bot }: TelegramUser): Sender {
  return { id: String(id), name: fullName(first_name, last_name) || username || String(id), isPerson: !is_bot };
}

/** Its title, or the name of the person whose chat it is. */
export function nameOfChat({ title, first_name, last_name }: TelegramChat): string {
  return title ?? fullName(first_name, last_name);
}

function fullName(first: string | undefined, last: string | undefined): string {
  return [first, last].filter((name) => name !== undefined && name !== '').join(' ');
}
