import type { Clock } from '../../../src/lib/clock.ts';
import type { ApiRoute, DiscordApi } from '../web-api/api.ts';

export interface LookUpDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly clock: Clock;
  /** The session is over. */
  readonly signal: AbortSignal;
}

/** What comes after it in its lane waits that long at most, in milliseconds. */
const patience = 2_000;

/** Asks Discord once for what an event does not say. Throws `ChannelError`, also where the answer takes longer than 2 s. */
export async function lookUp(route: ApiRoute, { api, clock, signal }: LookUpDependencies): Promise<unknown> {
  const late = new AbortController();
  const cancel = clock.after(patience, () => late.abort());
  try {
    return await api.call('GET', route, { signal: AbortSignal.any([late.signal, signal]) });
  } finally {
    cancel();
  }
}
