import type { Button, OutboundMessage } from '../../../src/contract.ts';
import type { Parse } from '../../../src/lib/markdown-parser.ts';
import { renderMarkdown } from '../markdown/markdown.ts';

/** Seen by one person, where an interaction is answered. */
export const ephemeral = 1 << 6;
/** An address in a message must tell nobody that it was written, and take no room. */
const suppressEmbeds = 1 << 2;
const types = { row: 1, button: 2 } as const;
const styles = { secondary: 2, success: 3, danger: 4 } as const;
const most = { rows: 5, buttons: 5, label: 80, customId: 100, nonce: 25 } as const;

/** A message as Discord takes it, when it is new and when it is changed. */
export interface MessageBody {
  readonly content: string;
  readonly components: readonly object[];
  readonly allowed_mentions: { readonly parse: readonly []; readonly replied_user: false };
  readonly flags: number;
}

/** The message, without a text where only a file is to be shown. An edit with it takes old buttons away. */
export function messageBody(message: OutboundMessage, parse: Parse): MessageBody {
  const isFileAlone = message.file !== undefined && message.markdown.trim() === '';
  return {
    content: isFileAlone ? '' : renderMarkdown(message.markdown, parse),
    components: rowsOf(message.buttons ?? []),
    allowed_mentions: { parse: [], replied_user: false },
    flags: suppressEmbeds,
  };
}

/** With the same nonce, Discord makes one message of several sendings. */
export function nonceOf({ id }: OutboundMessage): { readonly nonce: string; readonly enforce_nonce: true } {
  return { nonce: id.slice(0, most.nonce), enforce_nonce: true };
}

function rowsOf(rows: readonly (readonly Button[])[]): readonly object[] {
  return rows
    .filter((row) => row.length > 0)
    .slice(0, most.rows)
    .map((row) => ({ type: types.row, components: row.slice(0, most.buttons).map(buttonOf) }));
}

function buttonOf({ actionId, label, style, asks }: Button): object {
  const customId = asks === undefined ? actionId : `ask:${actionId}`;
  return {
    type: types.button,
    style: styleOf(style),
    label: shortened(label.toWellFormed()) || '…',
    custom_id: customId.slice(0, most.customId),
  };
}

/** Green says better than blue what a press of it does: it lets something happen. */
function styleOf(style: Button['style']): number {
  switch (style) {
    case 'primary':
      return styles.success;
    case 'danger':
      return styles.danger;
    case 'plain':
      return styles.secondary;
  }
}

function shortened(label: string): string {
  if (label.length <= most.label) return label;
  // A character that takes two units is not cut in half.
  return `${label.slice(0, most.label - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
