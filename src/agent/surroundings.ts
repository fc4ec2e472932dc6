import type { AgentMode } from '../approval/policy.ts';
import type { Conversation } from '../contract.ts';
import type { Surroundings } from './call-judge.ts';
import type { RunState } from './run-store.ts';
import { type FindWorker, shownIn, stricter, type Worker } from './sub-run.ts';

/** Where the calls of a run are judged, and its tools work. In a sub-run, what holds for all above it holds, as it is now. */
export function surroundingsOf(
  state: RunState,
  principal: string,
  {
    workspaceOf,
    findWorker,
  }: { readonly workspaceOf: (conversation: Conversation) => string; readonly findWorker: FindWorker },
): Surroundings {
  const { labels, model } = state;
  const { title: _title, ...place } = state.conversation;
  const chain = state.subRun === undefined ? [] : [...state.subRun.above, state.subRun.worker];
  const workers = chain.map(findWorker);
  const worker = workers.at(-1);
  const workspace = (worker?.workspaceOf ?? workspaceOf)(state.conversation);
  const sender = { principal, name: nameOf(principal, state) };
  const scope = { ...place, conversationId: shownIn(state), workspace, sender };
  const common = { place: placeName(state), labels, ...(model === undefined ? {} : { model }) };
  const { subRun } = state;
  if (subRun === undefined) return { ...common, scope };
  const within = { depth: chain.length, only: workers.map((one) => one?.only ?? []) };
  const mode = strictestOf(workers);
  return {
    ...common,
    workers: chain,
    scope: { ...scope, within },
    runsIn: state.conversationId,
    ...(mode === undefined ? {} : { mode }),
  };
}

function strictestOf(workers: readonly (Worker | undefined)[]): AgentMode | undefined {
  return workers
    .flatMap((worker) => worker?.mode ?? [])
    .reduce<AgentMode | undefined>((mode, next) => stricter(next, mode), undefined);
}

function placeName(state: RunState): string {
  const { kind, channel, title = shownIn(state) } = state.conversation;
  return kind === 'direct' ? `a direct chat on ${channel}` : title;
}

function nameOf(principal: string, { transcript, deferred }: RunState): string {
  const name = transcript.entries
    .flatMap((entry) =>
      (entry.type === 'user' || entry.type === 'event') && entry.principal === principal ? entry : [],
    )
    .findLast((entry) => entry.name !== undefined)?.name;
  if (name !== undefined) return name;
  return deferred.find((call) => call.principal === principal)?.principalName ?? principal;
}
