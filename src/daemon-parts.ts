import { CallJudge } from './agent/call-judge.ts';
import { CallRunner } from './agent/call-runner.ts';
import { AgentLoop } from './agent/loop.ts';
import { ModelTurn } from './agent/model-turn.ts';
import { largestPicture } from './agent/pictures.ts';
import { TurnCalls } from './agent/turn-calls.ts';
import { ApprovalBroker } from './approval/broker.ts';
import { ApprovalDeadlines } from './approval/deadlines.ts';
import type { Config } from './config/schema.ts';
import type { ChannelAdapter, Conversation } from './contract.ts';
import type { Owners } from './conversation/access/owners.ts';
import type { People } from './conversation/access/people.ts';
import { Attachments } from './conversation/attachments/attachments.ts';
import { Delivery, type DeliveryDependencies } from './conversation/delivery/delivery.ts';
import { Downtime } from './conversation/health/downtime.ts';
import type { HealthBoard } from './conversation/health/health-board.ts';
import { LiveReplies } from './conversation/live/live-replies.ts';
import { Marks } from './conversation/live/marks.ts';
import { ToolCards } from './conversation/live/tool-cards.ts';
import { RunQueue } from './conversation/run-queue.ts';
import { Stage } from './conversation/stage.ts';
import {
  approvalSettingsOf,
  approversOf,
  attachmentSettingsOf,
  brokerSettingsOf,
  builtinSettingsOf,
  deliverySettingsOf,
  isOff,
  offerRulesOf,
  stageSettingsOf,
} from './daemon-settings.ts';
import type { Clock } from './lib/clock.ts';
import type { CrashPoints } from './lib/crash-points.ts';
import type { Log } from './lib/log.ts';
import type { LanguageModel } from './model/language-model.ts';
import type { Transcriber } from './model/transcriber.ts';
import type { Store } from './store/index.ts';
import { builtinTools } from './tools/builtin/index.ts';
import { workspaces } from './tools/guard/workspace/workspace.ts';
import { type ToolRegistration, ToolRegistry } from './tools/registry.ts';
import { ToolRunner } from './tools/runner.ts';

export interface DaemonOptions {
  readonly config: Config;
  readonly model: LanguageModel;
  /** Writes down what is spoken. Left out where no such model is set up. */
  readonly transcriber?: Transcriber;
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
  readonly people: People;
  readonly health: HealthBoard;
  readonly workspaceOf: (conversation: Conversation) => string;
  /** Something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** Something was stored that lets these conversations go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
}

export interface Showing {
  readonly delivery: Delivery;
  readonly stage: Stage;
  readonly marks: Marks;
  readonly live: LiveReplies;
  readonly cards: ToolCards;
}

/** What brings messages to people, and shows what is being done. */
export function makeDelivery(ground: Ground, told: Pick<DeliveryDependencies, 'cardRefused' | 'moved'>): Showing {
  const { store, adapters, clock, log, crashPoint, config } = ground;
  const { outbox, files } = store;
  const settings = deliverySettingsOf(config);
  const isBusy = (conversationId: string): boolean => delivery.isBusy(conversationId);
  // Of a longer text the last one is a file.
  const maxMessages = Math.max(1, settings.maxMessages - 1);
  const live = new LiveReplies({ outbox, clock, log, maxMessages, isBusy, deliver: ground.deliver });
  const isClear = (conversationId: string): boolean => !isBusy(conversationId) && !live.isHolding(conversationId);
  const cards = new ToolCards({ outbox, clock, log, isClear, deliver: ground.deliver });
  const delivery = new Delivery({ outbox, files, adapters, live, clock, log, crashPoint, settings, ...told });
  const marks = new Marks({ adapters, log });
  const stage = new Stage({
    adapters,
    delivery,
    live,
    cards,
    marks,
    settings: stageSettingsOf(config),
    placeOf: (id) => store.inbox.placeOf(id),
    clock,
    log,
  });
  return { delivery, stage, marks, live, cards };
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

/** What tells owners of a time without Keyturn. */
export function makeDowntime({ store, adapters, health, owners, config, clock, log, deliver }: Ground): Downtime {
  const longerThan = config.delivery.downtime_after_secs * 1000;
  const { lifetime } = store;
  return new Downtime({
    store: lifetime,
    adapters,
    health,
    owners: () => owners.all(),
    longerThan,
    clock,
    log,
    deliver,
  });
}

/** The tools, and what runs them. */
export function makeTools({ config, environment, clock, log, tools = [] }: DaemonOptions): {
  readonly registry: ToolRegistry;
  readonly runner: ToolRunner;
} {
  const { read_file, write_file, timeout_secs, max_result_chars } = config.tools;
  const runner = new ToolRunner({ clock, settings: { timeout: timeout_secs * 1000, maxOutput: max_result_chars } });
  const registry = new ToolRegistry({ log, offers: offerRulesOf(config) });
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
    workspaceAt: workspaces({ maxRead: largestPicture }),
    clock,
    log,
    crashPoint,
    instructions: config.agent.instructions,
    contextCharacters: config.agent.context_tokens * charactersPerToken,
    burst: config.agent.burst_ms,
  });
  const attachments = new Attachments({
    ...ground,
    store: store.attachments,
    workspaceAt: workspaces(),
    settings: attachmentSettingsOf(config),
  });
  const { max_turns: maxTurns } = config.agent;
  const { workspaceOf } = ground;
  const loop = new AgentLoop({
    store: store.runs,
    modelTurn,
    callRunner,
    attachments,
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
