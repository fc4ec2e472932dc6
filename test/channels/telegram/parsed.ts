import { type Parsed, parseUpdate } from '../../../channels/telegram/parse.ts';
import type { InboundEvent, InboundMessage } from '../../../src/contract.ts';

export const bot = { id: 7, username: 'KeyBot' };
export const ada = { id: 42, is_bot: false, first_name: 'Ada', last_name: 'L' };
export const direct = { id: 42, type: 'private', first_name: 'Ada', last_name: 'L' };
export const group = { id: -1001, type: 'supergroup', title: 'Family' };
export const now = 1_700_000_000_500;

/** What the update is to a bot of the id 7. */
export function parse(update: unknown): Parsed {
  return parseUpdate(update, bot, now);
}

/** A message of Ada's in her direct chat, with these fields. */
export function message(fields: object): InboundMessage {
  const event = eventOf({ message: wire(fields) });
  if (event.type !== 'message') throw new Error(`It is ${JSON.stringify(event)}.`);
  return event;
}

/** The message as Telegram tells of it. */
export function wire(fields: object): object {
  return { message_id: 5, date: 1_700_000_000, chat: direct, from: ada, ...fields };
}

/** What the host is told of. Throws if that is nothing. */
export function eventOf(content: object): InboundEvent {
  const parsed = parse({ update_id: 1, ...content });
  if (!('event' in parsed)) throw new Error(`It is ${JSON.stringify(parsed)}.`);
  return parsed.event;
}
