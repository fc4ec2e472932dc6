import { buttonRows, type ShownButton } from './components.ts';
import type { StoredFile } from './files.ts';
import type { StoredMessage } from './messages.ts';
import { botId } from './places.ts';

/** A message as a person in the channel sees it now. */
export interface ShownMessage {
  readonly id: string;
  readonly from: 'bot' | 'user';
  readonly text: string;
  readonly buttons: readonly ShownButton[];
  /** The same buttons, as they stand below it. */
  readonly rows: readonly (readonly ShownButton[])[];
  readonly files: readonly StoredFile[];
  /** The emoji that the bot reacted with. */
  readonly reactions: readonly string[];
  /** How often it was changed. */
  readonly edits: number;
  readonly flags: number;
  /** Whom it calls: `@everyone`, `@here`, `<@id>`, `<@&id>`. */
  readonly pings: readonly string[];
  readonly replyTo?: string | undefined;
}

export function showMessage({ author, content, components, mentions, ...message }: StoredMessage): ShownMessage {
  const from = author.id === botId ? 'bot' : 'user';
  const rows = buttonRows(components);
  return { ...message, from, text: content, buttons: rows.flat(), rows, pings: mentions.pings };
}

/** One line about a message. */
export function describeMessage({ id, from, text, buttons, edits }: ShownMessage): string {
  const shownButtons = buttons.map(({ label }) => ` [${label}]`).join('');
  return `  ${id} ${from}: ${JSON.stringify(text.slice(0, 300))}${shownButtons}${edits > 0 ? ` (${edits} edits)` : ''}`;
}
