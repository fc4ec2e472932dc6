import type { Approval } from './approval.ts';

/** What somebody is told who decides about what is not pending any more. */
export function settledWords(approval: Approval): string {
  switch (approval.state) {
    case 'pending':
      return 'That could not be decided. Try again.';
    case 'approved':
      return 'That is already approved.';
    case 'denied':
      return 'That is already denied.';
    case 'answered':
      return 'That is already answered.';
    case 'expired':
      return 'Too late: nobody decided in time, so it did not run.';
    case 'cancelled':
      return 'That was called off before.';
  }
}
