import { type Conversation, principalOf, type RoomEntry, type Sender, type Suggestion } from '../contract.ts';
import { createReports, type Reports } from '../conversation/commands/reports/reports.ts';
import type { RunQueue } from '../engine/wake.ts';
import type { Feature } from '../feature-points.ts';
import { languageOf } from '../lib/words.ts';
import type { ToolRunner } from '../tools/runner.ts';
import { budgetLimitsOf, dayOf } from './runs.ts';
import type { Services } from './services.ts';

interface ReportedParts {
  readonly queue: RunQueue;
  readonly features: readonly Feature[];
  readonly runner: ToolRunner;
}

/** Answers `/status` and the like. */
export function makeReports(services: Services, { runner, queue, features }: ReportedParts): Reports {
  const { store, setup } = services;
  const { approvals, inbox, outbox, people, spending } = store;
  return createReports({
    ...services,
    approvals,
    inbox,
    outbox,
    people,
    spending,
    runner,
    queue,
    isApprover: services.approvals.isApprover,
    openHere: services.approvals.openHere,
    limits: setup.view((now) => budgetLimitsOf(now.config)),
    dayOf: dayOf(setup),
    effects: store.effects,
    waiting: async (origin) => (await Promise.all(features.map(({ waiting }) => waiting?.(origin) ?? []))).flat(),
    faults: async (origin) => (await Promise.all(features.map(({ troubles }) => troubles?.(origin) ?? []))).flat(),
    more: async (origin) => (await Promise.all(features.map(({ status }) => status?.(origin) ?? []))).flat(),
    missingTools: (origin) => features.flatMap(({ missingTools }) => missingTools?.(origin) ?? []),
    troubles: () => [store.state.trouble?.words ?? [], services.configState.fault ?? []].flat(),
  });
}

interface RoomParts {
  readonly services: Services;
  readonly reports: Pick<Reports, 'room'>;
}

/** What `/status` lists in the person's direct chat; nothing if they have none, or may not talk there. */
export async function roomOf(
  sender: Sender,
  channel: string,
  { services, reports }: RoomParts,
): Promise<readonly RoomEntry[]> {
  const principal = principalOf(channel, sender.id);
  const chats = (await services.store.lifetime.directChats([principal])).toSorted((a, b) => b.seenAt - a.seenAt);
  const [chat] = chats.filter((one) => one.conversation.channel === channel);
  if (chat === undefined || !services.rules.isWelcome(sender, chat.conversation)) return [];
  const { conversation, conversationId } = chat;
  const language = languageOf(sender.language);
  return reports.room({ key: '', conversation, conversationId, principal, name: sender.name, language });
}

interface AskedSuggestions {
  readonly conversation: Conversation;
  readonly command: string;
  readonly typed: string;
}

/** What this person may mean behind a command there; nothing if they may not use it. */
export async function suggestionsTo(
  sender: Sender,
  { conversation, command, typed }: AskedSuggestions,
  { services, reports }: { readonly services: Services; readonly reports: Pick<Reports, 'suggestions'> },
): Promise<readonly Suggestion[]> {
  const { rules, movedChats } = services;
  const said = { type: 'message', key: '', conversation, sender, text: '', addressed: true, sentAt: 0 } as const;
  const isAllowed = rules.isWelcome(sender, conversation) && rules.mayCommand({ name: command, argument: typed }, said);
  if (!isAllowed) return [];
  const principal = principalOf(conversation.channel, sender.id);
  const language = languageOf(sender.language);
  const conversationId = movedChats.idOf(conversation);
  const origin = { key: '', conversation, conversationId, principal, name: sender.name, language };
  return reports.suggestions(origin, { command, typed });
}
