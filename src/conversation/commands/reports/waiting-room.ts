/*
 * The waiting room: open cards, messages that were not delivered, what features add (schedules, reviews …), and saved
 * permissions. Each person sees only what `/status` may tell them there. `/status` and pages of channels show the same.
 */

import type { Approval } from '../../../approval/approval.ts';
import { askedAgainNotice, describeApproval } from '../../../approval/cards.ts';
import type { RoomEntry } from '../../../contract.ts';
import type { Origin } from '../../../engine/message.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { clockTime, type Reader } from '../../../lib/time-words.ts';
import { actingButton, addingButton, type ListAnswer } from '../../../words/command-buttons.ts';
import { stubWords } from '../../../words/words.ts';
import type { GivenCommand } from '../given-command.ts';
import { numbered, type Page, pageOf } from '../pages.ts';
import { grantWords } from './grants.ts';
import type { ReportParts, UndeliveredMessage } from './report-parts.ts';
import type { WaitingMatter } from './waiting-matter.ts';
import { listWords, statusWords } from './words.ts';

/** What waits for the person in this conversation, the most urgent first. */
export async function waitingMatters(origin: Origin, parts: ReportParts): Promise<readonly WaitingMatter[]> {
  const reader = parts.readers.forAnswer(origin);
  return [
    ...(await cardMatters(origin, reader, parts)),
    ...(await undeliveredMatters(origin, reader, parts)),
    ...(await strangerMatters(origin, reader, parts)),
    ...(await parts.waiting(origin)),
    ...(await grantMatters(origin, reader, parts)),
  ];
}

/** What `/retry` and `/drop` are about, where no message is named. */
export async function undeliveredList(origin: Origin, verb: string, parts: ReportParts): Promise<ListAnswer> {
  const reader = parts.readers.forAnswer(origin);
  const { language } = reader;
  const matters = (await undeliveredMatters(origin, reader, parts)).filter(({ buttons }) => buttons.length > 0);
  if (matters.length === 0) return { markdown: statusWords[language].nothingUndelivered, again: verb, rows: [] };
  const page = pageOf(matters, 1, 8);
  return {
    markdown: page.entries.map(([number, { markdown }]) => numbered(number, markdown)).join('\n'),
    again: verb,
    rows: matterRows(page),
  };
}

/** Two matters in a row, each button with the number of its matter. */
export function matterRows({ entries }: Pick<Page<WaitingMatter>, 'entries'>): ListAnswer['rows'] {
  const buttons = entries.map(([number, matter]) =>
    matter.buttons.map(({ how, button }) => ({ how, button: { ...button, label: `${button.label} ${number}` } })),
  );
  const withButtons = buttons.filter((own) => own.length > 0);
  return Array.from({ length: Math.ceil(withButtons.length / 2) }, (_, row) =>
    withButtons.slice(2 * row, 2 * row + 2).flat(),
  );
}

/** The same for a page of a channel. */
export async function roomEntries(origin: Origin, parts: ReportParts): Promise<readonly RoomEntry[]> {
  const matters = await waitingMatters(origin, parts);
  return matters.map(({ id, markdown, buttons }) => ({ id, markdown, buttons: buttons.map(({ button }) => button) }));
}

/** What waits for a decision here and, for approvers, elsewhere. */
async function cardMatters(
  { conversation, conversationId, principal }: Origin,
  reader: Reader,
  parts: ReportParts,
): Promise<readonly WaitingMatter[]> {
  const pending = await parts.approvals.pending();
  const isHere = (one: Approval): boolean => [one.conversationId, ...one.cardConversationIds].includes(conversationId);
  const here = pending.filter(isHere);
  // In a group, others would read of it.
  const mayKnow = parts.isApprover(principal) && conversation.kind === 'direct';
  const elsewhere = pending.filter((one) => mayKnow && one.type !== 'question' && !isHere(one));
  return [...here, ...elsewhere].map((approval) => {
    const { id, shownAt, expiresAt, cardConversationIds } = approval;
    const isShownHere = cardConversationIds.includes(conversationId);
    const words = statusWords[reader.language];
    return {
      id: `card:${id}`,
      markdown: words.waitingLine({
        what: describeApproval(approval, reader.language, 200),
        until: shownAt === undefined ? undefined : clockTime(expiresAt, reader),
        conversationIds: isHere(approval) ? undefined : cardConversationIds.map((place) => inlineCode(place)),
      }),
      buttons: isShownHere || mayKnow ? [actingButton(words.buttonShow, `status ${id}`)] : [],
    };
  });
}

/** Messages that were not delivered: those of this conversation and, for owners, of all. */
export async function undeliveredMatters(
  { conversationId, principal }: Origin,
  reader: Reader,
  parts: ReportParts,
): Promise<readonly WaitingMatter[]> {
  const forOwner = parts.owners.isOwner(principal);
  const undelivered = await parts.outbox.undeliveredMessages();
  return undelivered
    .filter((one) => forOwner || one.conversationId === conversationId)
    .map((one, index) => undeliveredMatter(one, { index, reader, running: parts.adapters }));
}

interface Undelivered {
  readonly index: number;
  readonly reader: Reader;
  readonly running: ReportParts['adapters'];
}

function undeliveredMatter(
  { stubId, kind, conversationId, channel, at, reason, fate }: UndeliveredMessage,
  { index, reader, running }: Undelivered,
): WaitingMatter {
  const { buttonRetry, buttonDrop, kind: kindWords } = stubWords[reader.language];
  return {
    id: `undelivered:${stubId ?? index}`,
    markdown: statusWords[reader.language].undeliveredLine({
      what: kindWords(kind),
      time: clockTime(at, reader),
      conversationId: inlineCode(conversationId),
      fate: fate === 'retried' && !running.has(channel) ? 'off' : fate,
      channel,
      reason: reason === '' ? undefined : escapeMarkdown(oneLine(reason, 200)),
    }),
    buttons:
      stubId === undefined
        ? []
        : [actingButton(buttonRetry, `retry ${stubId}`), actingButton(buttonDrop, `drop ${stubId}`)],
  };
}

/** People who ask to be let in: for owners. */
async function strangerMatters(
  { conversation, principal }: Origin,
  { language }: Reader,
  parts: ReportParts,
): Promise<readonly WaitingMatter[]> {
  if (!parts.owners.isOwner(principal)) return [];
  const count = (await parts.people.codeHolders(parts.clock.now())).length;
  if (count === 0) return [];
  const words = statusWords[language];
  const buttons = conversation.kind === 'direct' ? [addingButton(words.buttonShow, 'people')] : [];
  return [{ id: 'strangers', markdown: words.strangersAsk({ count }), buttons }];
}

/** The saved permissions of the conversation, with a button for those that the person may revoke. */
export async function grantMatters(
  { conversationId, principal }: Origin,
  reader: Reader,
  { inbox, clock, isApprover, revoking }: ReportParts,
): Promise<readonly WaitingMatter[]> {
  const words = listWords[reader.language];
  const grants = (await inbox.grantsHere(conversationId, clock.now())).filter(({ id }) => !revoking.has(id));
  return grants.map((grant) => ({
    id: `grant:${grant.id}`,
    markdown: words.allowed({ grant: grantWords(grant, isApprover, reader) }),
    buttons:
      grant.requester === principal || isApprover(principal)
        ? [actingButton(words.buttonRevokeOne, `revoke ${grant.id}`)]
        : [],
  }));
}

/** Puts an open card at the bottom of its chat again: `/status ID`. */
export async function showAgain(id: string, given: GivenCommand, parts: ReportParts): Promise<void> {
  const { origin, reader, answer, obey } = given;
  const words = statusWords[reader.language];
  const approval = (await parts.approvals.pending()).find((one) => one.id === id.toLowerCase());
  const mayKnow = parts.isApprover(origin.principal) && origin.conversation.kind === 'direct';
  const isHere = approval?.cardConversationIds.includes(origin.conversationId) === true;
  const isQuestion = approval?.type === 'question';
  if (approval === undefined || (!isHere && (!mayKnow || isQuestion))) return answer(words.noSuchCard);
  const places = isHere ? [origin.conversationId] : approval.cardConversationIds;
  await parts.readers.prepare(places);
  const ended = (conversationId: string): string =>
    askedAgainNotice(approval, parts.readers.forConversation(conversationId).language);
  await obey(parts.effects.showCard({ approvalId: approval.id, conversationIds: places, ended }), (count) => {
    if (count === 0) return words.notShownYet;
    // An answer would stand below it.
    if (isHere && !given.isAside) return '';
    return isHere ? words.shownAgain : words.shownAgainIn({ places: places.map((place) => inlineCode(place)) });
  });
}
