import { principalOf, type RoomEntry, type Sender } from '../contract.ts';
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
