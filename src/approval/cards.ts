/* What becomes of cards, and what is said about them: passed on, reminded of, decided. What others chose is code or one line. */

import { cardParts, foldedText, instantFor, withDeadline } from '../lib/card-parts.ts';
import { folded } from '../lib/folds.ts';
import { escapeMarkdown, inlineCode, markdownLine, nameCode, oneLine, personWords } from '../lib/plain-text.ts';
import type { Reader } from '../lib/time-words.ts';
import { type Language, languages } from '../lib/words.ts';
import type { Approval, Choice, ExtensionApproval } from './approval.ts';
import { argumentsBlock, longestDescription } from './asking/request-card.ts';
import { beginningOf } from './asking/shown-part.ts';
import { cardWords } from './asking/words.ts';
import { approvalWords } from './words.ts';

/** Tells the requester that the card went to somebody else. */
export function forwardedNotice(approval: Approval, language: Language): string {
  return approvalWords[language].forwarded(describeApproval(approval, language));
}

/** The line above a card that was passed on. Never the beginning of any other card. */
export const passedOnMark = '↪️ ';

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
  const { shownAt, expiresAt, createdAt } = approval;
  const timed = withDeadline(shownAt === undefined ? card : withUntil(approval, card, reader), expiresAt, reader);
  if (title === undefined) return timed;
  const from = words.passedOnFrom({ conversation: nameCode(title), at: createdAt, reader });
  return `${passedOnMark}${from}\n\n${withAsker(approval, timed)}`;
}

/** A card of an older Keyturn tells how long it is open, below all that others wrote. */
function withUntil(approval: Approval, card: string, reader: Reader): string {
  const { shownAt = approval.createdAt, expiresAt } = approval;
  const opens = languages.map((language) => approvalWords[language].openFor(expiresAt - shownAt));
  const at = Math.max(...opens.map((open) => card.lastIndexOf(open)));
  const open = opens.find((one) => card.startsWith(one, at)) ?? '';
  if (at === -1 || cardParts(card).fold !== '') return card;
  const until = approvalWords[reader.language].openUntil({ until: expiresAt, reader });
  return `${card.slice(0, at)}${until}${card.slice(at + open.length)}`;
}

/** Who reads it is not who asked. Why it is asked stands on the second line, where nobody else writes. */
function withAsker(approval: Approval, card: string): string {
  const [first = '', second = '', ...others] = card.split('\n');
  const language = languages.find((one) => second.startsWith(cardWords[one].whoAsked(undefined)));
  if (language === undefined) return card;
  const { whoAsked } = cardWords[language];
  const asker = { person: requesterWords(approval), conversation: undefined };
  return [first, `${whoAsked(asker)}${second.slice(whoAsked(undefined).length)}`, ...others].join('\n');
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
  const what = describeApproval(approval, reader.language);
  const time = instantFor(approval.expiresAt, reader);
  return approval.type === 'question' ? words.stillUnanswered({ what, time }) : words.stillWaiting({ what, time });
}

function requesterWords({ requester, requesterName }: Approval): string {
  return personWords({ principal: requester, name: requesterName });
}

/** A person who decides or answers. */
export interface Person {
  readonly principal: string;
  readonly name: string;
}

/** When something was decided, for those who read of it. `until`: when a permission for a while ends. */
interface Moment {
  readonly at: number;
  readonly until?: number | undefined;
  readonly reader: Reader;
}

/** The card after the decision: one line, to which the outcome is added. */
export function decidedCard(
  approval: Approval,
  choice: Choice,
  by: Person,
  { at, until = at, reader }: Moment,
): string {
  const { language } = reader;
  const words = approvalWords[language];
  const what = describeApproval(approval, language);
  const decided = { person: shortName(by), what, time: instantFor(at, reader) };
  switch (choice.type) {
    case 'once':
      return words.approved(decided);
    case 'window': {
      const end = instantFor(until, reader);
      return words.approvedForAWhile({ ...decided, until: end, tool: toolAndTargets(approval, language) });
    }
    case 'always':
      return words.approvedForGood(decided);
    case 'deny': {
      const reason = choice.reason === undefined ? undefined : escapeMarkdown(choice.reason);
      return words.denied({ ...decided, reason });
    }
  }
}

/** The name of somebody who may decide. It is code if it could be read as something else. */
function shortName({ principal, name }: Person): string {
  const shown = oneLine(name, 40);
  if (shown === '') return inlineCode(oneLine(principal, 100));
  return /^[\p{L}\p{N}\p{M} ’-]+$/u.test(shown) ? shown : inlineCode(shown);
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

/** A tool with the targets of a window grant. */
export function targetWords(toolName: string, targets: readonly string[] | undefined, language: Language): string {
  const tool = inlineCode(toolName);
  if (targets === undefined || targets.length === 0) return tool;
  const named = targets.slice(0, 5).map((target) => inlineCode(oneLine(target, 80)));
  return approvalWords[language].targets({ tool, targets: named, more: targets.length - named.length });
}

/** What will happen, in one line of markdown. Of several calls, each was shortened before they were joined: all are named. */
export function describeApproval(approval: Approval, language: Language, maxLength = longestDescription): string {
  const description = approval.otherwise?.[language] ?? approval.description;
  const isJoint = approval.type === 'permission' && approval.asked?.others !== undefined;
  return isJoint ? description : markdownLine(description, maxLength);
}

/** How the approved card of one call ends: what was asked for. What was done takes its place. */
export function endOfApproved(
  { description, otherwise }: Pick<Approval, 'description' | 'otherwise'>,
  language: Language,
): string {
  const said = markdownLine(otherwise?.[language] ?? description, longestDescription);
  return approvalWords[language].aboutCall(said);
}

/** The content of an extension card beyond its approval. */
interface ExtensionContent {
  /** The bound it has reached, as a markdown sentence. */
  readonly reason: string;
  /** The name of the conversation that asks, if the card is shown elsewhere. */
  readonly forwardedFrom?: string;
  readonly isReaders: boolean;
}

/** The card that asks whether a run may go on. `isReaders`: the run is the reader's own. */
export function extensionCard(
  approval: ExtensionApproval,
  reader: Reader,
  { reason, forwardedFrom, isReaders }: ExtensionContent,
): string {
  const { language } = reader;
  const words = approvalWords[language];
  const { id, extension, expiresAt } = approval;
  const conversation = forwardedFrom === undefined ? undefined : nameCode(forwardedFrom);
  const asker = cardWords[language].askedFor({ person: requesterWords(approval), conversation });
  const canWrite = extension.bound === 'turns';
  return [
    [
      words.mayI({ reason, what: approval.otherwise?.[language] ?? approval.description }),
      ...(isReaders ? [] : [asker]),
    ].join('\n'),
    words.mayIUntil({ time: instantFor(expiresAt, reader), canWrite }),
    folded(cardWords[language].everything, [asker, cardWords[language].typed(id)].join('\n\n')),
  ].join('\n\n');
}

/** The card after the decision. */
export function decidedExtension(approval: Approval, isApproved: boolean, by: Person, { at, reader }: Moment): string {
  const words = approvalWords[reader.language];
  const what = approval.otherwise?.[reader.language] ?? approval.description;
  const decided = { person: shortName(by), what, time: instantFor(at, reader) };
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

/** The reply to a decision about an approval that is no longer pending. */
export function settledWords({ state }: Approval, language: Language): string {
  return approvalWords[language].toastSettled(state);
}

/** What a press shows of a card, in characters. */
const longestDetails = 3500;

/**
 * What a card folds, for the person who wants to see it. `card`: as it asks; undefined if it no longer does: then all that
 * is stored of what was asked.
 */
export function detailsOf(approval: Approval, card: string | undefined, language: Language): string {
  const words = cardWords[language];
  const details =
    (card === undefined ? undefined : foldedText(cardParts(card).fold)) ?? storedDetails(approval, language);
  if (details === undefined) return words.noDetails;
  const { markdown, more } = beginningOf(details, { lines: Number.POSITIVE_INFINITY, characters: longestDetails });
  return more === undefined ? markdown : `${markdown}\n\n${words.detailsCut}`;
}

function storedDetails(approval: Approval, language: Language): string | undefined {
  if (approval.type !== 'permission' || approval.asked === undefined) return undefined;
  const { category, reason, arguments: args } = approval.asked;
  const tool = inlineCode(oneLine(approval.toolName, 80));
  const asker = { person: requesterWords(approval), conversation: undefined };
  const facts = cardWords[language].facts({ tool, category: inlineCode(category), reason, asker });
  return [facts, argumentsBlock(args)].join('\n\n');
}
