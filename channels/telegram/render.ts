import type { Button, OutboundMessage } from '../../src/contract.ts';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import { type Entity, renderMarkdown } from './markdown.ts';

/** The message as the Bot API takes it. */
export function renderMessage(message: OutboundMessage, parse: Parse): Payload {
  const replyTo = Number(message.replyTo);
  return {
    ...renderMarkdown(message.markdown, parse),
    keyboard: renderButtons(message.buttons ?? []),
    replyTo: Number.isSafeInteger(replyTo) && replyTo > 0 ? replyTo : undefined,
  };
}

/** The same for what stands below a file, where nothing may stand. */
export function renderCaption(message: OutboundMessage, parse: Parse): Payload {
  const payload = renderMessage(message, parse);
  return message.markdown.trim() === '' ? { ...payload, text: '', entities: [] } : payload;
}

function renderButtons(rows: readonly (readonly Button[])[]): Payload['keyboard'] {
  return rows
    .filter((row) => row.length > 0)
    .map((row) => row.map(({ label, actionId }) => ({ text: label, callback_data: actionId })));
}

/** Where a message goes. */
export interface Address {
  readonly chatId: string;
  readonly threadId?: string;
}

/** A text as the Bot API takes it. */
export interface Payload {
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly keyboard: readonly (readonly { readonly text: string; readonly callback_data: string }[])[];
  /** The message that it answers. */
  readonly replyTo?: number | undefined;
}

/** Where it goes, as the parameters of a call. */
export function placeOf({ chatId, threadId }: Address): { chat_id: string; message_thread_id?: number } {
  return { chat_id: chatId, ...(threadId !== undefined && { message_thread_id: Number(threadId) }) };
}

/** What the message answers. Where that is gone, the message is sent all the same. */
export function replyOf({ replyTo }: Payload) {
  if (replyTo === undefined) return {};
  return { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } };
}

/** A text with its buttons. An edit without buttons takes them away. */
export function textOf(payload: Payload, entities: readonly Entity[]) {
  return {
    text: payload.text,
    entities: [...entities],
    // A preview makes Telegram fetch the address: an address in a reply must tell nobody that it was written.
    link_preview_options: { is_disabled: true },
    ...keyboardOf(payload),
  };
}

/** The text below a file, which may be empty, with its buttons. */
export function captionOf(payload: Payload, entities: readonly Entity[]) {
  return {
    ...(payload.text !== '' && { caption: payload.text, caption_entities: [...entities] }),
    ...keyboardOf(payload),
  };
}

function keyboardOf({ keyboard }: Payload) {
  return keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard.map((row) => [...row]) } };
}
