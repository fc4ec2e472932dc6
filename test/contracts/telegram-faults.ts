import type { Fault } from '../support/telegram/faults.ts';
import type { NetworkFault } from './platform.ts';

/** What Telegram does when a message meets each kind of fault. The limit is in milliseconds. */
export function telegramFaults(limit: number): Readonly<Record<NetworkFault, Fault>> {
  return {
    'rate-limited': { kind: '429', retryAfter: limit / 1_000 },
    transient: { kind: 'status', status: 500 },
    permanent: { kind: 'status', status: 403, description: 'Forbidden: bot was blocked by the user' },
    auth: { kind: 'status', status: 401, description: 'Unauthorized' },
    ambiguous: { kind: 'drop-after' },
  };
}
