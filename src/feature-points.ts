/*
 * The points at which features meet the rest. A feature is a folder of `src/features/` and a line in `src/daemon/features.ts`;
 * without both, the rest goes on. It is made by one function from the parts below, all of which are there by then, and says
 * what it adds. No feature sees another one: where two meet, they do so in one of these parts.
 */

import type { Config } from './config/schema.ts';
import type { ChannelAdapter, Conversation } from './contract.ts';
import type { ConfiguredAccess } from './conversation/access/access.ts';
import type { Accounts, Owners } from './conversation/access/people.ts';
import type { CommandGroup } from './conversation/commands/given-command.ts';
import type { HealthBoard } from './conversation/health/health-board.ts';
import type { Approvals } from './engine/decide.ts';
import type { Core, FindWorker } from './engine/feature.ts';
import type { Origin } from './engine/message.ts';
import type { Signal } from './lib/signal.ts';
import type { Store } from './store/index.ts';
import type { CallHooks } from './tools/call-hooks.ts';
import type { ProcessBounds } from './tools/guard/process/bounds.ts';
import type { SandboxState } from './tools/guard/process/process-bounds.ts';
import type { Redactor } from './tools/guard/redact/redact.ts';
import type { ScopedTool, ToolRegistration, ToolRegistry } from './tools/registry.ts';

/** What a feature is made from. */
export interface FeatureCore extends Core {
  /** Its values are those of the moment they are read, since the operator edits it meanwhile. */
  readonly config: Config;
  readonly store: Store;
  /** Aborts when the process ends: nothing new is begun. */
  readonly ending: AbortSignal;
  readonly owners: Owners;
  /** Which accounts belong to one person. */
  readonly accounts: Accounts;
  readonly registry: ToolRegistry;
  /** Who may talk where. */
  readonly rules: ConfiguredAccess;
  /** Somebody was heard. */
  readonly heard: Signal<string>;
  /** Says something to each owner, in the chat that they have with the bot alone. */
  readonly tellOwners: (markdown: string) => void;
  /** The owners whose channels run. */
  readonly reachableOwners: () => readonly string[];
  readonly approvals: Pick<Approvals, 'isApprover'>;
  /** The rights of accounts have changed, or who they belong to. */
  readonly rightsChanged: Signal<void>;
  readonly health: HealthBoard;
  /** What is wrong with the config's file, while the last one that worked holds in its place. */
  readonly configState: { readonly fault: string | undefined };
  readonly workspaceOf: (conversation: Conversation, sender?: string) => string;
  /** Ends what goes on in a conversation, because a person wants it. */
  readonly stop: (conversationId: string) => void;
  /** Takes secrets out of a text. */
  readonly redact: Redactor;
  /** The environment of which commands get what is allowed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What commands are kept in. */
  readonly bounds: ProcessBounds;
  readonly sandbox: SandboxState;
  /** What no tool gets at, though a workspace contains it. */
  readonly ownPaths: readonly string[];
  /** The channels that run. */
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  /** The machine slept, or its clock was set: by so many milliseconds. */
  readonly timeJumped: Signal<number>;
}

/** Where a feature brings channels in, while the daemon runs. */
export interface ChannelPort {
  /** The names of the channels from elsewhere that are switched on. */
  plugged(): readonly string[];
  /** Has one more channel run. Rejects with what its start throws; then it does not run. */
  attach(name: string, adapter: ChannelAdapter): Promise<void>;
  detach(name: string): Promise<void>;
}

/** What a feature adds. Each point is left out where it has nothing to say. */
export interface Feature {
  /** What people can order in the chat. */
  readonly commands?: readonly CommandGroup[];
  /** Builtin tools: each can be switched off by its name, and gives way to a tool of the operator's own. */
  tools?(): readonly ToolRegistration[];
  /** Tools with another source. One is left out where its name is taken. */
  broughtTools?(): Promise<readonly ScopedTool[]>;
  /** Who works on sub-runs, as far as the feature knows them. */
  readonly workerOf?: FindWorker;
  /** Channels of its own, by name: they begin and end with all others. */
  readonly channels?: readonly (readonly [string, ChannelAdapter])[];
  /** Where it listens; undefined while it does not. */
  address?(): string | undefined;
  /** What looks at calls before they are judged, and is told what became of them. */
  readonly hooks?: CallHooks;
  /** What `/status` says of it to this person, a paragraph of markdown each. */
  status?(origin: Origin): Promise<readonly string[]>;
  /** Begins, when the channels listen. Runs wait for what it returns, two seconds at most. */
  start?(channels: ChannelPort): Promise<void>;
  /**
   * The config was edited: what it has added is begun, what it has taken away is ended, and nothing else is touched. Tools are
   * asked for again before. Rejects with words for the operator.
   */
  reload?(change: ConfigChange): Promise<void>;
  /** Ends, when no run needs it any more. Resolves within 2 s. */
  stop?(): Promise<void>;
}

/** An edit of the config. `to` is the one that holds now. */
export interface ConfigChange {
  readonly from: Config;
  readonly to: Config;
}

/** Makes a feature. Nothing happens before it is started. */
export type MakeFeature = (core: FeatureCore) => Feature | Promise<Feature>;
