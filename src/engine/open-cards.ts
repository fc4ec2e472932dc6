/*
 * Where cards stand. A card stands where somebody can decide it: in its conversation, or in the chats of the approvers.
 * It follows them: when people, rights or chats change, an open card is offered where somebody can press now, and ends
 * where nobody can. With no approver left it waits for one until it expires. All follows from what is stored, so that
 * the next process finishes what a killed one has begun.
 */

import type { Approval } from '../approval/approval.ts';
import { buttonsIn } from '../approval/asking/card-buttons.ts';
import {
  askedAgainNotice,
  forwardedNotice,
  passedOnCard,
  passedOnNotice,
  unattendedNotice,
} from '../approval/cards.ts';
import type { Button, Conversation } from '../contract.ts';
import { newId } from '../lib/ids.ts';
import type { Language } from '../lib/words.ts';
import type { Core } from './feature.ts';
import type { ApprovalStore } from './journal.ts';
import { type Origin, type OutboxDraft, quietNoticeIn } from './message.ts';

export interface CardParts extends Pick<Core, 'prepareReaders'> {
  readonly store: ApprovalStore & CardStore;
  /** The current approvers, from config and claims. */
  readonly approvers: () => readonly string[];
  /** `forwardTo`: where cards go if no approver is in the conversation. Empty: the owners' own chats. */
  readonly settings: { readonly forwardTo: readonly string[] };
  /** Whether the conversation's channel is running, or will be. */
  readonly isReachable: (conversation: Conversation) => boolean;
  /** Whether its people open it when they like: a card that stands there waits for them, though its channel does not run. */
  readonly isOpenedLater: (conversation: Conversation) => boolean;
}

/** A card with buttons. */
export interface AskingCard {
  readonly conversationId: string;
  readonly markdown: string;
  readonly language: Language;
  readonly buttons: readonly (readonly Button[])[];
  /** Its chat has refused it, or takes nothing any more. */
  readonly isRefused: boolean;
  readonly wasShown: boolean;
}

/** A pending approval is asked in other conversations from now on. */
export interface CardOffer {
  readonly approvalId: string;
  /** All that its cards stand in. Empty if nobody can decide it. */
  readonly conversationIds: readonly string[];
  readonly cards: readonly OutboxDraft[];
  /** The cards that end, with their last words. `isForgotten`: the outcome is not shown there. */
  readonly ended: readonly {
    readonly conversationId: string;
    readonly markdown: string;
    readonly isForgotten: boolean;
  }[];
  /** Tells the conversation that nobody is left. The time to decide begins, if it has not. */
  readonly notice?: OutboxDraft;
  readonly at: number;
}

/** The stored cards. Each method is one transaction. */
export interface CardStore {
  /** The cards of the approval that have buttons, the oldest first. */
  cards(approvalId: string): Promise<readonly AskingCard[]>;
  /** Moves the cards. False, and nothing changes, if the approval is no longer pending. */
  offer(offer: CardOffer): Promise<boolean>;
  /** Notes that the conversation, or the whole chat of a person, takes no open card any more. Returns how many it had. */
  refuseCards(conversationId: string, reason: string): Promise<number>;
}

/** Conversations where an approver can press, without those that refuse the card. Empty if there are none. */
export async function conversationsToAskIn(
  conversationId: string,
  parts: CardParts,
  refusing: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  const { store, approvers, settings, isReachable, prepareReaders } = parts;
  if (!refusing.has(conversationId) && (await hasApprover(conversationId, parts))) return [conversationId];
  const forwardTo = settings.forwardTo.length > 0 ? settings.forwardTo : await store.directConversations(approvers());
  const known = await store.conversations(forwardTo.filter((id) => !refusing.has(id)));
  const places = known.filter(({ conversation }) => isReachable(conversation)).map(({ id }) => id);
  await prepareReaders([conversationId, ...places]);
  return places;
}

/** Whether an approver has spoken there. */
async function hasApprover(conversationId: string, { store, approvers }: CardParts): Promise<boolean> {
  const known = approvers();
  return (await store.participants(conversationId)).some((principal) => known.includes(principal));
}

/** The chats of approvers that are remembered as heard. */
const mostHeard = 1000;
/** A card is shown long before this, in ms, after it was written. */
const storedWithin = 60_000;

/** Keeps open cards where somebody can decide them. Calls `begun` when the time of an approval has begun. */
export class OpenCards {
  readonly #core: Core;
  readonly #parts: CardParts;
  readonly #begun: (approvalId: string) => Promise<void>;
  /** Conversations in which an approver was heard since a chat refused something. */
  readonly #heardIn = new Set<string>();
  #looking = Promise.resolve();
  /** When people, rights or chats last changed. */
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(core: Core, parts: CardParts, begun: (approvalId: string) => Promise<void>) {
    this.#core = core;
    this.#parts = parts;
    this.#begun = begun;
  }

  /** Looks after all open cards. Resolves with those that nobody has seen and nobody will. */
  follow(): Promise<readonly Approval[]> {
    return this.#inTurn(() => this.#offerAll());
  }

  /** Follows in the background. `back`: this chat takes messages again. */
  followSoon(back?: string): void {
    this.#inBackground(() => this.#offerAll(back));
  }

  /** Somebody was heard: an approver may have a chat now, or one that takes messages again. */
  heard({ principal, conversationId }: Pick<Origin, 'principal' | 'conversationId'>): void {
    if (this.#heardIn.has(conversationId) || !this.#parts.approvers().includes(principal)) return;
    if (this.#heardIn.size >= mostHeard) this.#heardIn.clear();
    this.#heardIn.add(conversationId);
    this.followSoon(conversationId);
  }

  /** A chat takes nothing any more: its open cards are offered elsewhere, in the background. */
  chatRefuses(conversationId: string, reason: string): void {
    this.#heardIn.clear();
    this.#inBackground(async () => {
      if ((await this.#parts.store.refuseCards(conversationId, reason)) > 0) await this.#offerAll();
    });
  }

  /** A chat has refused this card: it is offered elsewhere. Resolves with whether somebody may still see it. */
  async refused(approvalId: string): Promise<boolean> {
    this.#heardIn.clear();
    return this.#inTurn(async () => (await this.#offerNow(approvalId)) !== 'lost');
  }

  /** A card is shown. If it was written before the last change and stored after it, it follows now. */
  async shown(approvalId: string): Promise<void> {
    if (this.#core.clock.now() - this.#changedAt > storedWithin) return;
    const approval = await this.#parts.store.find(approvalId);
    if (approval !== undefined && approval.createdAt <= this.#changedAt)
      await this.#inTurn(() => this.#offerNow(approvalId));
  }

  /** Resolves when no look is in progress. */
  async settled(): Promise<void> {
    return this.#looking;
  }

  /** One look at a time: two would offer the same card twice. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#looking.then(work);
    this.#looking = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  async #offerAll(back?: string): Promise<readonly Approval[]> {
    this.#changedAt = this.#core.clock.now();
    const lost: Approval[] = [];
    for (const approval of await this.#parts.store.pending()) {
      const outcome = await offerCard(approval, this.#core, { ...this.#parts, back });
      if (outcome === 'lost') lost.push(approval);
      if (outcome === 'unattended') await this.#begun(approval.id);
    }
    return lost;
  }

  /** Reads it in its turn: an earlier look may have moved its cards. */
  async #offerNow(approvalId: string): Promise<Offered> {
    const approval = await this.#parts.store.find(approvalId);
    return approval?.state === 'pending' ? offerCard(approval, this.#core, this.#parts) : 'stands';
  }

  #inBackground(work: () => Promise<unknown>): void {
    void this.#inTurn(work).catch((err: unknown) =>
      this.#core.log.error({ err }, 'open cards could not follow those who may decide; the next change tries again'),
    );
  }
}

/** `unattended`: nobody can decide, and the conversation was told · `lost`: nobody has seen it, and nobody will. */
type Offered = 'stands' | 'unattended' | 'lost';

/** Puts the cards of one approval where somebody can decide it. */
async function offerCard(
  approval: Approval,
  { clock, log, deliver, readerIn }: Core,
  parts: Looking,
): Promise<Offered> {
  const { store } = parts;
  const cards = await store.cards(approval.id);
  const isSeen = cards.some(({ isRefused, wasShown }) => wasShown || !isRefused);
  const [source] = cards;
  if (!mayMove(approval) || source === undefined) return isSeen ? 'stands' : 'lost';
  const to = await conversationsNow(approval, cards, parts);
  if (to.length === 0 && !isSeen) return 'lost';
  if (isSame(to, approval.cardConversationIds)) return 'stands';

  const [asking] = await store.conversations([approval.conversationId]);
  await parts.prepareReaders([approval.conversationId, ...cards.map(({ conversationId }) => conversationId)]);
  const title = asking?.conversation.title ?? approval.conversationId;
  const isMoved = await store.offer(offerOf(approval, { cards, source, to, title, readerIn, at: clock.now() }));
  if (!isMoved) return 'stands';
  log.info(
    { approval: approval.id, from: approval.cardConversationIds, to },
    'an open card follows those who may decide it',
  );
  deliver([...approval.cardConversationIds, ...to, approval.conversationId]);
  return to.length === 0 ? 'unattended' : 'stands';
}

/** A question stays with the person it was put to, and so does a run that asks its person for more turns. */
function mayMove(approval: Approval): boolean {
  switch (approval.type) {
    case 'permission':
      return true;
    case 'question':
      return false;
    case 'extension':
      return approval.extension.bound !== 'turns';
  }
}

/** `back`: a chat that takes messages again. */
type Looking = CardParts & { readonly back?: string | undefined };

/** Where the cards stand from now on. Empty if nobody can decide. */
async function conversationsNow({ conversationId }: Approval, cards: readonly AskingCard[], parts: Looking) {
  const { store, settings, isReachable, isOpenedLater } = parts;
  const standing = conversationsOf(cards);
  const refused = cards.map((card) => card.conversationId).filter((id) => !standing.includes(id));
  const refusing = new Set(await stillRefusing(refused, parts));
  const kept: string[] = [];
  for (const { id, conversation } of await store.conversations(standing)) {
    const isNamed = settings.forwardTo.includes(id) && id !== conversationId;
    if (!isReachable(conversation) && !isOpenedLater(conversation)) refusing.add(id);
    else if (isNamed || (await hasApprover(id, parts))) kept.push(id);
  }
  if (kept.includes(conversationId)) return kept;
  return [...new Set([...kept, ...(await conversationsToAskIn(conversationId, parts, refusing))])];
}

/** Without those that take messages again: a direct chat with all its threads, as it has refused. */
async function stillRefusing(refused: readonly string[], { store, back }: Looking): Promise<readonly string[]> {
  if (back === undefined || refused.length === 0) return refused;
  const [heard] = await store.conversations([back]);
  const known = await store.conversations(refused);
  const isBack = ({ id, conversation }: (typeof known)[number]): boolean =>
    id === back || (conversation.kind === 'direct' && isSameChat(conversation, heard?.conversation));
  return known.filter((one) => !isBack(one)).map(({ id }) => id);
}

function isSameChat(one: Conversation, other: Conversation | undefined): boolean {
  return one.channel === other?.channel && one.tenant === other.tenant && one.chatId === other.chatId;
}

/** Where cards can be pressed, now or soon. */
function conversationsOf(cards: readonly AskingCard[]): readonly string[] {
  return [...new Set(cards.filter(({ isRefused }) => !isRefused).map(({ conversationId }) => conversationId))];
}

interface Moving {
  readonly cards: readonly AskingCard[];
  /** The oldest card. */
  readonly source: AskingCard;
  readonly to: readonly string[];
  /** The name of the conversation that asks. */
  readonly title: string;
  readonly readerIn: Core['readerIn'];
  readonly at: number;
}

/** With nobody left, the cards stay as they are: they show the next approver what was asked. */
function offerOf(approval: Approval, moving: Moving): CardOffer {
  const { cards, to, readerIn, at } = moving;
  const { id: approvalId, conversationId } = approval;
  const offer = { approvalId, conversationIds: to, cards: [], ended: [], at };
  if (to.length === 0)
    return { ...offer, notice: quietNoticeIn(conversationId, unattendedNotice(approval, readerIn(conversationId))) };
  const languageIn = (id: string): Language => readerIn(id).language;
  const standing = conversationsOf(cards);
  const added = to.filter((id) => !standing.includes(id));
  const left = standing.filter((id) => !to.includes(id));
  // Its chat takes messages again: the card that was shown there before would stand beside the new one.
  const former = cards.filter((card) => card.isRefused && added.includes(card.conversationId));
  const again = former.map((card) => ({
    conversationId: card.conversationId,
    markdown: askedAgainNotice(approval, languageIn(card.conversationId)),
    isForgotten: true,
  }));
  const ended = [...left.map((id) => endIn(id, approval, languageIn(id))), ...again];
  return { ...offer, cards: added.map((id) => cardIn(id, approval, moving)), ended };
}

function cardIn(conversationId: string, approval: Approval, { cards, source, title, readerIn }: Moving): OutboxDraft {
  const from = conversationId === approval.conversationId ? undefined : title;
  const reader = readerIn(conversationId);
  const { language } = reader;
  // What a card says of its calls stays as it was written.
  const like = cards.find((card) => card.language === language) ?? source;
  const markdown = passedOnCard(approval, like.markdown, { reader, title: from });
  const buttons = buttonsIn(approval, like.buttons, language);
  return { conversationId, message: { id: newId(20), kind: 'card', markdown, buttons, language } };
}

function endIn(conversationId: string, approval: Approval, language: Language): CardOffer['ended'][number] {
  return conversationId === approval.conversationId
    ? { conversationId, markdown: forwardedNotice(approval, language), isForgotten: false }
    : { conversationId, markdown: passedOnNotice(approval, language), isForgotten: true };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}
