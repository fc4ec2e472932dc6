import type { ApiCall } from './call-log.ts';
import type { ShownMessage } from './chats.ts';

/** One line about a message, for the error of a wait in vain. */
export function describeMessage({ id, from, text, buttons, edits }: ShownMessage): string {
  const shownButtons = buttons.map(({ label }) => ` [${label}]`).join('');
  return `  ${id} ${from}: ${JSON.stringify(text.slice(0, 300))}${shownButtons}${edits > 0 ? ` (${edits} edits)` : ''}`;
}

/** One line about a request. */
export function describeCall({ method, params, status, fault }: ApiCall): string {
  const outcome = status ?? 'no answer';
  return `  ${method} ${JSON.stringify(params).slice(0, 200)} → ${outcome}${fault === undefined ? '' : ` (${fault})`}`;
}
