import type { ApiCall } from './call-log.ts';
import type { Delivery } from './deliveries.ts';
import type { ShownMessage } from './shown-message.ts';

/** One line about a message, for the error of a wait in vain. */
export function describeMessage({ ts, from, text, buttons, edits, threadTs, streaming }: ShownMessage): string {
  const shownButtons = buttons.map(({ label }) => ` [${label}]`).join('');
  const thread = threadTs === undefined ? '' : ` in ${threadTs}`;
  const state = `${edits > 0 ? ` (${edits} edits)` : ''}${streaming === undefined ? '' : ` (${streaming})`}`;
  return `  ${ts}${thread} ${from}: ${JSON.stringify(text.slice(0, 300))}${shownButtons}${state}`;
}

/** One line about a request. */
export function describeCall({ method, params, status, outcome, fault }: ApiCall): string {
  const ended = status === undefined ? 'no answer' : `${status} ${outcome}`;
  return `  ${method} ${JSON.stringify(params).slice(0, 200)} → ${ended}${fault === undefined ? '' : ` (${fault})`}`;
}

/** One line about what the app was told. */
export function describeDelivery({ kind, payload, state, attempts }: Delivery): string {
  const event = JSON.stringify(payload.event ?? payload.type ?? payload.command).slice(0, 150);
  return `  ${kind} ${event}: ${state} after ${attempts}`;
}
