import type { RunQueue } from '../../engine/wake.ts';
import type { DaemonOptions, Services } from '../services.ts';
import type { MachineChats } from './chats/machine-chats.ts';

/** What answers are made of. */
export interface LocalParts {
  readonly services: Services;
  readonly queue: Pick<RunQueue, 'isWorking'>;
  /** When this process began, in ms since 1970. */
  readonly upSince: number;
  /** Each line of the log. */
  readonly logLines: DaemonOptions['logLines'];
  /** The chats that are open at this machine: loaded with the first. */
  readonly chats: () => Promise<MachineChats>;
}
