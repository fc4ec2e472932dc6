import type { StreamableHTTPReconnectionOptions } from '@modelcontextprotocol/client';
import type { Clock } from '../../../lib/clock.ts';
import { endsWithin } from '../../../lib/ends-within.ts';
import { type OriginFetchRules, originFetch } from '../../guard/network/origin-fetch.ts';
import type { Door } from './door.ts';
import { HttpTransport } from './http-transport.ts';
import type { McpLibrary } from './library.ts';
import type { McpWay } from './server-settings.ts';

export interface HttpDoorDependencies {
  readonly way: Extract<McpWay, { type: 'http' }>;
  /** Hosts of the private network that the operator has opened for all. */
  readonly allowPrivate: readonly string[];
  readonly library: McpLibrary;
  readonly clock: Clock;
  readonly lookup?: OriginFetchRules['lookup'];
}

/** The largest answer that is read, in bytes: a picture has room in it. */
const largestAnswer = 32 * 2 ** 20;
/** How long a server may take to let go of the session, in milliseconds. */
const farewell = 1_000;

/** For a stream that broke and can be gone on with. */
const reconnection: StreamableHTTPReconnectionOptions = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 15_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
};

/** The way to a server at a URL of the config. Whatever it says, no other origin is asked for anything. */
export function httpDoor({ way, allowPrivate, library, clock, lookup }: HttpDoorDependencies): Door {
  return {
    isPipe: false,
    async open() {
      const { url, headers, mayBePrivate } = way;
      const guarded = await originFetch({
        url,
        mayBePrivate,
        allowPrivate,
        maxBytes: largestAnswer,
        ...(lookup === undefined ? {} : { lookup }),
      });
      const stream = new library.StreamableHTTPClientTransport(url, {
        fetch: guarded.fetch,
        requestInit: { headers: { ...headers } },
        redirectPolicy: 'same-origin',
        reconnectionOptions: reconnection,
        reconnectionScheduler: (reconnect, delay) => clock.after(delay, reconnect),
      });
      const transport = new HttpTransport(stream);
      return {
        transport,
        why: () => undefined,
        async close() {
          // Who is gone cannot be taken leave of.
          const leave = stream.terminateSession().catch(() => {});
          await endsWithin(leave, { clock, milliseconds: farewell });
          await stream.close();
          await guarded.close();
        },
      };
    },
  };
}
