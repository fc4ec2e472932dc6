/* A chat as it stands on a phone, for a terminal: who writes, what, and the buttons. */

import { breakRows, textWidth } from '../../../lib/text-width.ts';
import type { PhoneMessage } from './fake-telegram.ts';

/** Columns of the screen, without its frame. */
const width = 58;
/** What the other one writes stands to the right. */
const indent = 14;
const title = 'Keyturn';
/** More rows of one message are left out. */
const mostRows = 14;

/** The messages, in a frame. */
export function phoneText(messages: readonly PhoneMessage[]): string {
  const rows = messages.flatMap((message, index) => [...(index === 0 ? [] : ['']), ...messageRows(message)]);
  const head = `┌─ ${title} ${'─'.repeat(width - textWidth(title) - 1)}┐`;
  return [head, ...rows.map((row) => `│ ${padded(row, width)} │`), `└${'─'.repeat(width + 2)}┘`].join('\n');
}

function messageRows({ from, text, rows }: PhoneMessage): readonly string[] {
  const margin = from === 'user' ? ' '.repeat(indent) : '';
  const room = width - (from === 'user' ? indent : 0);
  const whole = text.split('\n').flatMap((line) => breakRows(line, room, 0));
  const shown = whole.length > mostRows ? [...whole.slice(0, mostRows), '…'] : whole;
  return [...shown.map((row) => `${margin}${row}`), ...rows.flatMap((labels) => buttonRows(labels))];
}

/** Buttons that do not fit beside each other stand below each other. */
function buttonRows(labels: readonly string[]): readonly string[] {
  const row = labels.map((label) => `[ ${label} ]`).join(' ');
  return textWidth(row) <= width ? [row] : labels.map((label) => `[ ${label} ]`);
}

function padded(row: string, columns: number): string {
  return row + ' '.repeat(Math.max(0, columns - textWidth(row)));
}
