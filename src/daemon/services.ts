import type { ConfigDesk } from '../config/config-desk.ts';
import type { Config } from '../config/schema.ts';
import type { SettingsPart } from '../config/settings-part.ts';
import type { ChannelAdapter, StartLink } from '../contract.ts';
import type { GroupChoices } from '../conversation/access/group-choices.ts';
import type { MovedChats } from '../conversation/access/moved-chats.ts';
import type { Besides } from '../delivery/attempt.ts';
import type { Approvals } from '../engine/decide.ts';
import type { FeatureCore } from '../feature-points.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import type { Live, Signal } from '../lib/live.ts';
import type { Log, LogThreshold } from '../lib/log.ts';
import type { Network } from '../lib/network/network.ts';
import type { InLanguage, Words } from '../lib/words.ts';
import type { Models } from '../models/open-models.ts';
import type { Transcriber } from '../models/transcriber.ts';
import type { HostLookup } from '../tools/guard/network/network-rules.ts';
import type { CommandShell } from '../tools/guard/process/command-shell.ts';
import type { SandboxState } from '../tools/guard/process/sandbox.ts';
import type { ToolRegistration } from '../tools/registry.ts';

import type { AnsweredOffers } from './answered-offers.ts';
import type { AnsweredTrust } from './answered-trust.ts';
import type { AnsweredWebDoor } from './answered-web-door.ts';

/** The operator's setup. An edit of the config replaces it while the daemon runs. */
export interface Setup {
  readonly config: Config;
  readonly models: Models;
  /** Undefined without a transcription model. */
  readonly transcriber?: Transcriber | undefined;
  /** Default: directly. */
  readonly network?: Network;
  /** Redacted in everything that the model and the chats get. */
  readonly secrets: readonly string[];
  /** Whether commands can be sandboxed here, as configured. */
  readonly sandbox: SandboxState;
  /** What reads commands. Default: `sh`. */
  readonly shell?: CommandShell;
  /** What the config allows, but may be a mistake. */
  readonly warnings?: readonly Words[];
}

export interface DaemonOptions extends Setup {
  /** The enabled channels, by name. */
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly clock: Clock;
  readonly log: Log;
  /** Of that log. Default: one that nothing follows. */
  readonly logThreshold?: LogThreshold;
  readonly crashPoint?: CrashPoints | undefined;
  /** Shell commands get only the allowed variables of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The config and its `.env`, absolute: hidden from tools, like the data folder. */
  readonly privatePaths: readonly string[];
  /** For owners who change the config. Omitted: there is no file. */
  readonly configDesk?: ConfigDesk | undefined;
  /** The code with which the first owner claims Keyturn. */
  readonly claimCode: string;
  /** Called once a channel knows where a person opens it to claim Keyturn, for as long as nobody owns it. */
  readonly startLinkKnown?: ((channel: string, link: StartLink) => void) | undefined;
  /** Called once somebody has claimed Keyturn. */
  readonly claimed?: ((principal: string) => void) | undefined;
  /** Called if the start waits for another program that reads the data. */
  readonly dataInUse?: (words: InLanguage) => void;
  /** Ends that wait. */
  readonly startEnding?: AbortSignal;
  /** The operator's own tools, besides the builtin ones. */
  readonly tools?: readonly ToolRegistration[] | undefined;
  /** Each line of the process's log as it is written, for who follows it at this machine. Omitted: it cannot be followed. */
  readonly logLines?: Pick<Signal<string>, 'listen'>;
  /**
   * Called when a person ends the process, or no more input can come; with a reason if all platforms have refused since
   * the start.
   */
  readonly stopRequested: (refusal?: Words) => void;
  /** Resolves host names for the web tools. Default: the system's. */
  readonly lookup?: HostLookup;
  /** How long tools may continue when the process is told to end, in ms. Default 2,500. */
  readonly toolGrace?: number;
}

/**
 * Shared by all parts, and by features. `config`, `models` and `sandbox` are always the current ones. Most parts are
 * made from these and a few more: `createX({ ...services, … })`.
 */
export interface Services
  extends FeatureCore,
    Pick<
      DaemonOptions,
      'privatePaths' | 'claimCode' | 'startLinkKnown' | 'claimed' | 'tools' | 'stopRequested' | 'lookup'
    > {
  readonly setup: Live<Setup>;
  /** The settings of the features. */
  readonly parts: readonly SettingsPart[];
  readonly movedChats: MovedChats;
  readonly trust: AnsweredTrust;
  readonly webDoor: AnsweredWebDoor;
  readonly ruleOffers: AnsweredOffers;
  readonly models: Models;
  readonly approvals: Approvals;
  /** Channels come and go. */
  readonly adapters: Map<string, ChannelAdapter>;
  readonly logThreshold: LogThreshold;
  readonly configState: { fault: Words | undefined };
  /** What owners have chosen for groups that the config does not name. */
  readonly groupChoices: GroupChoices;
  /** The people let in with a code. */
  readonly paired: Set<string>;
  /**
   * Sends a notice to each owner in their direct chat: with `notOnRefused`, not on channels that their platform refuses
   * now; not in the chat `besides`, which already has it. If there is no such chat, it is logged.
   */
  readonly tellOwners: (markdown: Words, notOnRefused?: boolean, besides?: Besides) => void;
}
