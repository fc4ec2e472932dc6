/* What this person may decide, as cards: of all channels, with all that is needed to decide. */

import { type Approval, isDangerous } from '../../../approval/approval.ts';
import { buttonsIn, parseOffered } from '../../../approval/asking/card-buttons.ts';
import { cardWords } from '../../../approval/asking/words.ts';
import { describeApproval } from '../../../approval/cards.ts';
import { readCard } from '../../../approval/read-card.ts';
import { isOwn } from '../../../engine/answer-card.ts';
import { isJsonObject, objectsIn } from '../../../lib/json.ts';
import { revealed } from '../../../lib/revealed-json.ts';
import type { Button } from '../../../messages.ts';
import type { PageAsked, PageCore } from '../page-route.ts';
import type { CardOffer, WaitingCall, WaitingCard, WaitingChoice } from '../wire/waiting.ts';
import { changesOf, type TextLimits } from './files.ts';
import { personIn, placeOf, type WaitingContext } from './people.ts';

/** What waits for this person's decision, the oldest first. Questions only of their own. */
export async function decidable(asked: PageAsked, core: PageCore): Promise<readonly Approval[]> {
  return (await core.store.approvals.pending()).filter((approval) => mayDecide(approval, asked, core));
}

/** Somebody, by the account of their browser. */
interface Decider {
  readonly visitor: Pick<PageAsked['visitor'], 'principal'>;
}

/** The same as for a press: see `objectionTo`. */
export function mayDecide(
  approval: Approval,
  { visitor: { principal } }: Decider,
  core: Pick<PageCore, 'accounts' | 'approvals'>,
): boolean {
  const isTheirs = isOwn({ principal, seesAll: true }, approval, core.accounts.accountsOf);
  switch (approval.type) {
    case 'question':
      return isTheirs;
    case 'permission':
      return core.approvals.isApprover(principal);
    case 'extension':
      return core.approvals.isApprover(principal) || (isTheirs && approval.extension.bound === 'turns');
  }
}

/** `limits`: of the texts of changed files. */
export async function cardOf(approval: Approval, context: WaitingContext, limits: TextLimits): Promise<WaitingCard> {
  const { language } = context.asked;
  const { id, type, toolName, createdAt, shownAt, expiresAt, conversationId } = approval;
  const shown = await shownCard(approval, context);
  const files = await changesOf(approval, context, limits);
  const requester = await personIn(approval.requester, [conversationId], context);
  const asked = approval.type === 'permission' ? approval.asked : undefined;
  return {
    id,
    kind: type === 'permission' ? 'call' : type,
    tool: toolName,
    category: asked?.category,
    description: approval.type === 'question' ? approval.question.text : describeApproval(approval, language),
    reason: asked?.reason,
    notes: shown.notes,
    body: shown.body,
    requester: { ...requester, name: approval.requesterName },
    conversation: await placeOf(conversationId, context),
    calls: callsOf(approval),
    files,
    isDangerous: isDangerous(approval),
    danger: asked?.danger === undefined ? undefined : cardWords[language].danger(asked.danger),
    choices: shown.buttons.filter(isChoice).map(choiceOf),
    offer: offerOf(approval, shown.buttons),
    takesText: approval.type === 'question',
    createdAt,
    expiresAt: shownAt === undefined ? undefined : expiresAt,
  };
}

interface ShownCard {
  readonly notes: readonly string[];
  readonly body: string;
  readonly buttons: readonly Button[];
}

/** What its card says in the reader's language, if one was written in it. */
async function shownCard(approval: Approval, { core, asked }: WaitingContext): Promise<ShownCard> {
  const cards = await core.store.approvals.cards(approval.id);
  const card = cards.find(({ language }) => language === asked.language) ?? cards[0];
  const buttons = buttonsIn(approval, card?.buttons ?? [], asked.language).flat();
  if (card === undefined || approval.type === 'question') return { notes: [], body: '', buttons };
  return { ...readCard(card.markdown), buttons };
}

/** The calls that one decision is about. */
function callsOf(approval: Approval): readonly WaitingCall[] {
  if (approval.type !== 'permission' || approval.asked === undefined) return [];
  const { category, arguments: args, reason, others } = approval.asked;
  const shown = revealed(args);
  if (others === undefined) return [{ tool: approval.toolName, category, arguments: shown, reason }];
  return objectsIn(shown.calls).map((call) => ({
    tool: String(call.tool),
    category: String(call.category),
    arguments: isJsonObject(call.arguments) ? call.arguments : {},
    reason: String(call.reason),
  }));
}

/** What is folded on a card stands on the page, and a rule that it offers is asked about first. */
function isChoice({ actionId, unfolds }: Button): boolean {
  return unfolds !== true && parseOffered(actionId) === undefined;
}

/** The command that a press on the offer stands for, where the card is. */
function offerOf(approval: Approval, buttons: readonly Button[]): CardOffer | undefined {
  const offer = approval.type === 'permission' ? approval.asked?.offer : undefined;
  const button = buttons.find(({ actionId }) => parseOffered(actionId) !== undefined);
  const [conversationId] = approval.cardConversationIds;
  if (offer === undefined || button === undefined || conversationId === undefined) return undefined;
  return { label: button.label, line: `${offer.command} ${approval.id}`, conversationId };
}

function choiceOf({ actionId, label, style, asks }: Button): WaitingChoice {
  return { id: actionId, label, style, asks, isYes: /^ap:[a-z0-9]+:[aws]$/.test(actionId) };
}
