import { rateLimitsOf } from '../config/tool-rules.ts';
import { Attachments } from '../conversation/attachments/attachments.ts';
import type { ChannelView } from '../conversation/live/channel-view.ts';
import type { ModelWaits } from '../engine/ask.ts';
import { createCallRunner } from '../engine/call.ts';
import type { Approvals } from '../engine/decide.ts';
import type { Budget, LiveView, Runtime, SubRuns } from '../engine/feature.ts';
import { createJudge } from '../engine/judge.ts';
import { createLoop } from '../engine/run.ts';
import { createTurns } from '../engine/turn.ts';
import { createRunQueue, type RunQueue } from '../engine/wake.ts';
import type { Feature } from '../feature-points.ts';
import { stuckWords } from '../runs/context/stuck.ts';
import { AgentRuns } from '../runs/sub-runs.ts';
import { CallTools } from '../tools/call-tools.ts';
import type { FileWatch } from '../tools/file-watch.ts';
import { fitsDomains } from '../tools/guard/network/host-name.ts';
import { workspaces } from '../tools/guard/workspace/workspace.ts';
import { RateLimiter } from '../tools/rate-limit.ts';
import type { Context } from './context.ts';
import type { Services } from './parts.ts';
import { approvalSettingsOf, attachmentSettingsOf } from './settings.ts';
import { ownPathsOf, type Tools } from './tools.ts';

/** What goes on with conversations stands on these. */
interface Parts extends Tools {
  readonly view: ChannelView;
  readonly approvals: Approvals;
  readonly budget: Budget;
  readonly context: Context;
  readonly subRuns: SubRuns;
  readonly features: readonly Feature[];
  readonly modelWaits: ModelWaits;
  readonly fileWatch: FileWatch;
  /** Resolves when features have begun; undefined when that is so. */
  readonly ready: () => Promise<void> | undefined;
}

/** What begins runs for the calls of other runs. The features know who works on them. */
export function makeSubRuns(services: Services, view: LiveView, features: readonly Feature[]): AgentRuns {
  const { store, config, clock, crashPoint, wake } = services;
  const { max_depth: maxDepth, max_running: maxRunning, timeout_secs } = config.tools.delegate;
  return new AgentRuns({
    store: store.runs,
    view,
    findWorker: (sought) => {
      const worker = features.map(({ workerOf }) => workerOf?.(sought)).find((found) => found !== undefined);
      // What ends the run is nobody's to take away.
      return worker && { ...worker, only: [...worker.only, 'attempt_completion'] };
    },
    limits: { maxDepth, maxRunning, stall: timeout_secs * 1000 },
    clock,
    crashPoint,
    wake,
  });
}

/** What goes on with conversations. */
export function makeQueue(services: Services, parts: Parts): RunQueue {
  const { approvals, modelWaits, ready } = parts;
  const runtime = runtimeOf(services, parts);
  const judge = createJudge(runtime, approvals);
  const callRunner = createCallRunner(runtime, approvals, judge);
  const loop = createLoop(runtime, callRunner, createTurns(runtime, judge), modelWaits);
  return createRunQueue(runtime, loop, {
    steadyAfter: services.config.agent.last_try_after_secs * 1000,
    ready,
  });
}

function runtimeOf(services: Services, parts: Parts): Runtime {
  const { store, config, models, workspaceOf, clock, log, crashPoint, deliver, wake } = services;
  const { budget, context, subRuns, view, registry, runner, fileWatch, features } = parts;
  const { network, http_request } = config.tools;
  // A `*` says nothing of any host.
  const named = http_request.allowed_domains.filter((pattern) => pattern !== '*');
  const listed = [...network.trusted_domains, ...named];
  const { max_failures: maxFailures, max_repeats: maxRepeats, burst_ms: burst } = config.agent;
  return {
    ...{ clock, log, crashPoint, deliver, wake, models, workspaceOf },
    ...{ budget, subRuns, view, registry, runner },
    hooks: {
      before: features.flatMap(({ hooks }) => hooks?.before ?? []),
      after: features.flatMap(({ hooks }) => hooks?.after ?? []),
    },
    runs: store.runs,
    attempts: store.attempts,
    grants: store.approvals,
    context: context.requests,
    attachments: makeAttachments(services),
    callTools: new CallTools(registry, config.security.tools),
    fileWatch,
    rateLimiter: rateLimiterOf(services),
    say: async ({ conversationId, message }) => {
      await store.outbox.say(conversationId, message, clock.now());
      deliver([conversationId]);
    },
    settings: {
      approval: approvalSettingsOf(config),
      isTrustedHost: (host) => fitsDomains(host, listed),
      stuckWords: (entries) => stuckWords(entries, { maxFailures, maxRepeats }),
      burst,
      executeWithin: config.approval.execute_within_secs * 1000,
    },
  };
}

function makeAttachments(services: Services): Attachments {
  return new Attachments({
    ...services,
    store: services.store.attachments,
    workspaceAt: workspaces({ privatePaths: ownPathsOf(services) }),
    settings: attachmentSettingsOf(services.config),
  });
}

/** A person's accounts are counted together, under one of them. */
function rateLimiterOf({ config, accounts, clock }: Services): Pick<RateLimiter, 'take'> {
  const limiter = new RateLimiter({ clock, limits: rateLimitsOf(config) });
  return { take: (toolName, principal) => limiter.take(toolName, accounts.accountsOf(principal)[0] ?? principal) };
}
