import type { Fault } from '../support/slack/faults.ts';
import type { NetworkFault } from './platform.ts';

/** What Slack does when a message meets each kind of fault. The limit is in milliseconds. */
export function slackFaults(limit: number): Readonly<Record<NetworkFault, Fault>> {
  return {
    'rate-limited': { kind: '429', retryAfter: limit / 1_000 },
    transient: { kind: 'status', status: 500 },
    permanent: { kind: 'error', error: 'is_archived' },
    auth: { kind: 'error', error: 'token_revoked' },
    ambiguous: { kind: 'drop-after' },
  };
}
