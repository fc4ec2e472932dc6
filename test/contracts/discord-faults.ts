import type { Fault } from '../support/discord/faults.ts';
import type { NetworkFault } from './platform.ts';

/** What Discord does when a message meets each kind of fault. The limit is in milliseconds. */
export function discordFaults(limit: number): Readonly<Record<NetworkFault, Fault>> {
  return {
    'rate-limited': { kind: '429', retryAfter: limit / 1_000 },
    transient: { kind: 'status', status: 500 },
    permanent: { kind: 'status', status: 403, code: 50_013, message: 'Missing Permissions' },
    auth: { kind: 'status', status: 401, message: '401: Unauthorized' },
    ambiguous: { kind: 'drop-after' },
  };
}
