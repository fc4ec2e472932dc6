/*
 * The extension points of features. A feature is a folder of `src/features/` and a line in its `index.ts`; the rest works
 * without it. One function makes it from the parts below, which all exist by then, and returns what it
 * adds. Features do not see each other: they meet only in these parts.
 */

import type { RuleOffers } from './approval/rules/rule.ts';
import type { ConfigDesk } from './config/config-desk.ts';
import type { Finding, KeyPath } from './config/config-error.ts';
import type { Config } from './config/schema.ts';
import type { OwnSettings, SettingsPart } from './config/settings-part.ts';
import type { ChannelAdapter, Conversation, RoomEntry } from './contract.ts';
import type {
  CommandDefinition,
  CommandVariant,
  ObeyedCommand,
  StrangersCommand,
} from './conversation/commands/definition.ts';
import type { WaitingMatter } from './conversation/commands/reports/waiting-matter.ts';
import type { ConversationCore } from './conversation/conversation-core.ts';
import type { ObeyAside } from './engine/command-aside.ts';
import type { Approvals } from './engine/decide.ts';
import type { FindWorker, FinishedAnswer } from './engine/feature.ts';
import type { Origin } from './engine/message.ts';
import type { TakeAway } from './engine/take-away.ts';
import type { Listing } from './feature-points/listing.ts';
import type { LocalRequested, WebDoor, WebFrame, WebRoute } from './feature-points/web.ts';
import type { Signal } from './lib/live.ts';
import type { LogThreshold } from './lib/log.ts';
import type { Words } from './lib/words.ts';
import type { Transactions } from './store/database.ts';
import type { Store } from './store/index.ts';
import type { FeatureTables } from './store/migrate.ts';
import type { Sql } from './store/sql.ts';
import type { FileCopies } from './tools/file-copies.ts';
import type { ProcessBounds } from './tools/guard/process/sandbox.ts';
import type { WorkspaceFactory } from './tools/guard/workspace/workspace.ts';
import type { CallHooks } from './tools/operator-rules.ts';
import type { ScopedTool, ToolRegistration } from './tools/registry.ts';

export type * from './feature-points/listing.ts';
export type * from './feature-points/web.ts';

/** The parts that a feature is made from. */
export interface FeatureCore extends ConversationCore {
  readonly store: Store;
  /** The values of a feature's own settings, which are always the current ones: read them when you use them. */
  readonly settings: <Settings extends object>(own: OwnSettings<Settings>) => Settings;
  /** What a config names, and is not there. */
  readonly lookAround: (config: Config) => Promise<readonly Finding[]>;
  /** For its own tables: see `FeatureDefinition.tables`. */
  readonly database: Transactions;
  /** Aborts when the process ends: begin nothing new. */
  readonly ending: AbortSignal;
  /** Sends to each owner in their own direct chat. */
  readonly tellOwners: (markdown: Words) => void;
  readonly approvals: Pick<Approvals, 'isApprover' | 'openFor' | 'decide' | 'press' | 'answer'>;
  /** What waits for this person, or goes on because they want it, in the conversation and elsewhere: what `/status` lists. */
  readonly room: (origin: Origin) => Promise<readonly RoomEntry[]>;
  /** Grants that no longer hold, though that is not stored yet. */
  readonly revoking: Set<string>;
  /** The fault in the config file, if any. The last valid config stays in force. */
  readonly configState: { readonly fault: Words | undefined };
  /** For owners who change the config's file. Undefined: there is none. */
  readonly configDesk: ConfigDesk | undefined;
  /** How much is logged. */
  readonly logThreshold: LogThreshold;
  /** Stops the conversation's work at a person's request, which is stored. */
  readonly stop: (conversationId: string) => void;
  /** The same before it is stored: nothing begins there until the returned function is called. */
  readonly halt: (conversationIds: readonly string[]) => () => void;
  /** Obeys a command that a person gives aside from their chats: its answer comes back, and is not sent. */
  readonly obeyAside: ObeyAside;
  /** All that may be typed, in the order of menus. */
  readonly menu: readonly CommandDefinition[];
  /** For what takes rights away: it holds in memory at once, and is stored after. */
  readonly takeAway: TakeAway;
  /** The environment. Commands get the allowed part of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The sandboxing of commands. */
  readonly bounds: ProcessBounds;
  /** Guards a workspace. No tool may access Keyturn's own files, even inside one. */
  readonly workspaceAt: WorkspaceFactory;
  /** The machine slept or its clock was set. In ms. */
  readonly timeJumped: Signal<number>;
  /** Features add theirs while they are made. */
  readonly webRoutes: Map<string, WebRoute>;
  /** What browsers at the gateway may say besides its own frames, by the type of the frame. Features add theirs while they are made. */
  readonly webFrames: Map<string, WebFrame>;
  /** Who is let in at the gateway. The feature that has `webDoor` answers. */
  readonly webDoor: WebDoor;
  /** What programs on this machine may ask at the local socket, by the name of the request. Features add theirs while they are made. */
  readonly localRequests: Map<string, LocalRequested>;
  /** What a person may look through aside from their chats, by name: `schedules`. Features add theirs while they are made. */
  readonly listings: Map<string, Listing>;
  /** Told behind the loading of much code that is rarely needed: what only the loading took is given back. */
  readonly muchLoaded: Signal<void>;
  /** What monitors may ask of a feature, by names of metrics. Features add theirs while they are made. */
  readonly figures: Map<string, Figure>;
  /** What owners trust: use no code or text of others without it. The feature that has `trust` answers. */
  readonly trust: Trust;
}

/** A number of a feature that goes up and down. */
export interface Figure {
  /** For operators who look at it elsewhere: an English sentence. */
  readonly description: string;
  /** Reads it now. Takes no time. Rejects if that is not possible. */
  read(): Promise<number>;
}

/** Lets a feature add channels while the daemon runs. */
export interface ChannelPort {
  /** The names of the enabled external channels. */
  plugged(): readonly string[];
  /** Starts one more channel. Rejects with the error of its start; it then does not run. */
  attach(name: string, adapter: ChannelAdapter): Promise<void>;
  detach(name: string): Promise<void>;
}

/** What a feature adds. Omit the points it does not use. */
export interface Feature {
  /** What its chat commands do: all that its definition lists. */
  readonly commands?: readonly ObeyedCommand[];
  /** Special forms of commands, its own or others'. */
  readonly commandVariants?: readonly CommandVariant[];
  /** Commands that are also accepted from people who may not talk yet. */
  readonly strangersCommands?: readonly StrangersCommand[];
  /** Builtin tools. Each can be disabled by name and is overridden by an operator's tool of the same name. */
  tools?(): readonly ToolRegistration[];
  /** Tools from another source. A tool whose name is taken is skipped. */
  broughtTools?(): Promise<readonly ScopedTool[]>;
  /** Finds the workers of this feature's sub-runs. */
  readonly workerOf?: FindWorker;
  /** Its own channels, by name. They start and stop with all others. */
  readonly channels?: readonly (readonly [string, ChannelAdapter])[];
  /** Hooks before calls are judged and after they end. */
  readonly hooks?: CallHooks;
  /** Keeps copies of what calls change. */
  readonly fileCopies?: FileCopies;
  /** Finds the lasting rules that cards offer. While no feature does, none is offered. */
  readonly ruleOffers?: RuleOffers;
  /** Lets browsers in. While no feature does, nobody is let in. */
  readonly webDoor?: WebDoor;
  /** Answers what the other features want to have trusted. While no feature does, nothing is trusted. */
  readonly trust?: Trust;
  /** A run has ended with this answer, which is stored. Returns at once. */
  answered?(answer: FinishedAnswer): void;
  /** What of it waits for this person, or goes on because they want it: shown by `/status` and in channels' own pages. */
  waiting?(origin: Origin): Promise<readonly WaitingMatter[]>;
  /** What of it does not work, for this person: shown by `/status`, one paragraph of markdown each. */
  troubles?(origin: Origin): Promise<readonly string[]>;
  /** Its part of `/status details` for this person: one paragraph of markdown each. */
  status?(origin: Origin): Promise<readonly string[]>;
  /** Which tools are missing for this person, and why: the end of `/tools`, one paragraph of markdown each. */
  missingTools?(origin: Origin): readonly string[];
  /** Called once the channels listen. Runs wait for the result, at most 2 s. */
  start?(channels: ChannelPort): Promise<void>;
  /**
   * The config was edited: starts what was added, stops what was removed, touches nothing else. Its tools were
   * requested again before. Rejects with words for the operator.
   */
  reload?(change: ConfigChange): Promise<void>;
  /**
   * Which parts of the config that it runs do not work. Resolves once each has started or failed, or the signal aborts.
   * Never rejects.
   */
  faults?(over: AbortSignal): Promise<readonly PartFault[]>;
  /** Called after an edit, once its parts have started or failed, in the order of the edits. Never rejects. */
  edited?(change: ConfigChange, faults: readonly PartFault[]): Promise<void>;
  /** Called when no run needs it any longer. Resolves within 2 s. */
  stop?(): Promise<void>;
}

/** `to` is the config in force now. */
export interface ConfigChange {
  readonly from: Config;
  readonly to: Config;
  /** Of `to`: what is allowed, but may be a mistake, and was not so before. */
  readonly warnings?: readonly Words[];
}

/** A part that the config names, and that does not work. */
export interface PartFault {
  /** Its place: `['mcp_servers', 'files']`; of a list of texts, the text: `['tool_modules', '/home/ada/mine.ts']`. */
  readonly place: KeyPath;
  /** A sentence of plain text that names the part and says why. May contain secrets. */
  readonly words: Words;
}

/** A feature, as `src/features/index.ts` lists it. */
export interface FeatureDefinition {
  /** The name of its folder. */
  readonly name: string;
  /** Its chat commands: menus and `/help` have them. */
  readonly commands?: readonly CommandDefinition[];
  /** Its keys of the config. */
  readonly settings?: SettingsPart;
  /** Its tables, in the same database as the core's. They stay there when it is left out. */
  readonly tables?: FeatureTables;
  /** Takes in what a person had in another program. Loads nothing else of it. */
  readonly intake?: () => Promise<Intake>;
  /** Makes it. It does nothing until it is started. */
  make(core: FeatureCore): Feature | Promise<Feature>;
}

/** Takes in what a person had in another program, while no daemon runs. */
export interface Intake {
  readonly memory?: IntakeOf<FormerMemory>;
  readonly schedule?: IntakeOf<FormerSchedule>;
}

export interface IntakeOf<Matter> {
  /** Whether the same is there already. Changes nothing. */
  isKnown(matter: Matter, sql: Sql): Promise<boolean>;
  /** Stores it, in a transaction of the caller. `full`: the person has as much as the config allows. */
  store(matter: Matter, into: IntakePlace): Promise<'stored' | 'full'>;
}

export interface IntakePlace {
  /** The statements of that transaction. */
  readonly sql: Sql;
  readonly config: Config;
  readonly at: number;
}

/** What a person had in another program. */
interface FormerMatter {
  /** The account that it is stored under. */
  readonly principal: string;
  /** All accounts of the person. */
  readonly accounts: readonly string[];
  readonly text: string;
  /** What is known of where it comes from: nobody knows what the other program had read. */
  readonly untrusted: readonly string[];
}

export interface FormerMemory extends FormerMatter {
  readonly tags: readonly string[];
}

/** Something to be done at a time, or again and again. */
export interface FormerSchedule extends FormerMatter {
  readonly conversation: Conversation;
  readonly name: string;
  readonly title?: string | undefined;
  /** Five fields. Undefined: once. */
  readonly cron?: string | undefined;
  readonly timeZone: string;
  readonly nextAt: number;
}

/** Whether owners trust external code or texts. Trust is stored, and ends when the subject changes. */
export interface Trust {
  /**
   * Whether an owner trusts exactly this state. If not, the owners are told once. `decided` is called when an owner
   * decides otherwise, until the next review of the same kind and name. `isAdopted`: named in the config, so its first
   * state is trusted without a question. Rejects if the store does.
   */
  review(subject: TrustSubject, decided: (isTrusted: boolean) => void, isAdopted?: boolean): Promise<boolean>;
}

/** Code or text from elsewhere, in its exact current state. */
export interface TrustSubject {
  readonly kind: TrustKind;
  /** Unique within its kind: a plugin's name, a module's path, `server/tool`. At most 200 characters. */
  readonly name: string;
  /** SHA-256 of everything that identifies it, as 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** What it is and what it adds, for the owner who decides: a few lines of markdown. */
  readonly what: Words;
}

export type TrustKind = 'plugin' | 'channel_plugin' | 'tool_module' | 'mcp_tool';
