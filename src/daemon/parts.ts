import type { Approval } from '../approval/approval.ts';
import { ApprovalBroker } from '../approval/broker.ts';
import { ApprovalDeadlines } from '../approval/deadlines.ts';
import { Questions } from '../approval/questions.ts';
import type { Config } from '../config/schema.ts';
import type { ChannelAdapter, Conversation } from '../contract.ts';
import type { Accounts } from '../conversation/access/accounts.ts';
import type { Owners } from '../conversation/access/owners.ts';
import type { People } from '../conversation/access/people.ts';
import { TrustBook } from '../conversation/access/trust-book.ts';
import type { DeviceDoor } from '../conversation/commands/device-commands.ts';
import { Delivery, type DeliveryDependencies } from '../conversation/delivery/delivery.ts';
import { Downtime } from '../conversation/health/downtime.ts';
import type { HealthBoard } from '../conversation/health/health-board.ts';
import { LiveReplies } from '../conversation/live/live-replies.ts';
import { Marks } from '../conversation/live/marks.ts';
import { ToolCards } from '../conversation/live/tool-cards.ts';
import { Stage } from '../conversation/stage.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import type { Log } from '../lib/log.ts';
import type { Models } from '../model/models.ts';
import type { Transcriber } from '../model/transcriber.ts';
import type { Store } from '../store/index.ts';
import type { ProcessBounds } from '../tools/guard/process/process-bounds.ts';
import type { SandboxState } from '../tools/guard/process/sandbox-trial.ts';
import type { Redactor } from '../tools/guard/redact/redact.ts';
import type { ToolRegistration } from '../tools/registry.ts';
import { approversOf, brokerSettingsOf, deliverySettingsOf, stageSettingsOf } from './settings.ts';

export interface DaemonOptions {
  readonly config: Config;
  /** What answers. */
  readonly models: Models;
  /** Writes down what is spoken. Left out where no such model is set up. */
  readonly transcriber?: Transcriber;
  /** The enabled channels, by name. */
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly clock: Clock;
  readonly log: Log;
  readonly crashPoint: CrashPoints;
  /** The environment of which shell commands get what is allowed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What neither the model nor the chats may read, wherever tools find it. */
  readonly secrets: readonly string[];
  /** Whether commands can be kept in a sandbox here, as the config wants it. */
  readonly sandbox: SandboxState;
  /** The config and its secrets, as absolute paths: no tool may read them. The data folder is added to them. */
  readonly privatePaths: readonly string[];
  /** What the first owner has to show, if there is none yet. */
  readonly claimCode: string;
  /** Tools of the operator's own, beside the builtin ones. */
  readonly tools?: readonly ToolRegistration[];
  /** Called when a person wants the process to end, or nothing more can come in. */
  readonly stopRequested: () => void;
}

/** What every part stands on. */
export interface Ground extends DaemonOptions {
  /** What devices can be paired with; undefined where the config has no gateway. */
  readonly deviceDoor: DeviceDoor | undefined;
  readonly store: Store;
  readonly owners: Owners;
  readonly people: People;
  /** Which accounts belong to one person. */
  readonly accounts: Accounts;
  readonly health: HealthBoard;
  readonly workspaceOf: (conversation: Conversation) => string;
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
export function makeBroker(ground: Ground): {
  readonly broker: ApprovalBroker;
  readonly questions: Questions;
  readonly deadlines: ApprovalDeadlines;
} {
  const { store, clock, log, deliver, wake, config, owners, accounts, adapters, redact } = ground;
  const ended = (approvals: readonly Approval[]): void => questions.ended(approvals);
  const deadlines = new ApprovalDeadlines({ store: store.approvals, clock, log, deliver, wake, ended });
  const broker = new ApprovalBroker({
    store: store.approvals,
    clock,
    deadlines,
    settings: brokerSettingsOf(config),
    approvers: () => approversOf(config, owners.all()).flatMap(accounts.accountsOf),
    isReachable: (conversation: Conversation) => adapters.has(conversation.channel),
    redact,
    deliver,
    wake,
    ended,
  });
  const questions = new Questions({ store: store.approvals, clock, deadlines, deliver, wake });
  return { broker, questions, deadlines };
}

/** What keeps whether owners trust what others have written. */
export function makeTrust({ store, adapters, owners, clock, log, deliver }: Ground): TrustBook {
  return new TrustBook({
    store: store.trust,
    ownersChats: async () => {
      const chats = await store.lifetime.directChats(owners.all());
      return chats.filter(({ conversation: { channel } }) => adapters.has(channel));
    },
    isOwner: (principal) => owners.isOwner(principal),
    clock,
    log,
    deliver,
  });
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
