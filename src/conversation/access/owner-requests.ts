/*
 * What the owners are asked outside of runs: whether to let somebody in, and what to do in a group. Each owner gets a card in
 * a chat of their own. The first press decides; then the request is over, and all its cards say so.
 */

import type { Button } from '../../contract.ts';
import type { OutboxDraft } from '../../engine/message.ts';
import { newId } from '../../lib/ids.ts';
import type { Reader } from '../../lib/time-words.ts';
import type { ConversationCore } from '../conversation-core.ts';
import { type GroupAnswer, groupAnswers } from './group-choices.ts';

/** What a button of these cards says. */
export type RequestVerb = 'let-in' | 'refuse' | GroupAnswer;

export interface RequestAction {
  readonly requestId: string;
  readonly verb: RequestVerb;
}

const verbs: readonly RequestVerb[] = ['let-in', 'refuse', ...groupAnswers];

/** Parses the action of such a button; anybody may have forged it. */
export function parseRequestAction(actionId: string): RequestAction | undefined {
  const [, requestId, written] = /^own:([a-z0-9]{12}):([a-z-]+)$/.exec(actionId) ?? [];
  const verb = verbs.find((one) => one === written);
  return requestId === undefined || verb === undefined ? undefined : { requestId, verb };
}

export function newRequestId(): string {
  return newId(12);
}

export function requestButton(
  { requestId, verb }: RequestAction,
  { label, shortcut, style }: Pick<Button, 'label' | 'shortcut' | 'style'>,
): Button {
  return { actionId: `own:${requestId}:${verb}`, label, shortcut, style };
}

/** What a card says in the language of its reader. */
export interface CardWords {
  readonly markdown: string;
  readonly buttons: readonly (readonly Button[])[];
}

/** A card for each owner, where they were heard last. None if no owner has a chat of their own. */
export async function cardsForOwners(
  words: (reader: Reader) => CardWords,
  { ownersChats, readerIn }: Pick<ConversationCore, 'ownersChats' | 'readerIn'>,
): Promise<readonly OutboxDraft[]> {
  const chats = await ownersChats.best();
  return chats.map(({ conversationId }) => {
    const reader = readerIn(conversationId);
    const { language } = reader;
    return { conversationId, message: { id: newId(20), kind: 'card', language, ...words(reader) } };
  });
}
