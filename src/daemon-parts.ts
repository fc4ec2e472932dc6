import { CallJudge } from './agent/call-judge.ts';
import { CallRunner } from './agent/call-runner.ts';
import { AgentLoop } from './agent/loop.ts';
import { ModelTurn } from './agent/model-turn.ts';
import { TurnCalls } from './agent/turn-calls.ts';
import { ApprovalBroker } from './approval/broker.ts';
import { ApprovalDeadlines } from './approval/deadlines.ts';
import type { Config } from './config/schema.ts';
import type { ChannelAdapter, Conversation } from './contract.ts';
import { ClaimCode } from './conversation/claim.ts';
import { Commands } from './conversation/commands.ts';
import { Delivery } from './conversation/delivery.ts';
import type { HealthBoard } from './conversation/health-board.ts';
import { Intake } from './conversation/intake.ts';
import { LiveReplies } from './conversation/live-replies.ts';
import { Marks } from './conversation/marks.ts';
import type { Owners } from './conversation/owners.ts';
import { Reports } from './conversation/reports.ts';
import { RunQueue } from './conversation/run-queue.ts';
import { Stage } from './conversation/stage.ts';
import {
  approvalSettingsOf,
  approversOf,
  brokerSettingsOf,
  builtinSettingsOf,
  deliverySettingsOf,
  enabledChannels,
  isOff,
} from './daemon-settings.ts';
import type { Clock } from './lib/clock.ts';
import type { CrashPoints } from './lib/crash-points.ts';
import type { Log } from './lib/log.ts';
import type { LanguageModel } from './model/language-model.ts';
import type { Store } from './store/index.ts';
import { builtinTools } from './tools/builtin/index.ts';
import { workspaces } from './tools/guard/workspace.ts';
import { type ToolRegistration, ToolRegistry } from './tools/registry.ts';
import { ToolRunner } from './tools/runner.ts';

export interface DaemonOptions {
  readonly config: Config;
  readonly model: LanguageModel;
  /** The enabled channels, by name. */
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly clock: Clock;
  readonly log: Log;
  readonly crashPoint: CrashPoints;
  /** The environment of which shell commands get what is allowed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the first owner has to show, if there is none yet. */
  readonly claimCode: string;
  /** Tools of the operator's own, beside the builtin ones. */
  readonly tools?: readonly ToolRegistration[];
  /** Called when a person wants the process to end, or nothing more can come in. */
  readonly stopRequested: () => void;
}

/** What every part stands on. */
export interface Ground extends DaemonOptions {
  readonly store: Store;
  readonly owners: Owners;
  readonly health: HealthBoard;
  readonly workspaceOf: (conversation: Conversation) => string;
  /** Something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** Something was stored that lets these conversations go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
}

/** What brings messages to people, and shows what is being done. */
export function makeDelivery(
  ground: Ground,
  cardRefused: (approvalId: string) => Promise<void>,
): { readonly delivery: Delivery; readonly stage: Stage; readonly marks: Marks } {
  const { store, adapters, clock, log, crashPoint, config } = ground;
  const { outbox } = store;
  const live = new LiveReplies({ outbox, clock, log });
  const settings = deliverySettingsOf(config);
  const delivery = new Delivery({ outbox, adapters, live, clock, log, crashPoint, settings, cardRefused });
  const marks = new Marks({ adapters, log });
  const stage = new Stage({ adapters, delivery, live, marks, placeOf: (id) => store.inbox.placeOf(id), clock, log });
  return { delivery, stage, marks };
}

/** What asks people, and takes their decisions. */
export function makeBroker(ground: Ground): { readonly broker: ApprovalBroker; readonly deadlines: ApprovalDeadlines } {
  const { store, clock, log, deliver, wake, config, owners, adapters } = ground;
  const deadlines = new ApprovalDeadlines({ store: store.approvals, clock, log, deliver, wake });
  const broker = new ApprovalBroker({
    store: store.approvals,
    clock,
    deadlines,
    settings: brokerSettingsOf(config),
    approvers: () => approversOf(config, owners.all()),
    isReachable: (conversation: Conversation) => adapters.has(conversation.channel),
    deliver,
    wake,
  });
  return { broker, deadlines };
}

/** The tools, and what runs them. */
export function makeTools({ config, environment, clock, log, tools = [] }: DaemonOptions): {
  readonly registry: ToolRegistry;
  readonly runner: ToolRunner;
} {
  const { read_file, write_file, timeout_secs, max_result_chars } = config.tools;
  const runner = new ToolRunner({ clock, settings: { timeout: timeout_secs * 1000, maxOutput: max_result_chars } });
  const registry = new ToolRegistry({ log });
  const workspaceAt = workspaces({ maxRead: read_file.max_bytes, maxWrite: write_file.max_bytes });
  const builtins = builtinTools({ clock, environment, workspaceAt, settings: builtinSettingsOf(config) });
  for (const tool of builtins) if (!isOff(config, tool.name)) registry.register(tool, { type: 'builtin' });
  for (const tool of tools) registry.register(tool, { type: 'custom' });
  return { registry, runner };
}

/** What goes on with conversations. */
export function makeQueue(
  ground: Ground,
  parts: ReturnType<typeof makeTools> & { readonly stage: Stage; readonly broker: ApprovalBroker },
): RunQueue {
  const { store, config, model, clock, log, crashPoint, deliver } = ground;
  const { registry, runner, stage: presenter, broker } = parts;
  const judge = new CallJudge({ registry, approvals: store.approvals, settings: approvalSettingsOf(config), clock });
  const callRunner = new CallRunner({
    store: store.runs,
    judge,
    broker,
    runner,
    presenter,
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
    store: store.runs,
    model,
    registry,
    turnCalls: new TurnCalls({ judge, broker }),
    presenter,
    clock,
    crashPoint,
    instructions: config.agent.instructions,
    contextCharacters: config.agent.context_tokens * charactersPerToken,
    burst: config.agent.burst_ms,
  });
  const { max_turns: maxTurns } = config.agent;
  const { workspaceOf } = ground;
  const loop = new AgentLoop({
    store: store.runs,
    modelTurn,
    callRunner,
    presenter,
    workspaceOf,
    clock,
    log,
    maxTurns,
  });
  return new RunQueue({ loop, clock, log });
}

/** Fewer than in English prose, so that code and other languages fit too. */
const charactersPerToken = 3;

/** What takes in what the channels bring. */
export function makeIntake(
  ground: Ground,
  parts: ReturnType<typeof makeTools> & {
    readonly queue: RunQueue;
    readonly broker: ApprovalBroker;
    readonly marks: Marks;
  },
): Intake {
  const { store, config, owners, clock, log, crashPoint, deliver, wake } = ground;
  const { broker, queue, marks } = parts;
  const reports = makeReports(ground, parts);
  const claim = new ClaimCode(ground.claimCode, clock);
  const commands = new Commands({
    inbox: store.inbox,
    broker,
    clock,
    claim: () => (owners.isUnclaimed() ? claim : undefined),
    statusOf: (origin) => reports.status(origin),
    toolsOf: () => reports.tools(),
    deliver,
    stop: (conversationId) => queue.stop(conversationId),
    claimed: (principal) => owners.add(principal),
  });
  const access = enabledChannels(config);
  return new Intake({
    inbox: store.inbox,
    broker,
    commands,
    accessRules: (channel) => access.get(channel) ?? { allowFrom: [], groups: {} },
    isOwner: (principal) => owners.isOwner(principal),
    clock,
    log,
    crashPoint,
    deliver,
    wake,
    seen: (origin, messageId) => marks.seen(origin.conversationId, origin.conversation, messageId),
    supersede: (conversationId, principal) => queue.supersede(conversationId, principal),
  });
}

function makeReports(
  { store, config, health, model, clock, workspaceOf }: Ground,
  { registry, runner, queue }: ReturnType<typeof makeTools> & { readonly queue: RunQueue },
): Reports {
  return new Reports({
    approvals: store.approvals,
    registry,
    runner,
    health,
    settings: approvalSettingsOf(config),
    workspaceOf,
    isWorking: (conversationId) => queue.isBusy(conversationId),
    model: model.label,
    clock,
  });
}
