import type { ChannelView } from '../conversation/live/channel-view.ts';
import type { Budget, RequestContext } from '../engine/feature.ts';
import { Compactor } from '../runs/context/compactor.ts';
import { largestPicture } from '../runs/context/model-messages.ts';
import { TokenGauge } from '../runs/context/token-gauge.ts';
import { type TurnRequestDependencies, turnRequest } from '../runs/context/turn-request.ts';
import type { AgentRuns } from '../runs/sub-runs.ts';
import { workspaces } from '../tools/guard/workspace/workspace.ts';
import type { Services } from './parts.ts';
import { ownPathsOf, type Tools } from './tools.ts';

/** What decides what of a conversation is read by models. */
export interface Context {
  readonly requests: RequestContext;
  readonly compactor: Compactor;
}

export function makeContext(
  services: Services,
  {
    registry,
    view,
    budget,
    subRuns,
  }: Pick<Tools, 'registry'> & {
    readonly view: ChannelView;
    readonly budget: Budget;
    readonly subRuns: AgentRuns;
  },
): Context {
  const { store, config, models, clock, log } = services;
  const { instructions, context_tokens: contextTokens, summaries } = config.agent;
  const gauge = new TokenGauge();
  const framing: TurnRequestDependencies = {
    registry,
    clock,
    instructions,
    promptOf: (subRun) => subRuns.workerOf(subRun.worker)?.prompt ?? '',
    gauge,
    context: { contextTokens, summaries, compactTools: config.tools.compact },
    workspaceAt: workspaces({ maxRead: largestPicture, privatePaths: ownPathsOf(services) }),
  };
  const compactor = new Compactor({ ...framing, store: store.summaries, models, view, budget, log });
  const requests: RequestContext = {
    makeRoom: (state, ask, scope, signal) => compactor.beforeAsk(state, ask, scope, signal),
    summarise: (state, scope, signal) => compactor.now(state, scope, signal),
    requestFor: (question) => turnRequest(question, framing),
    limitOf: (label) => gauge.limit(label, contextTokens),
    refused: (label, size) => gauge.refused(label, contextTokens, size),
    learn: (label, estimated, usage) => gauge.learn(label, estimated, usage),
  };
  return { requests, compactor };
}
