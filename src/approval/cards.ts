/* The cards: requests for a permission or an extension, and their outcomes. Parses their buttons, too. What others chose is code or one line. */

import type { Button } from '../contract.ts';
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
import type { Reader } from '../lib/time-words.ts';
import { type Language, languages, type Words, wordsIn } from '../lib/words.ts';
import { sourceIn } from '../tools/taint-sources.ts';
import type { BoundFile, ToolCategory } from '../tools/tool.ts';
import type { Approval, Choice, ExtensionApproval, PermissionApproval } from './approval.ts';
import { isWholeHash, windowMinutes } from './verdict.ts';
import { approvalWords } from './words.ts';

/** A card's content beyond its approval, in the language of the card. */
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
  /** The name of the conversation that asks, if the card is shown elsewhere. */
  readonly forwardedFrom?: string;
  /** Turns addresses in markdown into plain text, where links are not allowed. */
  readonly withoutLinks?: (markdown: string) => string;
}

/** The card that asks for one or several calls, with all arguments in full and hidden characters revealed. */
export function requestCard(
  approval: PermissionApproval,
  language: Language,
  content: CardContent,
  ...others: CardContent[]
): string {
  const words = approvalWords[language];
  const { id } = approval;
  const { forwardedFrom } = content;
  const asker = {
    person: requesterWords(approval),
    conversation: forwardedFrom === undefined ? undefined : nameCode(forwardedFrom),
  };
  const asked =
    others.length === 0
      ? callParagraphs('🔑 ', content, { approval, language, asker })
      : [
          words.joint({ count: others.length + 1, ...asker }),
          ...[content, ...others].flatMap((one, index) =>
            callParagraphs(`(${index + 1}) `, one, { approval, language }),
          ),
        ];
  return [...asked, words.howToDecide({ open: openFor(approval, language), id })].join('\n\n');
}

interface CallOnCard {
  readonly approval: PermissionApproval;
  readonly language: Language;
  readonly asker?: { readonly person: string; readonly conversation: string | undefined };
}

/** The paragraphs about one call. */
function callParagraphs(
  mark: string,
  { withoutLinks = (markdown) => markdown, ...content }: CardContent,
  { approval, language, asker }: CallOnCard,
): readonly string[] {
  const words = approvalWords[language];
  const { description, displayName, category, effect, reason, preview, files = [] } = content;
  const facts = {
    tool: inlineCode(oneLine(displayName, 80)),
    category: inlineCode(category),
    reason: withoutLinks(reason),
    asker,
  };
  const { grantable } = approval;
  return [
    `${mark}**${words.question(markdownLine(description, longestDescription))}**${effect === undefined || effect === '' ? '' : ` ${withoutLinks(markdownLine(effect, 400))}`}`,
    words.facts(facts),
    ...boundTo(approval, files, language).map(withoutLinks),
    ...(grantable && content.endedBy !== undefined
      ? [withoutLinks(words.noWindow(inlineCode(oneLine(sourceIn(language, content.endedBy), 80))))]
      : []),
    ...(preview === undefined ? [] : [withoutLinks(preview)]),
    withoutLinks(fenced(reveal(JSON.stringify(content.arguments, null, 2)), 'json')),
  ];
}

/** What must not change for the approval to hold, and whether that is all that runs. */
function boundTo(
  { hash, grantable: isGrantable }: PermissionApproval,
  files: readonly BoundFile[],
  language: Language,
): readonly string[] {
  const words = approvalWords[language];
  const told = (note: Words): string => escapeMarkdown(oneLine(wordsIn(language, note), 120));
  const named = files.slice(0, 8).map(({ path, note }) => {
    return words.boundFile({ path: inlineCode(oneLine(path, 80)), note: told(note) });
  });
  const bound = files.length === 0 ? [] : [words.bound({ files: named, more: files.length - named.length })];
  if (isWholeHash(hash)) return bound;
  return [...bound, files.length === 0 ? words.boundToNothing({ isGrantable }) : words.runsMore({ isGrantable })];
}

/** The time to decide, from when the card is shown. */
function openFor(approval: Approval, language: Language): string {
  return approvalWords[language].openFor(timeToDecide(approval));
}

function timeToDecide({ createdAt, shownAt = createdAt, expiresAt }: Approval): number {
  return expiresAt - shownAt;
}

/** Tells the requester that the card went to somebody else. */
export function forwardedNotice(approval: Approval, language: Language): string {
  return approvalWords[language].forwarded(describeApproval(approval, language));
}

/** The line above a card that was passed on. Never the beginning of any other card. */
const passedOnMark = '↪️ ';

/** Where a card is passed on to. */
interface PassedTo {
  readonly reader: Reader;
  /** The name of the conversation that asks, if it is another one. */
  readonly title: string | undefined;
}

/** The card for somebody who may decide now, made from the one that was shown before. */
export function passedOnCard(approval: Approval, shown: string, { reader, title }: PassedTo): string {
  const words = approvalWords[reader.language];
  const card = shown.startsWith(passedOnMark) ? shown.slice(shown.indexOf('\n\n') + 2) : shown;
  const until = words.openUntil({ until: approval.expiresAt, reader });
  // In the language that it was shown in, and below all that others wrote.
  const opens = languages.map((language) => openFor(approval, language));
  const at = approval.shownAt === undefined ? -1 : Math.max(...opens.map((open) => card.lastIndexOf(open)));
  const open = opens.find((one) => card.startsWith(one, at)) ?? '';
  const current = at === -1 ? card : `${card.slice(0, at)}${until}${card.slice(at + open.length)}`;
  if (title === undefined) return current;
  return `${passedOnMark}${words.passedOnFrom({ conversation: nameCode(title), at: approval.createdAt, reader })}\n\n${current}`;
}

/** The card where nobody may decide any more, once others were asked. */
export function passedOnNotice(approval: Approval, language: Language): string {
  return approvalWords[language].passedOn(describeApproval(approval, language));
}

/** Stands for an earlier card of a chat in which it is asked again. */
export function askedAgainNotice(approval: Approval, language: Language): string {
  return approvalWords[language].askedAgain(describeApproval(approval, language));
}

/** Tells the conversation that nobody is left who may decide. */
export function unattendedNotice(approval: Approval, reader: Reader): string {
  const what = describeApproval(approval, reader.language);
  return approvalWords[reader.language].unattended({ what, until: approval.expiresAt, reader });
}

/** Says that nobody can decide. */
export function unreachableNotice(approval: Approval, language: Language): string {
  return approvalWords[language].unreachable(describeApproval(approval, language));
}

export function reminderNotice(approval: Approval, reader: Reader): string {
  const words = approvalWords[reader.language];
  const { id, expiresAt: until } = approval;
  const what = describeApproval(approval, reader.language);
  if (approval.type === 'question') return words.stillUnanswered({ what, until, reader });
  return words.stillWaiting({ what: words.question(what), until, reader, id });
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
  const { language } = reader;
  const words = approvalWords[language];
  const decided = { person: personWords(by), what: describeApproval(approval, language), at, reader };
  switch (choice.type) {
    case 'once':
      return words.approved(decided);
    case 'window':
      return words.approvedForAWhile({ ...decided, tool: toolAndTargets(approval, language) });
    case 'always':
      return words.approvedForGood(decided);
    case 'deny': {
      const reason = choice.reason === undefined ? undefined : escapeMarkdown(choice.reason);
      return words.denied({ ...decided, reason });
    }
  }
}

function toolAndTargets(approval: Approval, language: Language): string {
  const targets = approval.type === 'permission' ? approval.asked?.targets : undefined;
  return targetWords(approval.toolName, targets, language);
}

export function expiredCard(approval: Approval, language: Language): string {
  const words = approvalWords[language];
  const what = describeApproval(approval, language);
  return approval.type === 'question' ? words.unanswered(what) : words.expired(what);
}

export function cancelledCard(approval: Approval, language: Language): string {
  return approvalWords[language].cancelled(describeApproval(approval, language));
}

/** The card of a question whose running call has ended. */
export function uncalledCard(approval: Approval, language: Language): string {
  return approvalWords[language].uncalled(describeApproval(approval, language));
}

/** Who reads the buttons, and how long a permission for a while holds, in ms. */
interface ButtonsFor {
  readonly language: Language;
  readonly window: number | undefined;
}

/**
 * The buttons of a card. Without `window`, no permission for a while is offered, and without `grantable` no saved
 * permission at all.
 */
export function cardButtons(
  approval: PermissionApproval,
  { language, window }: ButtonsFor,
): readonly (readonly Button[])[] {
  const words = approvalWords[language];
  const button = (verb: Verb, label: string, shortcut: string, style: Button['style']): Button => ({
    actionId: `ap:${approval.id}:${verb}`,
    label,
    shortcut,
    style,
  });
  const count = (approval.asked?.others ?? []).length + 1;
  const approve = button('a', count === 1 ? words.buttonApprove : words.buttonApproveAll(count), 'y', 'primary');
  const deny = button('d', count === 1 ? words.buttonDeny : words.buttonDenyAll, 'n', 'danger');
  const explain = { ...button('r', words.buttonExplain, 'r', 'plain'), asks: words.headingWhyNot };
  if (!approval.grantable) return [[approve, deny], [explain]];
  const minutes = windowMinutes(window ?? 0);
  const [target, ...more] = approval.asked?.targets ?? [];
  const forAWhile = words.buttonWindow({ minutes, target, more: more.length });
  return [
    [approve, deny],
    [
      ...(window === undefined ? [] : [button('w', forAWhile, `${minutes}`, 'plain')]),
      ...(isWholeHash(approval.hash) ? [button('s', words.buttonAlways, 'a', 'plain')] : []),
      explain,
    ],
  ];
}

/** The buttons of a card that was shown before, for readers of this language. */
export function buttonsIn(
  approval: Approval,
  shown: readonly (readonly Button[])[],
  language: Language,
): readonly (readonly Button[])[] {
  switch (approval.type) {
    case 'permission': {
      const forAWhile = shown.flat().find(({ actionId }) => actionId.endsWith(':w'));
      const window = forAWhile === undefined ? undefined : Number(forAWhile.shortcut) * 60_000;
      return cardButtons(approval, { language, window });
    }
    case 'extension':
      return extensionButtons(approval, language);
    case 'question':
      return shown;
  }
}

/** A tool with the targets of a window grant. */
export function targetWords(toolName: string, targets: readonly string[] | undefined, language: Language): string {
  const tool = inlineCode(toolName);
  if (targets === undefined || targets.length === 0) return tool;
  const named = targets.slice(0, 5).map((target) => inlineCode(oneLine(target, 80)));
  return approvalWords[language].targets({ tool, targets: named, more: targets.length - named.length });
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

/** What will happen, in one line of markdown. Of several calls, each was shortened before they were joined: all are named. */
export function describeApproval(approval: Approval, language: Language, maxLength = longestDescription): string {
  const description = approval.otherwise?.[language] ?? approval.description;
  const isJoint = approval.type === 'permission' && approval.asked?.others !== undefined;
  return isJoint ? description : markdownLine(description, maxLength);
}

/** The limit of the line, in characters, for several calls together. */
export const longestDescription = 520;

/** The content of an extension card beyond its approval. */
interface ExtensionContent {
  /** The bound it has reached, as a markdown sentence. */
  readonly reason: string;
  /** The name of the conversation that asks, if the card is shown elsewhere. */
  readonly forwardedFrom?: string;
}

/** The card that asks whether a run may go on. */
export function extensionCard(
  approval: ExtensionApproval,
  language: Language,
  { reason, forwardedFrom }: ExtensionContent,
): string {
  const words = approvalWords[language];
  const { id, extension } = approval;
  const person = requesterWords(approval);
  const conversation = forwardedFrom === undefined ? undefined : nameCode(forwardedFrom);
  const duration = timeToDecide(approval);
  return [
    words.mayI({ reason, what: approval.otherwise?.[language] ?? approval.description }),
    words.mayIHow({ person, conversation, duration, id, canWrite: extension.bound === 'turns' }),
  ].join('\n\n');
}

/** The card after the decision. */
export function decidedExtension(approval: Approval, isApproved: boolean, by: Person, { at, reader }: Moment): string {
  const words = approvalWords[reader.language];
  const what = approval.otherwise?.[reader.language] ?? approval.description;
  const decided = { person: personWords(by), what, at, reader };
  return isApproved ? words.letGoOn(decided) : words.heldBack(decided);
}

/** Posted in the conversation if nobody decided in time. */
export function unansweredExtension({ extension }: ExtensionApproval, language: Language): string {
  return approvalWords[language].nobodySaid({ canGoOn: extension.bound === 'turns' });
}

/** The reply to a person who writes while the decision is pending. */
export function waitingWords({ expiresAt: until }: Approval, reader: Reader): string {
  return approvalWords[reader.language].waitsForBudget({ until, reader });
}

/** Uses the same action ids as other cards. */
export function extensionButtons({ id }: Approval, language: Language): readonly (readonly Button[])[] {
  const { buttonGoOn, buttonStop } = approvalWords[language];
  return [
    [
      { actionId: `ap:${id}:a`, label: buttonGoOn, shortcut: 'y', style: 'primary' },
      { actionId: `ap:${id}:d`, label: buttonStop, shortcut: 'n', style: 'danger' },
    ],
  ];
}

/** The reply to a decision about an approval that is no longer pending. */
export function settledWords({ state }: Approval, language: Language): string {
  return approvalWords[language].toastSettled(state);
}
