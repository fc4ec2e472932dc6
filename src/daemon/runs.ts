import type { Budget } from '../agent/budget.ts';
import { CallJudge } from '../agent/call-judge.ts';
import { CallRunner } from '../agent/call-runner.ts';
import { CallTools } from '../agent/call-tools.ts';
import { AgentLoop } from '../agent/loop.ts';
import { ModelTurn } from '../agent/model-turn.ts';
import { largestPicture } from '../agent/pictures.ts';
import type { SubRuns } from '../agent/sub-runs.ts';
import { TurnCalls } from '../agent/turn-calls.ts';
import type { ApprovalBroker } from '../approval/broker.ts';
import type { Questions } from '../approval/questions.ts';
import { Attachments } from '../conversation/attachments/attachments.ts';
import { RunQueue, type RunQueueDependencies } from '../conversation/run-queue.ts';
import type { Stage } from '../conversation/stage.ts';
import type { CallHooks } from '../tools/call-hooks.ts';
import { workspaces } from '../tools/guard/workspace/workspace.ts';
import { RateLimiter } from '../tools/rate-limit.ts';
import type { Context } from './context.ts';
import type { Ground } from './parts.ts';
import { approvalSettingsOf, attachmentSettingsOf, rateLimitsOf } from './settings.ts';
import { ownPathsOf, type Tools } from './tools.ts';

/** What goes on with conversations stands on these. */
interface Parts extends Tools {
  readonly stage: Stage;
  readonly broker: ApprovalBroker;
  readonly questions: Questions;
  readonly budget: Budget;
  readonly context: Context;
  readonly subRuns: SubRuns;
  readonly hooks: CallHooks;
  readonly ready: RunQueueDependencies['ready'];
}

/** What goes on with conversations. */
export function makeQueue(ground: Ground, parts: Parts): RunQueue {
  const { store, config, clock, log, workspaceOf } = ground;
  const { budget, context, subRuns, stage: presenter, ready } = parts;
  const calls = makeCalls(ground, parts);
  const { max_failures: maxFailures, max_repeats: maxRepeats } = config.agent;
  const loop = new AgentLoop({
    store: store.runs,
    modelTurn: makeModelTurn(ground, parts, calls),
    callRunner: makeCallRunner(ground, parts, calls),
    budget,
    compactor: context.compactor,
    attachments: makeAttachments(ground),
    subRuns,
    presenter,
    workspaceOf,
    clock,
    log,
    limits: { maxFailures, maxRepeats },
  });
  return new RunQueue({ loop, clock, log, ready });
}

/** What looks at calls before they run. */
interface Calls {
  readonly judge: CallJudge;
  readonly callTools: CallTools;
}

function makeCalls(ground: Ground, { registry, hooks }: Parts): Calls {
  const { store, config, clock } = ground;
  const callTools = new CallTools({ registry });
  const judge = new CallJudge({
    registry,
    callTools,
    approvals: store.approvals,
    settings: approvalSettingsOf(config),
    rateLimiter: rateLimiterOf(ground),
    hooks,
    clock,
  });
  return { judge, callTools };
}

function makeCallRunner(ground: Ground, parts: Parts, calls: Calls): CallRunner {
  const { store, config, clock, log, crashPoint, deliver } = ground;
  const { runner, stage: presenter, broker, questions, subRuns, hooks } = parts;
  return new CallRunner({
    ...calls,
    store: store.runs,
    broker,
    runner,
    presenter,
    subRuns,
    hooks,
    questions,
    say: async ({ conversationId, message }) => {
      await store.outbox.say(conversationId, message, clock.now());
      deliver([conversationId]);
    },
    clock,
    log,
    crashPoint,
    executeWithin: config.approval.execute_within_secs * 1000,
  });
}

function makeModelTurn(ground: Ground, parts: Parts, { judge, callTools }: Calls): ModelTurn {
  const { store, config, models, log, crashPoint } = ground;
  const { context, stage: presenter, broker, questions, budget } = parts;
  return new ModelTurn({
    ...context.framing,
    store: store.runs,
    models,
    budget,
    turnCalls: new TurnCalls({ judge, broker, questions }),
    callTools,
    presenter,
    workspaceAt: workspaces({ maxRead: largestPicture, privatePaths: ownPathsOf(ground) }),
    log,
    crashPoint,
    burst: config.agent.burst_ms,
  });
}

function makeAttachments(ground: Ground): Attachments {
  return new Attachments({
    ...ground,
    store: ground.store.attachments,
    workspaceAt: workspaces({ privatePaths: ownPathsOf(ground) }),
    settings: attachmentSettingsOf(ground.config),
  });
}

/** A person's accounts are counted together, under one of them. */
function rateLimiterOf({ config, accounts, clock }: Ground): Pick<RateLimiter, 'take'> {
  const limiter = new RateLimiter({ clock, limits: rateLimitsOf(config) });
  return { take: (toolName, principal) => limiter.take(toolName, accounts.accountsOf(principal)[0] ?? principal) };
}
