/* Asks the owners what to do in a group that the config does not name: when somebody adds the bot, or an owner calls it there. */

import type { InboundMembership } from '../../contract.ts';
import { laneOf } from '../../delivery/outbox.ts';
import type { Origin, OutboxDraft } from '../../engine/message.ts';
import { nameCode } from '../../lib/plain-text.ts';
import type { Reader } from '../../lib/time-words.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { AskedGroup, GroupChoices } from './group-choices.ts';
import { type CardWords, cardsForOwners, newRequestId, requestButton } from './owner-requests.ts';
import { groupWords } from './words.ts';

/** A question to the owners about a group. */
export interface GroupAsking {
  readonly group: Pick<AskedGroup, 'conversationId' | 'channel' | 'tenant' | 'chatId' | 'title'>;
  readonly requestId: string;
  readonly cards: readonly OutboxDraft[];
  readonly addedBy: string | undefined;
  /** Nobody is asked again in this time, in ms, while nobody has chosen. */
  readonly again: number;
  /** How many groups may be open since a day ago; undefined for any number. */
  readonly most: number | undefined;
  readonly at: number;
}

/** Stores what the owners are asked of groups. Each is one transaction, and resolves with the conversations to show it in. */
export interface GroupStore {
  groups(): Promise<readonly AskedGroup[]>;
  /** Undefined if nobody is asked. */
  askOfGroup(asking: GroupAsking): Promise<readonly string[] | undefined>;
  /** Ends a question about a group that the bot has left. */
  leftGroup(conversationId: string): Promise<readonly string[]>;
}

interface GroupRequestParts extends ConversationCore {
  readonly groupChoices: GroupChoices;
  readonly store: Pick<GroupStore, 'askOfGroup' | 'leftGroup'>;
  readonly idOf: (conversation: Origin['conversation']) => string;
}

/** How often the owners are asked of the same group, in ms. */
const again = 3_600_000;

/** Strangers can have so many groups asked about in a day. */
const mostOfStrangers = 3;

export interface GroupRequests {
  /** Somebody added the bot, or took it out. */
  changed(membership: InboundMembership, origin: Origin): Promise<void>;
  /** An owner calls the bot in a group where it is silent. False if no owner can be asked. */
  called(origin: Origin): Promise<boolean>;
}

export function createGroupRequests(parts: GroupRequestParts): GroupRequests {
  return {
    changed: (membership, origin) => changed(membership, origin, parts),
    called: (origin) => ask(origin, 'called', parts),
  };
}

async function changed(
  { conversation, sender, change }: InboundMembership,
  origin: Origin,
  parts: GroupRequestParts,
): Promise<void> {
  const { rules, owners, groupChoices, store, log, deliver } = parts;
  log.info({ conversation: origin.conversationId, by: origin.principal, change }, 'a membership changed');
  if (conversation.kind === 'direct') return;
  if (change === 'removed') return deliver(await store.leftGroup(laneOf(origin.conversationId)));
  const { choice } = groupChoices.of(conversation) ?? {};
  const isKnown = choice === 'mentioned' || choice === 'everything';
  if (isKnown || owners.isUnclaimed() || rules.isInConfig(conversation)) return;
  await ask(origin, sender.isPerson ? 'added' : 'added-by-nobody', parts);
}

/** False if no owner has a chat of their own. */
async function ask(
  origin: Origin,
  how: 'added' | 'added-by-nobody' | 'called',
  parts: GroupRequestParts,
): Promise<boolean> {
  const { owners, groupChoices, store, idOf, clock, deliver } = parts;
  const { threadId: _thread, kind: _kind, ...place } = origin.conversation;
  const requestId = newRequestId();
  const cards = await cardsForOwners((reader) => groupCard(origin, { requestId, how, reader }), parts);
  if (cards.length === 0) return false;
  const isOwner = owners.isOwner(origin.principal);
  const group = { ...place, conversationId: idOf({ ...place, kind: 'group' }) };
  const addedBy = how === 'added' ? origin.principal : undefined;
  const limits = { again: isOwner && how === 'added' ? 0 : again, most: isOwner ? undefined : mostOfStrangers };
  const shown = await store.askOfGroup({ group, requestId, cards, addedBy, ...limits, at: clock.now() });
  if (shown === undefined) return true;
  groupChoices.note({ ...group, requestId, isOpen: false });
  deliver(shown);
  return true;
}

interface GroupCardFacts {
  readonly requestId: string;
  readonly how: 'added' | 'added-by-nobody' | 'called';
  readonly reader: Reader;
}

function groupCard(
  { conversation, name }: Origin,
  { requestId, how, reader: { language } }: GroupCardFacts,
): CardWords {
  const words = groupWords[language];
  const about = { title: nameCode(conversation.title ?? conversation.chatId), channel: conversation.channel };
  const by = how === 'added' ? nameCode(name) : undefined;
  const { buttonMentioned, buttonEverything, buttonLeave } = words;
  return {
    markdown: how === 'called' ? words.addressed(about) : words.added({ ...about, by }),
    buttons: [
      [
        requestButton({ requestId, verb: 'mentioned' }, { label: buttonMentioned, shortcut: 'm', style: 'primary' }),
        requestButton({ requestId, verb: 'everything' }, { label: buttonEverything, shortcut: 'e', style: 'plain' }),
      ],
      [requestButton({ requestId, verb: 'leave' }, { label: buttonLeave, shortcut: 'l', style: 'plain' })],
    ],
  };
}
