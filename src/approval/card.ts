import type { Button } from '../contract.ts';
import type { JsonObject } from '../lib/json.ts';
import { clockTime } from '../lib/local-time.ts';
import { escapeMarkdown, fenced, inlineCode, markdownLine, oneLine, reveal } from '../lib/plain-text.ts';
import type { ToolCategory } from '../tools/category.ts';
import type { Approval, Choice } from './approval.ts';

/** What a card says beside its approval. */
export interface CardContent {
  readonly displayName: string;
  readonly category: ToolCategory;
  readonly arguments: JsonObject;
  /** Why it is asked for. */
  readonly reason: string;
  /** What the call would change, as markdown. */
  readonly preview?: string;
  /** The place that it was asked in, where the card stands somewhere else. */
  readonly forwardedFrom?: string;
}

/** The message that asks. All arguments are in it, in full, with hidden characters shown. */
export function requestCard(approval: Approval, content: CardContent): string {
  const place = content.forwardedFrom === undefined ? '' : ` in ${escapeMarkdown(content.forwardedFrom)}`;
  return [
    `🔑 May I **${describe(approval)}**?`,
    `Tool ${inlineCode(oneLine(content.displayName, 80))}, category ${inlineCode(content.category)}, for ${escapeMarkdown(approval.requesterName)} (${inlineCode(approval.requester)})${place}. Asked because ${content.reason}.`,
    ...(content.preview === undefined ? [] : [content.preview]),
    fenced(reveal(JSON.stringify(content.arguments, null, 2)), 'json'),
    `Until ${clockTime(approval.expiresAt)}. Or type ${inlineCode(`/approve ${approval.id}`)}, ${inlineCode(`/deny ${approval.id} reason`)}.`,
  ].join('\n\n');
}

/** What the asker reads where the card went to somebody else. */
export function forwardedNotice(approval: Approval): string {
  return `🔑 I asked an owner for permission to ${describe(approval)}. I will go on when it is decided.`;
}

/** What is said when nobody can decide. */
export function unreachableNotice(approval: Approval): string {
  return `🔑 I may not ${describe(approval)} without an owner's permission, and I know of no chat in which an owner could give it.`;
}

export function reminderNotice(approval: Approval): string {
  if (approval.question !== undefined)
    return `❓ I still wait for your answer: ${describe(approval)} Until ${clockTime(approval.expiresAt)}.`;
  return `🔑 Still waiting: may I ${describe(approval)}? Until ${clockTime(approval.expiresAt)}. Press a button above, or type ${inlineCode(`/approve ${approval.id}`)} or ${inlineCode(`/deny ${approval.id}`)}.`;
}

/** What the card shows once it is decided. The decision stands in its first line. */
export function decidedCard(approval: Approval, choice: Choice, by: string, at: number): string {
  const who = `${escapeMarkdown(by)} at ${clockTime(at)}`;
  switch (choice.type) {
    case 'once':
      return `✅ Approved by ${who}: ${describe(approval)}`;
    case 'window':
      return `✅ Approved by ${who}, as is every later call of ${inlineCode(approval.toolName)} here for a while: ${describe(approval)}`;
    case 'always':
      return `✅ Approved by ${who}, this time and always: ${describe(approval)}`;
    case 'deny':
      return `❌ Denied by ${who}${choice.reason === undefined ? '' : ` (${escapeMarkdown(choice.reason)})`}: ${describe(approval)}`;
  }
}

export function expiredCard(approval: Approval): string {
  if (approval.question !== undefined) return `⌛ Nobody answered in time: ${describe(approval)}`;
  return `⌛ Nobody decided in time: ${describe(approval)}`;
}

export function cancelledCard(approval: Approval): string {
  return `🚫 Called off: ${describe(approval)}`;
}

/** What a question shows that the call which asked while it ran does not need any more, whatever ended it. */
export function uncalledCard(approval: Approval): string {
  return `🚫 Called off, since what asked has ended: ${describe(approval)}`;
}

/** The buttons of a card; the window is in milliseconds. Where no standing permission may be given, there are only two. */
export function cardButtons(approval: Approval, window: number): readonly (readonly Button[])[] {
  const button = (verb: Verb, label: string, shortcut: string, style: Button['style']): Button => ({
    actionId: `ap:${approval.id}:${verb}`,
    label,
    shortcut,
    style,
  });
  const approve = button('a', '✅ Approve', 'y', 'primary');
  const deny = button('d', '❌ Deny', 'n', 'danger');
  const explain = { ...button('r', 'Deny, and say why', 'r', 'plain'), asks: 'Why not?' };
  if (!approval.grantable) return [[approve, deny], [explain]];
  const minutes = Math.max(1, Math.round(window / 60_000));
  return [
    [approve, deny],
    [button('w', `${minutes} min`, `${minutes}`, 'plain'), button('s', 'Always', 'a', 'plain'), explain],
  ];
}

type Verb = 'a' | 'w' | 's' | 'd' | 'r';

/** Reads a button of a card, and what was written with it. Anybody may have made it up. */
export function parseAction(actionId: string, text = ''): { readonly id: string; readonly choice: Choice } | undefined {
  const match = /^ap:([a-z0-9]{1,20}):([awsdr])$/.exec(actionId);
  const [, id, verb] = match ?? [];
  if (id === undefined) return undefined;
  switch (verb) {
    case 'a':
      return { id, choice: { type: 'once' } };
    case 'w':
      return { id, choice: { type: 'window' } };
    case 's':
      return { id, choice: { type: 'always' } };
    default:
      return { id, choice: denial(text) };
  }
}

/** A refusal, with what a person says of it. */
export function denial(words: string): Choice {
  const reason = words.trim().slice(0, 500).toWellFormed();
  return reason === '' ? { type: 'deny' } : { type: 'deny', reason };
}

/** The tool's own line, which is markdown; kept on one line whatever it is. */
function describe(approval: Approval): string {
  return markdownLine(approval.description, 520);
}
