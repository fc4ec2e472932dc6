import type { ChannelSettings } from '../config/schema.ts';
import type { Channel } from '../contract.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import type { Surroundings } from './setup/surroundings.ts';

/** What the process gives to the program. */
export interface Program {
  readonly process: NodeJS.Process;
  /** Also loads the library that reads the config, which takes some 50 ms. Later calls give the same. */
  readonly channels: () => Promise<ProgramChannels>;
  readonly crashPoint?: CrashPoints | undefined;
  /** Where a set-up looks for models, and how it reaches the platforms. Default: the usual places. */
  readonly surroundings?: Surroundings;
}

export interface ProgramChannels {
  readonly loaders: Readonly<Record<string, () => Promise<Channel>>>;
  readonly settings: ChannelSettings;
}
