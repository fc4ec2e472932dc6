import type { Budget } from './agent/budget.ts';
import { CallJudge } from './agent/call-judge.ts';
import { CallRunner } from './agent/call-runner.ts';
import { CallTools } from './agent/call-tools.ts';
import { AgentLoop } from './agent/loop.ts';
import { ModelTurn } from './agent/model-turn.ts';
import { largestPicture } from './agent/pictures.ts';
import type { SubRuns } from './agent/sub-runs.ts';
import { TurnCalls } from './agent/turn-calls.ts';
import type { ApprovalBroker } from './approval/broker.ts';
import type { Questions } from './approval/questions.ts';
import { Attachments } from './conversation/attachments/attachments.ts';
import { RunQueue, type RunQueueDependencies } from './conversation/run-queue.ts';
import type { Stage } from './conversation/stage.ts';
import type { Context } from './daemon-context.ts';
import type { Ground } from './daemon-parts.ts';
import { approvalSettingsOf, attachmentSettingsOf, rateLimitsOf } from './daemon-settings.ts';
import { ownPathsOf, type Tools } from './daemon-tools.ts';
import type { CallHooks } from './tools/call-hooks.ts';
import { workspaces } from './tools/guard/workspace/workspace.ts';
import { RateLimiter } from './tools/rate-limit.ts';

/** What goes on with conversations. */
export function makeQueue(
  ground: Ground,
  parts: Tools & {
    readonly stage: Stage;
    readonly broker: ApprovalBroker;
    readonly questions: Questions;
    readonly budget: Budget;
    readonly context: Context;
    readonly subRuns: SubRuns;
    readonly hooks: CallHooks;
    readonly ready: RunQueueDependencies['ready'];
  },
): RunQueue {
  const { store, config, models, clock, log, crashPoint, deliver } = ground;
  const { registry, runner, stage: presenter, broker, budget, subRuns } = parts;
  const callTools = new CallTools({ registry });
  const judge = new CallJudge({
    registry,
    callTools,
    approvals: store.approvals,
    settings: approvalSettingsOf(config),
    rateLimiter: rateLimiterOf(ground),
    hooks: parts.hooks,
    clock,
  });
  const callRunner = new CallRunner({
    store: store.runs,
    judge,
    callTools,
    broker,
    runner,
    presenter,
    subRuns,
    hooks: parts.hooks,
    questions: parts.questions,
    say: async ({ conversationId, message }) => {
      await store.outbox.say(conversationId, message, clock.now());
      deliver([conversationId]);
    },
    clock,
    log,
    crashPoint,
    executeWithin: config.approval.execute_within_secs * 1000,
  });
  const modelTurn = new ModelTurn({
    ...parts.context.framing,
    store: store.runs,
    models,
    budget,
    turnCalls: new TurnCalls({ judge, broker, questions: parts.questions }),
    callTools,
    presenter,
    workspaceAt: workspaces({ maxRead: largestPicture, privatePaths: ownPathsOf(ground) }),
    log,
    crashPoint,
    burst: config.agent.burst_ms,
  });
  const attachments = new Attachments({
    ...ground,
    store: store.attachments,
    workspaceAt: workspaces({ privatePaths: ownPathsOf(ground) }),
    settings: attachmentSettingsOf(config),
  });
  const { max_failures: maxFailures, max_repeats: maxRepeats } = config.agent;
  const { workspaceOf } = ground;
  const loop = new AgentLoop({
    store: store.runs,
    modelTurn,
    callRunner,
    budget,
    compactor: parts.context.compactor,
    attachments,
    subRuns,
    presenter,
    workspaceOf,
    clock,
    log,
    limits: { maxFailures, maxRepeats },
  });
  return new RunQueue({ loop, clock, log, ready: parts.ready });
}

/** A person's accounts are counted together, under one of them. */
function rateLimiterOf({ config, accounts, clock }: Ground): Pick<RateLimiter, 'take'> {
  const limiter = new RateLimiter({ clock, limits: rateLimitsOf(config) });
  return { take: (toolName, principal) => limiter.take(toolName, accounts.accountsOf(principal)[0] ?? principal) };
}
