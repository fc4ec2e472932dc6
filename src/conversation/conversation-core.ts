import type { Config } from '../config/schema.ts';
import type { ChannelAdapter, Conversation } from '../contract.ts';
import type { ChatRules, Core } from '../engine/feature.ts';
import type { Signal } from '../lib/live.ts';
import type { Network } from '../lib/network/network.ts';
import type { SandboxState } from '../tools/guard/process/sandbox.ts';
import type { Redactor } from '../tools/guard/redact/redact.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { Accounts, Owners } from './access/access.ts';
import type { ConfiguredAccess } from './access/access-rules.ts';
import type { Languages } from './access/languages.ts';
import type { Readers } from './access/readers.ts';
import type { TimeZones } from './access/time-zones.ts';
import type { HealthBoard } from './health/health-board.ts';
import type { OwnersChats } from './owners-chats.ts';

/** What the parts of conversations, and features, share. */
export interface ConversationCore extends Core {
  /** Edited while the process runs: read values when you use them. */
  readonly config: Config;
  /** The running channels. */
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly health: HealthBoard;
  readonly owners: Owners;
  /** Where owners are told something. */
  readonly ownersChats: OwnersChats;
  /** Which accounts belong to one person. */
  readonly accounts: Accounts;
  /** Which time zone holds for whom. */
  readonly timeZones: TimeZones;
  /** Which language holds for whom. */
  readonly languages: Languages;
  /** For whom an answer is written. */
  readonly readers: Readers;
  /** What the config says of single chats. */
  readonly chats: ChatRules;
  /** Who may talk where. */
  readonly rules: ConfiguredAccess;
  /** A person was heard, or may talk from now on. */
  readonly heard: Signal<string>;
  /** The rights of accounts changed, or which person they belong to. */
  readonly rightsChanged: Signal<void>;
  readonly registry: ToolRegistry;
  readonly workspaceOf: (conversation: Conversation, sender?: string) => string;
  readonly sandbox: SandboxState;
  /** How requests get out. Edited while the process runs. */
  readonly network: Network;
  /** Removes secrets from a text. */
  readonly redact: Redactor;
}
