import type { Config } from '../config/schema.ts';
import type { ChannelAdapter, Conversation } from '../contract.ts';
import type { MoveChat } from '../conversation/access/chat-moves.ts';
import type { Accounts, Owners } from '../conversation/access/people.ts';
import type { HealthBoard } from '../conversation/health/channel-watch.ts';
import { createDowntime } from '../conversation/health/downtime.ts';
import { createChannelView } from '../conversation/live/channel-view.ts';
import { createLiveReplies, type LiveReplies } from '../conversation/live/live-replies.ts';
import { createMarks, type Marks } from '../conversation/live/marks.ts';
import { createToolCards, type ToolCards } from '../conversation/live/tool-cards.ts';
import { type Approvals, createApprovals } from '../engine/decide.ts';
import type { LiveView } from '../engine/feature.ts';
import { type Besides, createDelivery, type Delivery } from '../engine/send.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import type { Live, Signal } from '../lib/live.ts';
import type { Log } from '../lib/log.ts';
import type { Models } from '../models/open-models.ts';
import type { Transcriber } from '../models/transcriber.ts';
import type { Store } from '../store/index.ts';
import type { ProcessBounds, SandboxState } from '../tools/guard/process/process-bounds.ts';
import type { Redactor } from '../tools/guard/redact/redact.ts';
import type { ToolRegistration, ToolRegistry } from '../tools/registry.ts';

/** The operator's setup. An edit of the config replaces it while the daemon runs. */
export interface Setup {
  readonly config: Config;
  readonly models: Models;
  /** Undefined without a transcription model. */
  readonly transcriber?: Transcriber | undefined;
  /** Redacted in everything that the model and the chats get. */
  readonly secrets: readonly string[];
  /** Whether commands can be sandboxed here, as configured. */
  readonly sandbox: SandboxState;
}

export interface ConfigState {
  /** The fault of the config's file, for owners, while the last config that worked runs instead. */
  readonly fault: string | undefined;
}

export interface DaemonOptions extends Setup {
  /** The enabled channels, by name. */
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly clock: Clock;
  readonly log: Log;
  readonly crashPoint?: CrashPoints;
  /** Shell commands get only the allowed variables of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The config and its `.env`, absolute: hidden from tools, like the data folder. */
  readonly privatePaths: readonly string[];
  /** The code with which the first owner claims Keyturn. */
  readonly claimCode: string;
  /** The operator's own tools, besides the builtin ones. */
  readonly tools?: readonly ToolRegistration[];
  /**
   * Called when a person ends the process, or no more input can come; with a reason if all platforms have refused since
   * the start.
   */
  readonly stopRequested: (refusal?: string) => void;
  /** How long tools may continue when the process is told to end, in ms. Default 2,500. */
  readonly toolGrace?: number;
}

/** Shared by all parts. `config`, `models` and `sandbox` are the current ones whenever they are read. */
export interface Services extends Omit<DaemonOptions, 'transcriber' | 'secrets'> {
  readonly setup: Live<Setup>;
  readonly configState: ConfigState;
  readonly store: Store;
  readonly registry: ToolRegistry;
  readonly owners: Owners;
  /** The rights of accounts have changed, or whose they are. */
  readonly rightsChanged: Signal<void>;
  /** The owners on channels that run. */
  readonly reachableOwners: () => readonly string[];
  /** The people let in with a code. */
  readonly paired: Set<string>;
  /** Which accounts belong to one person. */
  readonly accounts: Accounts;
  readonly health: HealthBoard;
  readonly workspaceOf: (conversation: Conversation, sender?: string) => string;
  /** Removes `secrets` from a text, and what looks like one. */
  readonly redact: Redactor;
  /** The limits of commands. */
  readonly bounds: ProcessBounds;
  /** Something was stored for delivery to these conversations. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** Something was stored that lets these conversations continue. */
  readonly wake: (conversationIds: readonly string[]) => void;
}

export interface Showing {
  readonly delivery: Delivery;
  readonly view: LiveView;
  readonly marks: Marks;
  readonly live: LiveReplies;
  readonly cards: ToolCards;
}

interface DeliveryParts {
  readonly moveChat: MoveChat;
  readonly tellOwners: (markdown: string, notOnRefused: boolean, besides: Besides) => void;
}

/** Delivers messages, and shows work in progress. */
export function makeDelivery(
  services: Services,
  approvals: Approvals,
  { moveChat, tellOwners }: DeliveryParts,
): Showing {
  const { store, adapters, clock, log, crashPoint, setup, redact } = services;
  const { outbox, files } = store;
  const settings = setup.view(({ config: { agent, delivery: wanted } }) => ({
    firstPause: 500,
    longestPause: 900_000,
    ambiguousPause: wanted.ambiguous_retry_after_ms,
    maxMessages: wanted.max_messages,
    lateAfter: wanted.late_after_secs * 1000,
    steadyAfter: agent.last_try_after_secs * 1000,
  }));
  const isBusy = (conversationId: string): boolean => delivery.isBusy(conversationId);
  const live = createLiveReplies({
    ...{ outbox, clock, log, isBusy, deliver: services.deliver },
    get maxMessages() {
      // The last part of a longer text is a file.
      return Math.max(1, settings.maxMessages - 1);
    },
  });
  const isClear = (conversationId: string): boolean => !isBusy(conversationId) && !live.isHolding(conversationId);
  const cards = createToolCards({ outbox, clock, log, isClear, deliver: services.deliver });
  const delivery = createDelivery({
    ...{ outbox, files, adapters, live, clock, log, crashPoint, settings, redact },
    cardRefused: (approvalId) => approvals.cardRefused(approvalId),
    cardShown: () => void approvals.attend(),
    tellOwners: (markdown, besides) => tellOwners(markdown, false, besides),
    moved: moveChat,
  });
  const marks = createMarks({ adapters, log });
  const view = createChannelView({
    adapters,
    delivery,
    live,
    cards,
    marks,
    settings: setup.view(({ config }) => ({
      editReplies: config.delivery.stream,
      toolCards: config.delivery.tool_cards,
    })),
    placeOf: (id) => store.inbox.placeOf(id),
    redact,
    get secrets() {
      return setup.now.secrets;
    },
    clock,
    log,
  });
  return { delivery, view, marks, live, cards };
}

/** Asks people, and takes their decisions. */
export function makeApprovals(services: Services): Approvals {
  const { store, setup, config, owners, accounts, adapters, redact } = services;
  return createApprovals(services, {
    store: store.approvals,
    settings: setup.view(({ config: { approval, budget } }) => ({
      timeout: approval.timeout_secs * 1000,
      extensionTimeout: budget.ask_timeout_secs * 1000,
      window: approval.window_secs * 1000,
      forwardTo: approval.forward_to,
    })),
    approvers: () => {
      const named = config.approval.approvers.flatMap((id) => (id === 'owner' ? owners.all() : [id]));
      return [...new Set(named)].flatMap(accounts.accountsOf);
    },
    isReachable: (conversation: Conversation) => adapters.has(conversation.channel),
    redact,
  });
}

/** Tells owners of downtime. */
export function makeDowntime({ store, adapters, health, owners, config, clock, log, deliver }: Services) {
  return createDowntime({
    ...{ store: store.lifetime, adapters, health, clock, log, deliver },
    owners: () => owners.all(),
    longerThan: config.delivery.downtime_after_secs * 1000,
  });
}
