import { join } from 'node:path';
import { CallJudge } from './agent/call-judge.ts';
import { CallRunner } from './agent/call-runner.ts';
import { AgentLoop } from './agent/loop.ts';
import { ModelTurn } from './agent/model-turn.ts';
import { TurnCalls } from './agent/turn-calls.ts';
import { ApprovalBroker } from './approval/broker.ts';
import { ApprovalDeadlines } from './approval/deadlines.ts';
import type { Config } from './config/schema.ts';
import { type ChannelAdapter, type Conversation, principalOf } from './contract.ts';
import { channelHost } from './conversation/channel-host.ts';
import { ClaimCode } from './conversation/claim.ts';
import { Commands } from './conversation/commands.ts';
import { Delivery } from './conversation/delivery.ts';
import { HealthBoard } from './conversation/health-board.ts';
import { Intake } from './conversation/intake.ts';
import { LiveReplies } from './conversation/live-replies.ts';
import { Owners } from './conversation/owners.ts';
import { Reports } from './conversation/reports.ts';
import { RunQueue } from './conversation/run-queue.ts';
import { Stage } from './conversation/stage.ts';
import { workspaceFinder } from './conversation/workspaces.ts';
import {
  approvalSettingsOf,
  approversOf,
  brokerSettingsOf,
  builtinSettingsOf,
  enabledChannels,
  isOff,
} from './daemon-settings.ts';
import type { Clock } from './lib/clock.ts';
import type { CrashPoints } from './lib/crash-points.ts';
import type { Log } from './lib/log.ts';
import type { LanguageModel } from './model/language-model.ts';
import { lockData } from './store/data-lock.ts';
import { openStore, type Store } from './store/index.ts';
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

export interface Daemon {
  /** Whether somebody still has to claim it with the code. */
  readonly isUnclaimed: boolean;
  /** Begins to receive, and goes on with what a former process left. */
  start(): Promise<void>;
  /** Ends within 5 s: sends in flight finish, runs wait for the next process. Nothing is written as an outcome. */
  stop(): Promise<void>;
}

/** How long tools may go on when the process is told to end, in milliseconds. */
const toolGrace = 2_500;

/** Opens the data, and puts the parts together. Throws `DataLockedError` or `StoreError` if the data can't be used. */
export async function createDaemon(options: DaemonOptions): Promise<Daemon> {
  const unlock = lockData(options.config.data_dir);
  try {
    const store = openStore(join(options.config.data_dir, 'keyturn.db'));
    return await compose(options, store, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function compose(options: DaemonOptions, store: Store, unlock: () => void): Promise<Daemon> {
  const { config, model, adapters, clock, log, crashPoint, claimCode } = options;
  const access = enabledChannels(config);
  const approvalSettings = approvalSettingsOf(config);
  const localOwners = [...adapters].flatMap(([name, { localOwner }]) =>
    localOwner === undefined ? [] : [principalOf(name, localOwner.id)],
  );
  const owners = new Owners({ fixed: config.owners, local: localOwners, claimed: await store.inbox.owners() });
  const claim = new ClaimCode(claimCode, clock);

  const health = new HealthBoard({ clock, log });
  const registry = toolRegistry(options);
  const runner = new ToolRunner({
    clock,
    settings: { timeout: config.tools.timeout_secs * 1000, maxOutput: config.tools.max_result_chars },
  });
  const workspaceOf = workspaceFinder(config.workspace);

  const live = new LiveReplies({ outbox: store.outbox, clock, log });
  const deliverySettings = {
    firstPause: 500,
    longestPause: 30_000,
    ambiguousPause: config.delivery.ambiguous_retry_after_ms,
  };
  const delivery = new Delivery({
    outbox: store.outbox,
    adapters,
    live,
    clock,
    log,
    crashPoint,
    settings: deliverySettings,
  });
  const stage = new Stage({ adapters, delivery, live, placeOf: (id) => store.inbox.placeOf(id), clock, log });

  // The parts call each other in circles: what is made later is reached through these.
  const deliver = (conversationIds: readonly string[]): void => delivery.wake(conversationIds);
  const wake = (conversationIds: readonly string[]): void => queue.wake(conversationIds);

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
  const judge = new CallJudge({ registry, approvals: store.approvals, settings: approvalSettings, clock });
  const callRunner = new CallRunner({
    store: store.runs,
    judge,
    broker,
    runner,
    presenter: stage,
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
    presenter: stage,
    clock,
    crashPoint,
    instructions: config.agent.instructions,
    contextCharacters: config.agent.context_tokens * 3,
  });
  const loop = new AgentLoop({
    store: store.runs,
    modelTurn,
    callRunner,
    presenter: stage,
    workspaceOf,
    clock,
    log,
    maxTurns: config.agent.max_turns,
  });
  const queue = new RunQueue({ loop, clock, log });
  const reports = new Reports({
    approvals: store.approvals,
    registry,
    runner,
    health,
    settings: approvalSettings,
    workspaceOf,
    isWorking: (conversationId) => queue.isBusy(conversationId),
    model: model.label,
    clock,
  });
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
  const intake = new Intake({
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
  });

  const listening = new Set(adapters.keys());
  const ended = (channel: string): void => {
    listening.delete(channel);
    if (listening.size === 0) options.stopRequested();
  };
  const host = { intake, queue, delivery, health, clock, log, ended, stopRequested: options.stopRequested };
  return {
    isUnclaimed: owners.isUnclaimed(),
    async start() {
      deliver(await store.outbox.recover());
      await deadlines.attend();
      wake(await store.inbox.unfinished());
      for (const [name, adapter] of adapters) {
        health.report(name, { status: 'connecting' });
        await adapter.start(channelHost(name, host));
        if (!adapter.capabilities.history) deliver(await store.outbox.showCardsAgain(name));
      }
    },
    async stop() {
      // What still comes in while tools end is stored, and answered by the next process.
      await Promise.all([queue.end(toolGrace), ...[...adapters.values()].map((adapter) => adapter.stop())]);
      await deadlines.stop();
      await delivery.stop();
      store.close();
      unlock();
    },
  };
}

function toolRegistry({ config, environment, clock, log, tools = [] }: DaemonOptions): ToolRegistry {
  const registry = new ToolRegistry({ log });
  const { read_file, write_file } = config.tools;
  const workspaceAt = workspaces({ maxRead: read_file.max_bytes, maxWrite: write_file.max_bytes });
  const builtins = builtinTools({ clock, environment, workspaceAt, settings: builtinSettingsOf(config) });
  for (const tool of builtins) if (!isOff(config, tool.name)) registry.register(tool, { type: 'builtin' });
  for (const tool of tools) registry.register(tool, { type: 'custom' });
  return registry;
}
