import type { Budget } from '../agent/budget.ts';
import { Compactor } from '../agent/compactor.ts';
import type { FrameDependencies } from '../agent/request-frame.ts';
import type { SubRuns } from '../agent/sub-runs.ts';
import { TokenGauge } from '../agent/token-gauge.ts';
import type { Stage } from '../conversation/stage.ts';
import type { Ground } from './parts.ts';
import type { Tools } from './tools.ts';

/** What decides what of a conversation is read by models. */
export interface Context {
  readonly framing: FrameDependencies;
  readonly compactor: Compactor;
}

export function makeContext(
  { store, config, models, clock, log }: Ground,
  {
    registry,
    presenter,
    budget,
    subRuns,
  }: Pick<Tools, 'registry'> & { readonly presenter: Stage; readonly budget: Budget; readonly subRuns: SubRuns },
): Context {
  const { instructions, context_tokens: contextTokens, summaries } = config.agent;
  const framing: FrameDependencies = {
    registry,
    clock,
    instructions,
    promptOf: (subRun) => subRuns.workerOf(subRun.worker)?.prompt ?? '',
    gauge: new TokenGauge(),
    context: { contextTokens, summaries, compactTools: config.tools.compact },
  };
  return { framing, compactor: new Compactor({ ...framing, store: store.summaries, models, presenter, budget, log }) };
}
