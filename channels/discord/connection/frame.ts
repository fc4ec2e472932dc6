import { z } from 'zod';
import { parseJson } from '../../../src/lib/json.ts';

/** What comes through the gateway, as far as whoever keeps the connection must know it. */
export type Frame =
  /** Something happened. */
  | { readonly type: 'event'; readonly name: string; readonly data: unknown; readonly sequence: number }
  /** A session has begun. */
  | {
      readonly type: 'ready';
      readonly sessionId: string;
      readonly resumeUrl: string;
      readonly guilds: number;
      readonly data: unknown;
      readonly sequence: number;
    }
  /** A session goes on, and all that was missed has been sent. */
  | { readonly type: 'resumed'; readonly sequence: number }
  /** The connection stands: a heartbeat is expected so often, in milliseconds. */
  | { readonly type: 'hello'; readonly interval: number }
  /** A heartbeat is asked for at once. */
  | { readonly type: 'beat-wanted' }
  /** A heartbeat has arrived. */
  | { readonly type: 'acknowledged' }
  /** Discord wants to be connected to anew. */
  | { readonly type: 'reconnect' }
  /** The session is not valid, or not now. */
  | { readonly type: 'invalid-session'; readonly isResumable: boolean }
  /** Nothing that Discord documents. */
  | { readonly type: 'rubbish' };

const readyShape = z.object({
  session_id: z.string().min(1),
  resume_gateway_url: z.url({ protocol: /^wss?$/ }),
  guilds: z.array(z.unknown()).catch([null]),
});
const payloadShape = z.discriminatedUnion('op', [
  z.object({ op: z.literal(0), t: z.string(), s: z.int().nonnegative(), d: z.unknown() }),
  z.object({ op: z.literal(1) }),
  z.object({ op: z.literal(7) }),
  z.object({ op: z.literal(9), d: z.boolean().catch(false) }),
  z.object({
    op: z.literal(10),
    d: z.object({
      heartbeat_interval: z
        .number()
        .min(1)
        .max(2 ** 31 - 1),
    }),
  }),
  z.object({ op: z.literal(11) }),
]);

/** Reads what the gateway sent. Never throws: what nobody expected is rubbish. */
export function readFrame(text: unknown): Frame {
  const { data: payload } = payloadShape.safeParse(typeof text === 'string' ? parseJson(text) : undefined);
  if (payload === undefined) return { type: 'rubbish' };
  switch (payload.op) {
    case 0:
      return readEvent({ name: payload.t, data: payload.d, sequence: payload.s });
    case 1:
      return { type: 'beat-wanted' };
    case 7:
      return { type: 'reconnect' };
    case 9:
      return { type: 'invalid-session', isResumable: payload.d };
    case 10:
      return { type: 'hello', interval: payload.d.heartbeat_interval };
    case 11:
      return { type: 'acknowledged' };
  }
}

function readEvent(event: Omit<Frame & { readonly type: 'event' }, 'type'>): Frame {
  if (event.name === 'RESUMED') return { type: 'resumed', sequence: event.sequence };
  if (event.name !== 'READY') return { type: 'event', ...event };
  const { data: ready } = readyShape.safeParse(event.data);
  if (ready === undefined) return { type: 'rubbish' };
  const { session_id: sessionId, resume_gateway_url: resumeUrl, guilds } = ready;
  const { data, sequence } = event;
  return { type: 'ready', sessionId, resumeUrl, guilds: guilds.length, data, sequence };
}
