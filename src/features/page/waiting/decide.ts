/* A decision on the page: with the checks and effects of a press on the card. */

import type { Approval } from '../../../approval/approval.ts';
import { denial, parseAction } from '../../../approval/asking/card-buttons.ts';
import { parseAnswer } from '../../../approval/question-cards.ts';
import type { Origin } from '../../../engine/message.ts';
import { newId } from '../../../lib/ids.ts';
import { isJsonObject } from '../../../lib/json.ts';
import type { PageAnswer, PageAsked, PageCore } from '../page-route.ts';
import { shown } from '../page-route.ts';
import type { DecideAnswer, Standing } from '../wire/waiting.ts';
import { contextOf, personIn } from './people.ts';
import { waitingWords } from './words.ts';

/** The answer to a question in words. */
const inWords = 'text';
const longestText = 4000;

/** `POST decide` */
export async function decide(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const body = isJsonObject(asked.body) ? asked.body : {};
  const { id, choice, text = '' } = body;
  if (typeof id !== 'string' || typeof choice !== 'string' || typeof text !== 'string' || text.length > longestText)
    return { status: 400, refusal: (language) => waitingWords[language].wrongDecision };
  const approval = await core.store.approvals.find(id);
  const origin = pressOf(approval, asked);
  const decision = decisionOf({ id, choice, text }, origin, core);
  if (decision === undefined) return { status: 400, refusal: (language) => waitingWords[language].wrongDecision };
  const words = await decision;
  const answer: DecideAnswer = {
    isDone: words === undefined,
    words: words ?? '',
    ...(await standing(id, asked, core)),
  };
  return shown(answer);
}

interface Pressed {
  readonly id: string;
  readonly choice: string;
  readonly text: string;
}

/** Undefined if there is no such choice. Resolves with words for the person; undefined if it counts. */
function decisionOf(
  { id, choice, text }: Pressed,
  origin: Origin,
  { approvals }: PageCore,
): Promise<string | undefined> | undefined {
  if (choice === inWords) return approvals.answer(origin, id, text);
  const option = parseAnswer(choice);
  if (option !== undefined) return option.id === id ? approvals.press(origin, id, option.index) : undefined;
  const pressed = parseAction(choice, text);
  if (pressed?.id !== id) return undefined;
  // A reason counts with each way to deny.
  const meant = pressed.choice.type === 'deny' ? denial(text) : pressed.choice;
  return approvals.decide(origin, id, meant);
}

/** How it stands now: for those only who may know of it. */
export async function standing(id: string, asked: PageAsked, core: PageCore): Promise<Standing> {
  const approval = await core.store.approvals.find(id);
  const mayKnow = approval !== undefined && (asked.isOwner || asked.accounts.includes(approval.requester));
  if (!mayKnow && !core.approvals.isApprover(asked.visitor.principal)) return { state: 'unknown' };
  if (approval === undefined) return { state: 'unknown' };
  const context = contextOf(asked, core);
  const ending = await context.tables.ending(id);
  if (ending === undefined) return { state: 'pending' };
  const { decidedBy: by, decidedAt: at } = ending;
  const places = [approval.conversationId, ...approval.cardConversationIds];
  const person = by === undefined || by === 'keyturn' ? undefined : await personIn(by, places, context);
  return { state: ending.state, by: person, at };
}

/** The press as an event: on the card where it stands first, by the account of this browser. */
export function pressOf(approval: Approval | undefined, { visitor, language }: PageAsked): Origin {
  const { device, principal } = visitor;
  const pageId = `page:${device.id}`;
  return {
    key: `${pageId}:${newId(20)}`,
    // No channel has it: what cannot be told there is told by the page.
    conversation: { channel: 'page', chatId: device.id, kind: 'direct' },
    conversationId: approval?.cardConversationIds[0] ?? approval?.conversationId ?? pageId,
    principal,
    name: device.personName,
    seesAll: true,
    language,
  };
}
