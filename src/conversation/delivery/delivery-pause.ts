import type { ChannelFault } from '../../contract.ts';

export interface PauseSettings {
  /** The pause before the first new try, in milliseconds; it doubles up to `longestPause`. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** The pause before a message is sent again whose first sending may have succeeded, in milliseconds. */
  readonly ambiguousPause: number;
}

/** How long to wait before the next try, in milliseconds, after so many failures before this one. */
export function pauseAfter(fault: ChannelFault, failures: number, settings: PauseSettings): number {
  const growing = growingPause(failures, settings);
  switch (fault.type) {
    case 'rate-limited':
      return fault.retryAfter;
    case 'ambiguous':
      return Math.max(settings.ambiguousPause, growing);
    case 'moved':
      return 0;
    case 'auth':
      return settings.longestPause;
    case 'transient':
    case 'permanent':
      return growing;
  }
}

/** A pause that doubles with each failure, up to the longest. */
export function growingPause(failures: number, { firstPause, longestPause }: PauseSettings): number {
  return Math.min(longestPause, firstPause * 2 ** Math.min(failures, 16));
}
