import type { Config } from '../config/schema.ts';
import { approvalSettingsOf, rateLimitsOf } from '../config/tool-rules.ts';
import { modelIn } from '../conversation/access/chat-settings.ts';
import { attachmentFetcher } from '../conversation/attachments/attachments.ts';
import type { ModelWaits } from '../engine/ask.ts';
import type { Budget, LiveView, RequestContext, RunSettings, Runtime, SubRuns } from '../engine/feature.ts';
import type { RunStore, Spent } from '../engine/journal.ts';
import { createLoop } from '../engine/run.ts';
import { createRunQueue, type RunQueue } from '../engine/wake.ts';
import type { Feature } from '../feature-points.ts';
import { dayIn } from '../lib/clock.ts';
import type { Live } from '../lib/live.ts';
import { machineTimeZone } from '../lib/time-words.ts';
import { createZoneWriters } from '../lib/zone-writer.ts';
import { type Compactor, createCompactor } from '../runs/context/compactor.ts';
import { largestPicture } from '../runs/context/model-messages.ts';
import { stuckWords } from '../runs/context/stuck.ts';
import { TokenGauge } from '../runs/context/token-gauge.ts';
import { type FrameDependencies, turnRequest } from '../runs/context/turn-request.ts';
import { type BudgetLimits, createRunBudget, type SpendingLimits } from '../runs/run-budget.ts';
import { createSubRuns } from '../runs/sub-runs.ts';
import type { FileWatch } from '../tools/file-watch.ts';
import { finderName } from '../tools/found-tools.ts';
import { fitsDomains } from '../tools/guard/network/network-rules.ts';
import { workspaces } from '../tools/guard/workspace/workspace.ts';
import { createCallTools, createRateLimiter, type RateLimiter } from '../tools/operator-rules.ts';
import type { ToolRunner } from '../tools/runner.ts';
import type { Services, Setup } from './services.ts';
import { ownPathsOf } from './settings.ts';

interface Parts {
  readonly view: LiveView;
  readonly runner: ToolRunner;
  readonly features: readonly Feature[];
  readonly modelWaits: ModelWaits;
  readonly fileWatch: FileWatch;
  /** Resolves when features have started. */
  readonly ready: Promise<void>;
}

/** Runs conversations. The compactor summarises what a model no longer reads of one. */
export function makeRuns(
  services: Services,
  parts: Parts,
): { readonly queue: RunQueue; readonly compactor: Compactor } {
  const { store, setup, approvals, owners, registry, clock, deliver } = services;
  const { features } = parts;
  const budget = makeBudget(services);
  const subRuns = makeSubRuns(services, parts);
  const { context, compactor } = makeContext(services, budget, subRuns);
  const runtime: Runtime = {
    ...services,
    ...parts,
    budget,
    subRuns,
    context,
    runs: withChatModels(services),
    attempts: store.attempts,
    grants: standingGrants(services),
    hooks: {
      get before() {
        return features.flatMap(({ hooks }) => hooks?.before ?? []);
      },
      get after() {
        return features.flatMap(({ hooks }) => hooks?.after ?? []);
      },
    },
    fileCopies: features.map(({ fileCopies }) => fileCopies).filter((each) => each !== undefined),
    attachments: attachmentFetcher({
      ...services,
      get transcriber() {
        return setup.now.transcriber;
      },
      store: store.attachments,
    }),
    answered: (answer) => {
      for (const feature of features) feature.answered?.(answer);
    },
    callTools: createCallTools(
      registry,
      setup.view(({ config: now }) => now.security.tools),
    ),
    rateLimiter: rateLimiterOf(services),
    say: async ({ conversationId, message }) => {
      await store.outbox.say(conversationId, message, clock.now());
      deliver([conversationId]);
    },
    settings: setup.view(({ config: now }) => runSettingsOf(now, owners.isOwner)),
  };
  const loop = createLoop({ runtime, approvals, modelWaits: parts.modelWaits });
  const queueSettings = setup.view(({ config: { agent } }) => ({
    steadyAfter: agent.last_try_after_secs * 1000,
    ready: parts.ready,
    isStorageAtFault: store.state.isAtFault,
  }));
  const queue = createRunQueue(runtime, loop, queueSettings);
  return { queue, compactor };
}

/** A conversation whose people have chosen no model, or one that is gone, has that of its chat in the config. */
export function withChatModels({ store: { runs }, chats, models }: Services): RunStore {
  return {
    ...runs,
    async load(conversationId, contextTokens) {
      const state = await runs.load(conversationId, contextTokens);
      return { ...state, model: modelIn(state.conversation, state.model, { chats, models })?.name };
    },
  };
}

/** The operator's instructions in a conversation: for all, of its agent, and for this chat. A worker has its own. */
function promptFinder({ config, chats }: Services, subRuns: Pick<SubRuns, 'workerOf'>): FrameDependencies['promptOf'] {
  return ({ conversation, subRun }) => {
    const chat = chats.of(conversation);
    const own =
      subRun === undefined
        ? [config.agent.instructions, chat?.agent?.prompt]
        : [subRuns.workerOf(subRun.worker)?.prompt];
    return [...own, chat?.prompt].filter(Boolean).join('\n');
  };
}

/** Without those that were revoked, though that is not stored yet. */
function standingGrants({ store: { approvals }, revoking }: Services): Runtime['grants'] {
  return {
    pending: approvals.pending,
    async grants(conversationId, requester, now) {
      const given = await approvals.grants(conversationId, requester, now);
      return given.filter(({ id }) => !revoking.has(id));
    },
  };
}

/** Starts runs for calls of other runs. Features know the workers. */
function makeSubRuns(services: Services, { view, features }: Parts): SubRuns {
  return createSubRuns({
    ...services,
    store: services.store.runs,
    view,
    findWorker: (sought) => {
      const worker = features.map(({ workerOf }) => workerOf?.(sought)).find((found) => found !== undefined);
      // No setting may remove the tool that ends the run, or the one that shows what is allowed.
      return worker && { ...worker, only: [...worker.only, 'attempt_completion', finderName] };
    },
    limits: services.setup.view(({ config }) => {
      const { max_depth: maxDepth, max_running: maxRunning, timeout_secs } = config.tools.delegate;
      return { maxDepth, maxRunning, stall: timeout_secs * 1000 };
    }),
  });
}

function runSettingsOf(config: Config, isOwner: RunSettings['isOwner']): RunSettings {
  const { network, http_request } = config.tools;
  // `*` names no host.
  const named = http_request.allowed_domains.filter((pattern) => pattern !== '*');
  const listed = [...network.trusted_domains, ...named];
  const { max_failures: maxFailures, max_repeats: maxRepeats, burst_ms: burst } = config.agent;
  return {
    approval: approvalSettingsOf(config),
    isTrustedHost: (host) => fitsDomains(host, listed),
    isOwner,
    stuckWords: (entries) => stuckWords(entries, { maxFailures, maxRepeats }),
    burst,
    executeWithin: config.approval.execute_within_secs * 1000,
    contextTokens: config.agent.context_tokens,
  };
}

/** Counts all accounts of a person together, under the first. */
function rateLimiterOf({ setup, accounts, clock }: Services): Pick<RateLimiter, 'take'> {
  const limiter = createRateLimiter(
    clock,
    setup.view(({ config }) => rateLimitsOf(config)),
  );
  return { take: (toolName, principal) => limiter.take(toolName, accounts.accountsOf(principal)[0] ?? principal) };
}

/** Decides what a model reads of a conversation. */
function makeContext(services: Services, budget: Budget, subRuns: SubRuns) {
  const { store, setup, config } = services;
  const gauge = new TokenGauge();
  const framing = {
    ...services,
    gauge,
    zoneWriters: createZoneWriters(),
    promptOf: promptFinder(services, subRuns),
    context: setup.view(({ config: { agent, tools } }) => ({
      contextTokens: agent.context_tokens,
      summaries: agent.summaries,
      compactTools: tools.compact,
    })),
    workspaceAt: workspaces({
      maxRead: largestPicture,
      privatePaths: ownPathsOf({ ...services, config: setup.now.config }),
    }),
  };
  const compactor = createCompactor({ ...framing, store: store.summaries, budget });
  const context: RequestContext = {
    makeRoom: compactor.beforeAsk,
    summarise: compactor.now,
    requestFor: (question) => turnRequest(question, framing),
    limitOf: (label, known) => gauge.limit(label, config.agent.context_tokens, known),
    refused: (label, size, error) => gauge.refused(label, config.agent.context_tokens, size, error),
    learn: (label, estimated, usage) => gauge.learn(label, estimated, usage),
  };
  return { context, compactor };
}

/** Checks the budget before each call of a model. */
function makeBudget(services: Services): Budget {
  const { store, setup, accounts } = services;
  return createRunBudget({
    ...services,
    store: store.runs,
    spending: store.spending,
    attempts: store.attempts,
    limits: setup.view(({ config }) => budgetLimitsOf(config)),
    largestCall: largestCallOf(setup.now.config),
    priceOf: (model) => setup.now.config.models[model]?.price,
    accountsOf: accounts.accountsOf,
    dayOf: dayOf(setup),
  });
}

/** The day of an instant, as budgets count it. */
export function dayOf(setup: Live<Setup>): (at: number) => string {
  const day = setup.derived(({ config }) => dayIn(config.tools.schedule.time_zone));
  return (at) => day()(at);
}

export function budgetLimitsOf({ agent, budget, tools }: Config): BudgetLimits {
  const limits = (tokens: number | undefined, money: number | undefined): SpendingLimits => {
    return { tokens, cost: money === undefined ? undefined : Math.round(money * 1_000_000) };
  };
  return {
    turns: agent.max_turns,
    perRun: limits(budget.tokens_per_run, budget.money_per_run),
    perPerson: limits(budget.tokens_per_person_per_day, budget.money_per_person_per_day),
    perDay: limits(budget.tokens_per_day, budget.money_per_day),
    currency: budget.currency,
    timeZone: tools.schedule.time_zone ?? machineTimeZone(),
  };
}

/** An estimate for the longest request with its answer, by the most expensive model. */
function largestCallOf({ agent, models }: Config): Spent {
  const windows = Object.values(models).map((model) => model.context_tokens ?? agent.context_tokens);
  const tokens = Math.max(agent.context_tokens, ...windows) + longAnswer;
  const prices = Object.values(models).flatMap(({ price, context_tokens = agent.context_tokens }) =>
    price === undefined ? [] : [context_tokens * price.input_per_million + longAnswer * price.output_per_million],
  );
  return { tokens, cost: Math.max(0, ...prices) };
}

/** In tokens. */
const longAnswer = 4000;
