import type { Button, OutboundMessage } from '../../src/contract.ts';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import { renderMarkdown } from './markdown.ts';
import type { Payload } from './payload.ts';

const longestNotice = 200;

/** The message as the Bot API takes it. */
export function renderMessage(message: OutboundMessage, parse: Parse): Payload {
  const replyTo = Number(message.replyTo);
  return {
    ...renderMarkdown(message.markdown, parse),
    keyboard: renderButtons(message.buttons ?? []),
    ...(Number.isSafeInteger(replyTo) && replyTo > 0 && { replyTo }),
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

/** The notice as far as Telegram shows it: 200 characters. */
export function renderNotice(notice: string): string {
  const text = notice.toWellFormed();
  if (text.length <= longestNotice) return text;
  // A character that takes two units is not cut in half.
  return `${text.slice(0, longestNotice - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
