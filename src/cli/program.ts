import type { ChannelSettings } from '../config/schema.ts';
import type { Channel } from '../contract.ts';
import type { CrashPoints } from '../lib/crash-points.ts';

/** What the process gives to the program. */
export interface Program {
  readonly process: NodeJS.Process;
  /** Also loads the library that reads the config, which takes some 50 ms. Later calls give the same. */
  readonly channels: () => Promise<ProgramChannels>;
  readonly crashPoint?: CrashPoints | undefined;
}

export interface ProgramChannels {
  readonly loaders: Readonly<Record<string, () => Promise<Channel>>>;
  readonly settings: ChannelSettings;
}
