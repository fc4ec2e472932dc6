import type { ApiCall } from './call-log.ts';
import type { DiscordParts } from './discord-parts.ts';
import { type ShownMessage, showMessage } from './shown-message.ts';

const callsToTell = 12;

/** What stands where, and what was asked last, for the error of a wait in vain. */
export function describeState({ places, messages, gateway, calls, door }: DiscordParts): string {
  const chats = places.channels.flatMap(({ id, name }) => [
    `${name} ${id}:`,
    ...messages.in(id).map((message) => describeMessage(showMessage(message))),
  ]);
  const sessions = `${gateway.openConnections} connections to the gateway, ready: ${gateway.isReady}`;
  const last = calls.all.slice(-callsToTell).map(describeCall);
  const mistakes = door.server.mistakes.map((mistake) => `The fake itself failed: ${mistake}`);
  return [...chats, sessions, 'Last calls:', ...last, ...mistakes].join('\n');
}

/** One line about a message. */
function describeMessage({ id, from, text, buttons, edits }: ShownMessage): string {
  const shownButtons = buttons.map(({ label }) => ` [${label}]`).join('');
  return `  ${id} ${from}: ${JSON.stringify(text.slice(0, 300))}${shownButtons}${edits > 0 ? ` (${edits} edits)` : ''}`;
}

/** One line about a request. */
function describeCall({ method, path, body, status, code, fault }: ApiCall): string {
  const outcome = [status ?? 'no answer', code ?? '', fault === undefined ? '' : `(${fault})`].join(' ').trim();
  return `  ${method} ${path} ${(JSON.stringify(body) ?? '').slice(0, 200)} → ${outcome}`;
}
