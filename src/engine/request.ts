/*
 * Asking people: may this call run, may this run go on, what does the model want to know? Each becomes an approval with
 * its cards, which the caller stores together with whatever waits for it. A card goes where an approver can press: into
 * the conversation, or to the owners, and then the conversation is told. Cards of calls stand in `permission-card.ts`,
 * questions in `questions.ts`.
 */

import type { Approval, Extension, ExtensionApproval } from '../approval/approval.ts';
import { extensionButtons } from '../approval/asking/card-buttons.ts';
import { extensionCard, forwardedNotice } from '../approval/cards.ts';
import type { RuleOffers } from '../approval/rules/rule.ts';
import type { Button } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Reader } from '../lib/time-words.ts';
import { type InLanguage, type Language, languages } from '../lib/words.ts';
import type { Core, RunScope } from './feature.ts';
import type { ApprovalDraft } from './journal.ts';
import type { OutboxDraft } from './message.ts';
import { type CardParts, conversationsToAskIn } from './open-cards.ts';

interface RequestSettings {
  /** How long a card waits, in ms. At half time people are reminded. */
  readonly timeout: number;
  /** The same for a run that asks to go on. */
  readonly extensionTimeout: number;
  /** How long a window grant holds, in ms. */
  readonly window: number;
}

export interface RequestParts extends CardParts, Pick<Core, 'readerIn'> {
  readonly clock: Clock;
  readonly settings: RequestSettings & CardParts['settings'];
  /** What cards may offer beside their own call. */
  readonly ruleOffers?: RuleOffers;
  /** A person's accounts, this one among them. */
  readonly accountsOf: (principal: string) => readonly string[];
  /** Removes secrets from what the model or people will read. */
  readonly redact: (text: string) => string;
}

export interface AskedExtension {
  readonly extension: Extension;
  /** The bound it reached, as a markdown sentence. */
  readonly reason: InLanguage;
  /** What it would do, as markdown after "May I". */
  readonly description: InLanguage;
}

/** Asks whether a run may go on. About turns, the person it serves may decide: they could start another run just as well. */
export async function draftExtension(
  { extension, reason, description }: AskedExtension,
  where: RunScope,
  parts: RequestParts,
): Promise<ApprovalDraft<ExtensionApproval>> {
  const { conversationId } = where.scope;
  const approval: ExtensionApproval = {
    ...newApproval(where, parts.settings.extensionTimeout, parts),
    type: 'extension',
    toolName: 'go on',
    ...describedIn(parts.readerIn(conversationId).language, description),
    extension,
    cardConversationIds:
      extension.bound === 'turns' ? [conversationId] : await conversationsToAskIn(conversationId, parts),
  };
  const isReaders = isHere(approval) && where.scope.kind === 'direct';
  const cards = cardsOf(approval, parts, (reader) => {
    const { language } = reader;
    const from = forwardedFrom(approval, where, language);
    return {
      markdown: extensionCard(approval, reader, { reason: reason(language), forwardedFrom: from, isReaders }),
      buttons: extensionButtons(approval, language),
      elsewhere: `⏸️ ${reason(language)}\n\n${forwardedNotice(approval, language)}`,
    };
  });
  return { approval, cards };
}

/** A description as it is stored: in the language of its conversation, and in others if it differs. */
export function describedIn(own: Language, describe: InLanguage): Pick<Approval, 'description' | 'otherwise'> {
  const description = describe(own);
  const others = languages
    .map((language) => [language, describe(language)] as const)
    .filter(([, words]) => words !== description);
  return { description, otherwise: others.length === 0 ? undefined : Object.fromEntries(others) };
}

/** Makes addresses plain text where links could leak, without a note about it. */
export function plainIn({ withoutLinks }: RunScope): (text: string) => string {
  return (text) => withoutLinks?.(text, '') ?? text;
}

/** What people read of the model's words: no links that could leak, and nothing that looks like a card. */
export function asAnswer(text: string, { withoutLinks }: Pick<RunScope, 'withoutLinks'>): string {
  return unlikeCard(withoutLinks?.(text) ?? text);
}

/** The model's words must not look like a card. */
function unlikeCard(markdown: string): string {
  return markdown.replace(/^([\t\p{Z}\p{Cf}*_~\\]*)(?=🔑|⏸|&#(?:x0*(?:1f511|23f8)|0*(?:128273|9208));)/gimu, '$1💬 ');
}

export function newApproval({ scope, runsIn }: RunScope, timeout: number, { clock }: RequestParts) {
  const now = clock.now();
  return {
    id: newId(8),
    conversationId: scope.conversationId,
    runsIn,
    requester: scope.sender.principal,
    requesterName: scope.sender.name,
    state: 'pending',
    createdAt: now,
    expiresAt: now + timeout,
  } as const;
}

function isHere({ cardConversationIds, conversationId }: Approval): boolean {
  return cardConversationIds.includes(conversationId);
}

function forwardedFrom(approval: Approval, { titleIn }: RunScope, language: Language): string | undefined {
  return isHere(approval) ? undefined : titleIn(language);
}

interface CardWords {
  readonly markdown: string;
  readonly buttons?: readonly (readonly Button[])[] | undefined;
  /** What the conversation is told if the card stands in another conversation. */
  readonly elsewhere?: string;
}

/** A card for each of its conversations, for those who read it there. */
export function cardsOf(
  approval: Approval,
  { readerIn }: Pick<RequestParts, 'readerIn'>,
  wordsFor: (reader: Reader) => CardWords,
): readonly OutboxDraft[] {
  const card = (conversationId: string, { language }: Reader, words: Omit<CardWords, 'elsewhere'>): OutboxDraft => ({
    conversationId,
    message: { id: newId(20), kind: 'card', language, ...words },
  });
  const asking = approval.cardConversationIds.map((id) => {
    const reader = readerIn(id);
    const { markdown, buttons } = wordsFor(reader);
    return card(id, reader, { markdown, buttons });
  });
  if (isHere(approval) || asking.length === 0) return asking;
  const reader = readerIn(approval.conversationId);
  return [...asking, card(approval.conversationId, reader, { markdown: wordsFor(reader).elsewhere ?? '' })];
}
