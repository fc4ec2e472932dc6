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

/** What the operator has set up. An edit of the config replaces it while the daemon runs. */
export interface Setup {
  readonly config: Config;
  /** What answers. */
  readonly models: Models;
  /** Writes down what is spoken. Left out where no such model is set up. */
  readonly transcriber?: Transcriber | undefined;
  /** What neither the model nor the chats may read, wherever tools find it. */
  readonly secrets: readonly string[];
  /** Whether commands can be kept in a sandbox here, as the config wants it. */
  readonly sandbox: SandboxState;
}

/** Whether the config's file is as it holds. */
export interface ConfigState {
  /** What is wrong with the file, in words for owners, while the last one that worked holds in its place. */
  readonly fault: string | undefined;
}

export interface DaemonOptions extends Setup {
  /** The enabled channels, by name. */
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly clock: Clock;
  readonly log: Log;
  readonly crashPoint: CrashPoints;
  /** The environment of which shell commands get what is allowed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The config and its secrets, as absolute paths: no tool may read them. The data folder is added to them. */
  readonly privatePaths: readonly string[];
  /** What the first owner has to show, if there is none yet. */
  readonly claimCode: string;
  /** Tools of the operator's own, beside the builtin ones. */
  readonly tools?: readonly ToolRegistration[];
  /**
   * Called when a person wants the process to end, or nothing more can come in. With a reason where all platforms have
   * refused it since its start.
   */
  readonly stopRequested: (refusal?: string) => void;
  /** How long tools may go on when the process is told to end, in milliseconds. Default 2,500. */
  readonly toolGrace?: number;
}

/** What every part stands on. Of the setup, `config`, `models` and `sandbox` are those of the moment they are read. */
export interface Services extends Omit<DaemonOptions, 'transcriber' | 'secrets'> {
  readonly setup: Live<Setup>;
  readonly configState: ConfigState;
  readonly store: Store;
  readonly registry: ToolRegistry;
  readonly owners: Owners;
  /** The rights of accounts have changed, or who they belong to. */
  readonly rightsChanged: Signal<void>;
  /** The owners whose channels run. */
  readonly reachableOwners: () => readonly string[];
  /** The people whom owners have let in with a code. */
  readonly paired: Set<string>;
  /** Which accounts belong to one person. */
  readonly accounts: Accounts;
  readonly health: HealthBoard;
  readonly workspaceOf: (conversation: Conversation, sender?: string) => string;
  /** Takes `secrets` out of a text, and what looks like one. */
  readonly redact: Redactor;
  /** What commands are kept in. */
  readonly bounds: ProcessBounds;
  /** Something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** Something was stored that lets these conversations go on. */
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

/** What brings messages to people, and shows what is being done. */
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
      // Of a longer text the last one is a file.
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

/** What asks people, and takes their decisions. */
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

/** What tells owners of a time without Keyturn. */
export function makeDowntime({ store, adapters, health, owners, config, clock, log, deliver }: Services) {
  return createDowntime({
    ...{ store: store.lifetime, adapters, health, clock, log, deliver },
    owners: () => owners.all(),
    longerThan: config.delivery.downtime_after_secs * 1000,
  });
}
