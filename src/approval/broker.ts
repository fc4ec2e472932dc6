import type { Conversation } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type {
  Approval,
  ApprovalDraft,
  ApprovalStore,
  Choice,
  Decision,
  Ending,
  Origin,
  OutboxDraft,
} from './approval.ts';
import { deniedResult, unansweredResult, unreachableResult } from './call-results.ts';
import {
  type CardContent,
  cardButtons,
  decidedCard,
  expiredCard,
  forwardedNotice,
  requestCard,
  unreachableNotice,
} from './card.ts';
import type { ApprovalDeadlines } from './deadlines.ts';
import { decidedExtension } from './extension-card.ts';
import { extensionEnding } from './extension-ending.ts';
import { grantOf } from './give-grant.ts';
import type { Grant } from './grants.ts';
import { settledWords } from './settled-words.ts';

export interface BrokerSettings {
  /** How long a card waits, in milliseconds. Half way through, people are reminded. */
  readonly timeout: number;
  /** How long a window grant holds, in milliseconds. */
  readonly window: number;
  /** Conversations that cards go to where nobody may decide. Empty: the owners' own chats. */
  readonly forwardTo: readonly string[];
}

export interface BrokerDependencies {
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly deadlines: ApprovalDeadlines;
  readonly settings: BrokerSettings;
  /** Who may decide, as the config and the claims say now. */
  readonly approvers: () => readonly string[];
  /** Whether the channel of a conversation runs, so that a card can be seen there. */
  readonly isReachable: (conversation: Conversation) => boolean;
  /** Takes secrets out of what the model, or people, will read. */
  readonly redact: (text: string) => string;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** Told after something was stored that lets these conversations go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
  /** Told of those that nobody can read, after that was stored. */
  readonly ended?: (approvals: readonly Approval[]) => void;
}

/** A call that a person has to decide about. */
export interface ApprovalRequest extends Omit<CardContent, 'forwardedFrom'> {
  readonly callId: string;
  readonly conversationId: string;
  /** The sub-run that waits for it, where that is not the conversation. */
  readonly runsIn?: string;
  /** What people call the conversation, where the card stands elsewhere. */
  readonly conversationTitle: string;
  readonly requester: string;
  readonly requesterName: string;
  readonly toolName: string;
  readonly description: string;
  readonly hash: string;
  readonly grantable: boolean;
}

/** Asks people, and takes their decisions. A decision that comes late, twice or from a stranger changes nothing. */
export class ApprovalBroker {
  readonly #dependencies: BrokerDependencies;

  constructor(dependencies: BrokerDependencies) {
    this.#dependencies = dependencies;
  }

  isApprover(principal: string): boolean {
    return this.#dependencies.approvers().includes(principal);
  }

  /**
   * Writes the cards of a request, for whoever can decide it; without a place if nobody can. The caller stores them together
   * with the call.
   */
  async draft(request: ApprovalRequest): Promise<ApprovalDraft> {
    const { clock, settings } = this.#dependencies;
    const now = clock.now();
    const places = await this.placesFor(request.conversationId);
    const approval: Approval = {
      id: newId(8),
      callId: request.callId,
      conversationId: request.conversationId,
      ...(request.runsIn === undefined ? {} : { runsIn: request.runsIn }),
      requester: request.requester,
      requesterName: request.requesterName,
      toolName: request.toolName,
      description: request.description,
      hash: request.hash,
      grantable: request.grantable,
      state: 'pending',
      createdAt: now,
      expiresAt: now + settings.timeout,
      places,
      asked: { category: request.category, arguments: request.arguments, reason: request.reason },
    };
    this.#dependencies.deadlines.watch(approval);
    return { approval, cards: this.#cards(approval, request) };
  }

  /** How many calls of the conversation wait for a decision. */
  async waiting(conversationId: string): Promise<number> {
    return (await this.#dependencies.store.pending(conversationId)).length;
  }

  /**
   * A place has refused its card for good. If the question can be read nowhere else, nobody will decide it: that is said
   * at once, and the run goes on.
   */
  async cardRefused(approvalId: string): Promise<void> {
    const { store, clock, deliver, wake } = this.#dependencies;
    const approval = await store.find(approvalId);
    if (approval?.state !== 'pending' || (await store.standingCards(approvalId)) > 0) return;
    const toWake = await store.expire([unreadableEnding(approval)], clock.now());
    deliver([...approval.places, approval.conversationId]);
    wake(toWake);
    this.#dependencies.ended?.([approval]);
  }

  /**
   * Ends the questions that can be read nowhere. Call it at start: a process that died may have noted that a card was
   * refused, and no more.
   */
  async endUnreadable(): Promise<void> {
    for (const { id } of await this.#dependencies.store.pending()) await this.cardRefused(id);
  }

  /** Takes what somebody chose. Answers with the words for him alone; undefined where the card itself says enough. */
  async decide(origin: Origin, approvalId: string, choice: Choice): Promise<string | undefined> {
    const { store, clock, deliver, wake } = this.#dependencies;
    const approval = await store.find(approvalId);
    const objection = this.#objection(origin, approval);
    if (objection !== undefined || approval === undefined) return objection;

    const now = clock.now();
    if (approval.expiresAt <= now) {
      await this.#dependencies.deadlines.attend();
      return 'Too late: nobody decided in time, so it did not run.';
    }
    const result = await store.decide(this.#decision(origin, approval, this.#withoutSecrets(choice), now));
    if (result === 'repeated') return undefined;
    if (result === 'late') return settledWords((await store.find(approvalId)) ?? approval);
    deliver(approval.places);
    deliver([approval.conversationId]);
    wake([approval.runsIn ?? approval.conversationId]);
    return undefined;
  }

  /** Why somebody denies is read by the model, and stays in the audit. */
  #withoutSecrets(choice: Choice): Choice {
    if (choice.type !== 'deny' || choice.reason === undefined) return choice;
    return { type: 'deny', reason: this.#dependencies.redact(choice.reason) };
  }

  #decision(origin: Origin, approval: Approval, choice: Choice, at: number): Decision {
    const grant = grantOf({ origin, approval, choice }, at, this.#dependencies.settings.window);
    const reason = choice.type === 'deny' ? choice.reason : undefined;
    return {
      origin,
      approval,
      approved: choice.type !== 'deny',
      ...(grant === undefined ? {} : { grant }),
      outcome:
        approval.extension === undefined
          ? decidedCard(approval, asGiven(choice, grant), origin.name, at)
          : decidedExtension(approval, choice.type !== 'deny', origin.name, at),
      result: deniedResult(origin.name, reason),
      ...(reason === undefined ? {} : { reason }),
      at,
    };
  }

  #objection(origin: Origin, approval: Approval | undefined): string | undefined {
    // A stranger learns nothing, not even whether the id exists.
    const isOwnRun = approval?.extension?.bound === 'turns' && approval.requester === origin.principal;
    if (!isOwnRun && !this.isApprover(origin.principal))
      return 'You may not decide that. Only an approver of this Keyturn may.';
    if (approval === undefined) return 'There is no such approval. `/status` shows what waits.';
    if (approval.question !== undefined)
      return 'That is a question, not a permission: answer it with a button of its card, or in your own words.';
    if (!approval.places.includes(origin.conversationId))
      return 'That was asked in another chat or thread, and can only be decided there.';
    return approval.state === 'pending' ? undefined : settledWords(approval);
  }

  /** Where somebody can decide about what is asked in a conversation; nowhere if nobody can. */
  async placesFor(conversationId: string): Promise<readonly string[]> {
    const { store, approvers, settings, isReachable } = this.#dependencies;
    const participants = await store.participants(conversationId);
    if (participants.some((principal) => this.isApprover(principal))) return [conversationId];
    const forwardTo = settings.forwardTo.length > 0 ? settings.forwardTo : await store.directConversations(approvers());
    const places = await store.places(forwardTo);
    return places.filter(({ conversation }) => isReachable(conversation)).map(({ id }) => id);
  }

  #cards(approval: Approval, request: ApprovalRequest): readonly OutboxDraft[] {
    const { settings, redact } = this.#dependencies;
    const at = (conversationId: string, markdown: string, buttons: boolean): OutboxDraft => ({
      conversationId,
      message: {
        id: newId(20),
        kind: 'card',
        markdown,
        ...(buttons ? { buttons: cardButtons(approval, settings.window) } : {}),
      },
    });
    const here = approval.places.includes(approval.conversationId);
    // A look at a file shows what stands beside the change.
    const shown = request.preview === undefined ? request : { ...request, preview: redact(request.preview) };
    const content: CardContent = here ? shown : { ...shown, forwardedFrom: request.conversationTitle };
    const asking = approval.places.map((place) => at(place, requestCard(approval, content), true));
    return here || asking.length === 0
      ? asking
      : [...asking, at(approval.conversationId, forwardedNotice(approval), false)];
  }
}

function unreadableEnding(approval: Approval): Ending {
  if (approval.extension !== undefined) return extensionEnding(approval);
  if (approval.question !== undefined) return { approval, outcome: expiredCard(approval), result: unansweredResult() };
  return { approval, outcome: unreachableNotice(approval), result: unreachableResult() };
}

/** Where no standing permission can be given, the call alone is approved. */
function asGiven(choice: Choice, grant: Grant | undefined): Choice {
  return grant === undefined && choice.type !== 'deny' ? { type: 'once' } : choice;
}
