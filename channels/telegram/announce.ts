import { ChannelError, type ChannelFault } from '../../src/contract.ts';
import { type Clock, sleep } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import type { CommandMenu } from './commands.ts';

export interface AnnounceDependencies {
  readonly announce: (menu: CommandMenu) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const firstPause = 1_000;
const longestPause = 300_000;

/** Announces the menus one after the other. What fails for now is tried again until the signal aborts. */
export async function announceMenus(menus: readonly CommandMenu[], dependencies: AnnounceDependencies): Promise<void> {
  for (const menu of menus) await announceMenu(menu, dependencies);
}

async function announceMenu(menu: CommandMenu, { announce, clock, log, signal }: AnnounceDependencies): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      return await announce(menu);
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const pause = pauseAfter(error.fault, failures);
      const fields = { language: menu.language ?? 'all', reason: error.message };
      if (pause === undefined) return log.warn(fields, 'Telegram refuses a menu of commands');
      log.debug(fields, 'a menu of commands will be announced again');
      await sleep(clock, pause, signal);
    }
  }
}

/** In milliseconds; undefined where trying again would not help. */
function pauseAfter(fault: ChannelFault, failures: number): number | undefined {
  switch (fault.type) {
    case 'rate-limited':
      return Math.max(firstPause, fault.retryAfter);
    case 'transient':
    case 'ambiguous':
      return Math.min(longestPause, firstPause * 2 ** Math.min(failures, 16));
    case 'permanent':
    case 'auth':
    case 'moved':
      return undefined;
  }
}
