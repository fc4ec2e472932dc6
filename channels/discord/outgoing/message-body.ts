import { ButtonStyle, ComponentType, MessageFlags } from 'discord-api-types/v10';
import type { Button, OutboundMessage } from '../../../src/contract.ts';
import type { Parse } from '../../../src/lib/markdown-parser.ts';
import { askingFor } from '../deny-form.ts';
import { renderMarkdown } from '../markdown/markdown.ts';

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
    // An address in a message must tell nobody that it was written, and take no room.
    flags: MessageFlags.SuppressEmbeds,
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
    .map((row) => ({ type: ComponentType.ActionRow, components: row.slice(0, most.buttons).map(buttonOf) }));
}

function buttonOf({ actionId, label, style, asks }: Button): object {
  const customId = asks === undefined ? actionId : askingFor(actionId);
  return {
    type: ComponentType.Button,
    style: styleOf(style),
    label: shortened(label.toWellFormed()) || '…',
    custom_id: customId.slice(0, most.customId),
  };
}

/** Green says better than blue what a press of it does: it lets something happen. */
function styleOf(style: Button['style']): ButtonStyle {
  switch (style) {
    case 'primary':
      return ButtonStyle.Success;
    case 'danger':
      return ButtonStyle.Danger;
    case 'plain':
      return ButtonStyle.Secondary;
  }
}

function shortened(label: string): string {
  if (label.length <= most.label) return label;
  // A character that takes two units is not cut in half.
  return `${label.slice(0, most.label - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
