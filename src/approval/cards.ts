/*
 * The texts of cards: requests for a permission or an extension, and their outcomes. Also parses their buttons. Words
 * chosen by others are always shown as code or on one line.
 */

import type { Button } from '../contract.ts';
import { callSigns } from '../lib/call-signs.ts';
import type { JsonObject } from '../lib/json.ts';
import {
  escapeMarkdown,
  fenced,
  inlineCode,
  markdownLine,
  nameCode,
  oneLine,
  personWords,
  reveal,
} from '../lib/plain-text.ts';
import { clockTime, durationWords, type Reader } from '../lib/time-words.ts';
import type { BoundFile, ToolCategory } from '../tools/tool.ts';
import type { Approval, Choice, ExtensionApproval, PermissionApproval } from './approval.ts';
import { isWholeHash } from './verdict.ts';

/** A card's content beyond its approval. */
export interface CardContent {
  readonly description: string;
  readonly displayName: string;
  readonly category: ToolCategory;
  readonly arguments: JsonObject;
  /** Why it is asked for. */
  readonly reason: string;
  /** The known effects of the call, in short markdown sentences. */
  readonly effect?: string;
  /** The files that the approval is bound to. */
  readonly files?: readonly BoundFile[];
  /** The source of its answers, if the first would end a permission for a while. */
  readonly endedBy?: string | undefined;
  /** A preview of the changes, as markdown. */
  readonly preview?: string;
  /** The place of the request, if the card is shown elsewhere. */
  readonly forwardedFrom?: string;
  /** Turns addresses in markdown into plain text, where links are not allowed. */
  readonly withoutLinks?: (markdown: string) => string;
}

/** The card that asks for one or several calls, with all arguments in full and hidden characters revealed. */
export function requestCard(approval: PermissionApproval, content: CardContent, ...others: CardContent[]): string {
  const { id } = approval;
  const place = content.forwardedFrom === undefined ? '' : ` in ${nameCode(content.forwardedFrom)}`;
  const asker = `for ${requesterWords(approval)}${place}`;
  const asked =
    others.length === 0
      ? callWords('🔑 ', content, approval, `, ${asker}`)
      : [
          `🔑 **Do these ${others.length + 1} things?** Asked ${asker}. You decide about all of them at once.`,
          ...[content, ...others].flatMap((one, index) => callWords(`(${index + 1}) `, one, approval)),
        ];
  return [
    ...asked,
    `Open for ${openFor(approval)}. Or type ${inlineCode(`/approve ${id}`)}, ${inlineCode(`/deny ${id} reason`)}.`,
  ].join('\n\n');
}

/** The paragraphs about one call. */
function callWords(
  mark: string,
  { withoutLinks = (markdown) => markdown, ...content }: CardContent,
  approval: PermissionApproval,
  asker = '',
): readonly string[] {
  const { description, displayName, category, effect, reason, preview, files = [] } = content;
  return [
    `${mark}**${asQuestion(markdownLine(description, longestDescription))}**${effect === undefined ? '' : ` ${withoutLinks(markdownLine(effect, 400))}`}`,
    `Tool ${inlineCode(oneLine(displayName, 80))}, category ${inlineCode(category)}${asker}. Asked because ${withoutLinks(reason)}.`,
    ...boundTo(approval, files).map(withoutLinks),
    ...(approval.grantable && content.endedBy !== undefined ? [withoutLinks(noWindow(content.endedBy))] : []),
    ...(preview === undefined ? [] : [withoutLinks(preview)]),
    withoutLinks(fenced(reveal(JSON.stringify(content.arguments, null, 2)), 'json')),
  ];
}

/** As a question: "Run `date`?". */
function asQuestion(what: string): string {
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}?`;
}

/** What must not change for the approval to hold, and whether that is all that runs. */
function boundTo({ hash, grantable }: PermissionApproval, files: readonly BoundFile[]): readonly string[] {
  const most = 8;
  const named = files
    .slice(0, most)
    .map(({ path, note }) => `${inlineCode(oneLine(path, 80))} (${escapeMarkdown(oneLine(note, 120))})`);
  const more = files.length > most ? [`${files.length - most} more`] : [];
  const listed = [...named, ...more].join(', ');
  return [
    ...(files.length === 0 ? [] : [`Bound to ${listed}. If that changes before it runs, it does not run.`]),
    ...(isWholeHash(hash)
      ? []
      : [
          `${files.length === 0 ? 'Bound to the command alone: Keyturn cannot tell what it runs' : 'Keyturn cannot tell what else it runs'}. That may change before it runs${grantable ? ', so there is no "Always"' : ''}.`,
        ]),
  ];
}

/** Why no permission for a while is offered. */
function noWindow(source: string): string {
  return `No "15 min": its answer may hold words of others (${inlineCode(oneLine(source, 80))}), and then each call asks again. For a tool whose answers only you can write, the operator can set \`trusted\`.`;
}

/** The time to decide, from when the card is shown. */
function openFor({ createdAt, shownAt = createdAt, expiresAt }: Approval): string {
  return durationWords(expiresAt - shownAt);
}

/** Tells the requester that the card went to somebody else. */
export function forwardedNotice(approval: Approval): string {
  return `🔑 I asked an owner for permission to ${describeApproval(approval)}. I will go on when it is decided.`;
}

/** The line above a card that was passed on. Never the beginning of any other card. */
const passedOnMark = '↪️ ';

/** Where a card is passed on to. */
interface NewPlace {
  readonly reader: Reader;
  /** The place of the request, if it is another one. */
  readonly title: string | undefined;
}

/** The card for somebody who may decide now, made from the one that was shown before. */
export function passedOnCard(approval: Approval, shown: string, { reader, title }: NewPlace): string {
  const card = shown.startsWith(passedOnMark) ? shown.slice(shown.indexOf('\n\n') + 2) : shown;
  const [open, until] = [`Open for ${openFor(approval)}`, `Open until ${clockTime(approval.expiresAt, reader)}`];
  const at = approval.shownAt === undefined ? -1 : card.lastIndexOf(open);
  const current = at === -1 ? card : `${card.slice(0, at)}${until}${card.slice(at + open.length)}`;
  if (title === undefined) return current;
  return `${passedOnMark}Asked in ${nameCode(title)} at ${clockTime(approval.createdAt, reader)}, and now you may decide it.\n\n${current}`;
}

/** The card where nobody may decide any more, once others were asked. */
export function passedOnNotice(approval: Approval): string {
  return `↪️ No longer asked here: ${describeApproval(approval)}. Others decide it.`;
}

/** Tells the conversation that nobody is left who may decide. */
export function unattendedNotice(approval: Approval, reader: Reader): string {
  return `🔑 Nobody is left who may decide this: ${describeApproval(approval)}. It waits for an owner until ${clockTime(approval.expiresAt, reader)}.`;
}

/** Says that nobody can decide. */
export function unreachableNotice(approval: Approval): string {
  return `🔑 I may not ${describeApproval(approval)} without an owner's permission, and I know of no chat in which an owner could give it.`;
}

export function reminderNotice(approval: Approval, reader: Reader): string {
  const until = clockTime(approval.expiresAt, reader);
  if (approval.type === 'question')
    return `❓ I still wait for your answer: ${describeApproval(approval)} Until ${until}.`;
  return `🔑 Still waiting: ${asQuestion(describeApproval(approval))} Until ${until}. Press a button above, or type ${inlineCode(`/approve ${approval.id}`)} or ${inlineCode(`/deny ${approval.id}`)}.`;
}

function requesterWords({ requester, requesterName }: Approval): string {
  return personWords({ principal: requester, name: requesterName });
}

/** A person who decides or answers. */
export interface Person {
  readonly principal: string;
  readonly name: string;
}

/** When something was decided, for those who read of it. */
interface Moment {
  readonly at: number;
  readonly reader: Reader;
}

/** The card after the decision, which is stated on its first line. */
export function decidedCard(approval: Approval, choice: Choice, by: Person, { at, reader }: Moment): string {
  const who = `${personWords(by)} at ${clockTime(at, reader)}`;
  switch (choice.type) {
    case 'once':
      return `✅ Approved by ${who}: ${describeApproval(approval)}`;
    case 'window':
      return `✅ Approved by ${who}, as is every later call of ${inlineCode(approval.toolName)}${windowTargets(approval)} here for a while: ${describeApproval(approval)}`;
    case 'always':
      return `✅ Approved by ${who}, this time and always: ${describeApproval(approval)}`;
    case 'deny':
      return `${callSigns.denied} Denied by ${who}${choice.reason === undefined ? '' : ` (${escapeMarkdown(choice.reason)})`}: ${describeApproval(approval)}`;
  }
}

function windowTargets(approval: Approval): string {
  return approval.type === 'permission' ? targetWords(approval.asked?.targets) : '';
}

export function expiredCard(approval: Approval): string {
  if (approval.type === 'question')
    return `${callSigns.expired} Nobody answered in time: ${describeApproval(approval)}`;
  return `${callSigns.expired} Nobody decided in time: ${describeApproval(approval)}`;
}

export function cancelledCard(approval: Approval): string {
  return `${callSigns.stopped} Called off: ${describeApproval(approval)}`;
}

/** The card of a question whose running call has ended. */
export function uncalledCard(approval: Approval): string {
  return `${callSigns.stopped} Called off, since what asked has ended: ${describeApproval(approval)}`;
}

/**
 * The buttons of a card. `window` is in ms; without it, no permission for a while is offered, and without `grantable` no
 * saved permission at all.
 */
export function cardButtons(approval: PermissionApproval, window: number | undefined): readonly (readonly Button[])[] {
  const button = (verb: Verb, label: string, shortcut: string, style: Button['style']): Button => ({
    actionId: `ap:${approval.id}:${verb}`,
    label,
    shortcut,
    style,
  });
  const { others = [] } = approval.asked ?? {};
  const [all, eachOf] = others.length === 0 ? ['', ''] : [' all', ` all ${others.length + 1}`];
  const approve = button('a', `✅ Approve${eachOf}`, 'y', 'primary');
  const deny = button('d', `❌ Deny${all}`, 'n', 'danger');
  const explain = { ...button('r', 'Deny, and say why', 'r', 'plain'), asks: 'Why not?' };
  if (!approval.grantable) return [[approve, deny], [explain]];
  const minutes = Math.max(1, Math.round((window ?? 0) / 60_000));
  return [
    [approve, deny],
    [
      ...(window === undefined ? [] : [button('w', `${minutes} min${targetLabel(approval)}`, `${minutes}`, 'plain')]),
      ...(isWholeHash(approval.hash) ? [button('s', 'Always', 'a', 'plain')] : []),
      explain,
    ],
  ];
}

/** The targets of a window grant, short enough for a button. */
function targetLabel({ asked }: PermissionApproval): string {
  const [first, ...others] = asked?.targets ?? [];
  if (first === undefined) return '';
  return `: ${oneLine(reveal(first), 30)}${others.length === 0 ? '' : ` +${others.length}`}`;
}

/** The targets of a window grant, as words after the tool's name. */
export function targetWords(targets: readonly string[] | undefined): string {
  if (targets === undefined || targets.length === 0) return '';
  const named = targets.slice(0, 5).map((target) => inlineCode(oneLine(target, 80)));
  return ` with ${named.join(', ')}${targets.length > 5 ? ` and ${targets.length - 5} more` : ''}`;
}

type Verb = 'a' | 'w' | 's' | 'd' | 'r';

/** Parses a card's button and its text. Anybody can forge them. */
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

/** A denial, with the person's reason. */
export function denial(words: string): Choice {
  const reason = words.trim().slice(0, 500).toWellFormed();
  return reason === '' ? { type: 'deny' } : { type: 'deny', reason };
}

/** The tool's own markdown line, forced onto one line. Of several calls, each was shortened before they were joined: all are named. */
export function describeApproval(approval: Approval, maxLength = longestDescription): string {
  const isJoint = approval.type === 'permission' && approval.asked?.others !== undefined;
  return isJoint ? approval.description : markdownLine(approval.description, maxLength);
}

/** The limit of the line, in characters, for several calls together. */
export const longestDescription = 520;

/** The content of an extension card beyond its approval. */
interface ExtensionContent {
  /** The bound it has reached, as a markdown sentence. */
  readonly reason: string;
  /** The place of the request, if the card is shown elsewhere. */
  readonly forwardedFrom?: string;
}

/** The card that asks whether a run may go on. */
export function extensionCard(approval: ExtensionApproval, { reason, forwardedFrom }: ExtensionContent): string {
  const place = forwardedFrom === undefined ? '' : ` in ${nameCode(forwardedFrom)}`;
  const { id } = approval;
  return [
    `⏸️ ${reason} May I **${approval.description}**?`,
    `For ${requesterWords(approval)}${place}. Open for ${openFor(approval)}; then it ends. Or type ${inlineCode(`/approve ${id}`)}, ${inlineCode(`/deny ${id}`)}.${orWrite(approval)}`,
  ].join('\n\n');
}

/** The card after the decision. */
export function decidedExtension(
  { description }: Approval,
  isApproved: boolean,
  by: Person,
  { at, reader }: Moment,
): string {
  const who = `${personWords(by)} at ${clockTime(at, reader)}`;
  return isApproved ? `▶️ ${who} let me ${description}.` : `⏹️ Stopped by ${who}: I did not ${description}.`;
}

/** Posted in the conversation if nobody decided in time. */
export function unansweredExtension({ extension }: ExtensionApproval): string {
  const words = '⏸️ Nobody said whether I should go on, so I have stopped here.';
  return extension.bound === 'turns' ? `${words} Say "go on" if I should continue.` : words;
}

/** The reply to a person who writes while the decision is pending. */
export function waitingWords({ expiresAt }: Approval, reader: Reader): string {
  return `⏳ I have read this, and will answer it when somebody lets me go on: the budget is used up. If nobody does by ${clockTime(expiresAt, reader)}, I drop the current task.`;
}

/** Uses the same action ids as other cards. */
export function extensionButtons({ id }: Approval): readonly (readonly Button[])[] {
  return [
    [
      { actionId: `ap:${id}:a`, label: '▶️ Go on for this run', shortcut: 'y', style: 'primary' },
      { actionId: `ap:${id}:d`, label: '⏹️ Stop', shortcut: 'n', style: 'danger' },
    ],
  ];
}

function orWrite({ extension }: ExtensionApproval): string {
  return extension.bound === 'turns' ? ' Or just write what I should do.' : '';
}

/** The reply to a decision about an approval that is no longer pending. */
export function settledWords(approval: Approval): string {
  switch (approval.state) {
    case 'approved':
      return 'That is already approved.';
    case 'denied':
      return 'That is already denied.';
    case 'answered':
      return 'That is already answered.';
    case 'expired':
      return 'Too late: nobody decided in time, so it did not run.';
    case 'pending':
    case 'cancelled':
      return 'That was called off before.';
  }
}
