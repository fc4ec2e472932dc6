import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Approval, ApprovalDraft, OutboxDraft } from './approval.ts';
import type { ApprovalBroker } from './broker.ts';
import { forwardedNotice } from './card.ts';
import type { ApprovalDeadlines } from './deadlines.ts';
import type { Extension } from './extension.ts';
import { extensionButtons, extensionCard } from './extension-card.ts';

export interface ExtensionDependencies {
  readonly broker: Pick<ApprovalBroker, 'placesFor'>;
  readonly clock: Clock;
  readonly deadlines: Pick<ApprovalDeadlines, 'watch'>;
  /** How long a run waits to be let go on, in milliseconds. */
  readonly timeout: number;
}

/** A run that has reached one of its bounds. */
export interface ExtensionRequest {
  readonly conversationId: string;
  /** What people call the conversation, where the card stands elsewhere. */
  readonly conversationTitle: string;
  readonly requester: string;
  readonly requesterName: string;
  readonly extension: Extension;
  /** Which bound it has reached, as a markdown sentence. */
  readonly reason: string;
  /** What it would do, as markdown behind "May I". */
  readonly description: string;
}

/**
 * Asks whether a run may go on. The question is an approval without a call: decided, reminded of, shown and expired as the
 * others are. About turns, the person whom the run serves may decide himself: he could begin another run just as well.
 */
export class Extensions {
  readonly #dependencies: ExtensionDependencies;

  constructor(dependencies: ExtensionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Writes the cards, for whoever can decide; without a place if nobody can. The caller stores them. */
  async draft(request: ExtensionRequest): Promise<ApprovalDraft> {
    const { broker, clock, deadlines, timeout } = this.#dependencies;
    const { conversationId, requester, requesterName, extension, description } = request;
    const now = clock.now();
    const places = extension.bound === 'turns' ? [conversationId] : await broker.placesFor(conversationId);
    const approval: Approval = {
      id: newId(8),
      conversationId,
      requester,
      requesterName,
      toolName: 'go on',
      description,
      hash: '',
      grantable: false,
      state: 'pending',
      createdAt: now,
      expiresAt: now + timeout,
      extension,
      places,
    };
    deadlines.watch(approval);
    return { approval, cards: cardsOf(approval, request) };
  }
}

function cardsOf(approval: Approval, { conversationTitle, reason }: ExtensionRequest): readonly OutboxDraft[] {
  const isHere = approval.places.includes(approval.conversationId);
  const content = isHere ? { reason } : { reason, forwardedFrom: conversationTitle };
  const markdown = extensionCard(approval, content);
  const card = (conversationId: string): OutboxDraft => ({
    conversationId,
    message: { id: newId(20), kind: 'card', markdown, buttons: extensionButtons(approval) },
  });
  const cards = approval.places.map(card);
  if (isHere || cards.length === 0) return cards;
  const words = `⏸️ ${reason}\n\n${forwardedNotice(approval)}`;
  const notice = { id: newId(20), kind: 'card' as const, markdown: words };
  return [...cards, { conversationId: approval.conversationId, message: notice }];
}
