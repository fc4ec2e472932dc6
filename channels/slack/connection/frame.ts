import { z } from 'zod';
import { parseJson } from '../../../src/lib/json.ts';

/** What comes through a socket, as far as whoever keeps the socket must know it. */
export type Frame =
  /** Slack is ready to send. */
  | { readonly type: 'hello'; readonly appId?: string }
  /** Slack is going to close this socket. */
  | { readonly type: 'farewell'; readonly reason: string }
  /** Something happened on the platform, under the name of the event or of what carries it. */
  | { readonly type: 'envelope'; readonly name: string; readonly envelopeId: string }
  /** Nothing that Slack documents. Where it has an id, Slack waits for an acknowledgement. */
  | { readonly type: 'rubbish'; readonly envelopeId?: string };

const helloShape = z.object({
  type: z.literal('hello'),
  connection_info: z.object({ app_id: z.string() }).optional().catch(undefined),
});
const farewellShape = z.object({ type: z.literal('disconnect'), reason: z.string().catch('') });
const eventShape = z.object({
  type: z.literal('events_api'),
  envelope_id: z.string(),
  payload: z.object({ event: z.object({ type: z.string() }) }),
});
const otherShape = z.object({
  type: z.enum(['interactive', 'slash_commands']),
  envelope_id: z.string(),
  payload: z.record(z.string(), z.unknown()),
});
const envelopeShape = z.object({ envelope_id: z.string() });
const frameShape = z.union([helloShape, farewellShape, eventShape, otherShape]);

/** Reads what a socket brought. Never throws. */
export function readFrame(data: unknown): Frame {
  const parsed = typeof data === 'string' ? parseJson(data) : undefined;
  const { success, data: frame } = frameShape.safeParse(parsed);
  if (!success) return rubbish(parsed);
  switch (frame.type) {
    case 'hello':
      return { type: 'hello', ...(frame.connection_info && { appId: frame.connection_info.app_id }) };
    case 'disconnect':
      return { type: 'farewell', reason: frame.reason };
    case 'events_api':
      return { type: 'envelope', name: frame.payload.event.type, envelopeId: frame.envelope_id };
    case 'interactive':
    case 'slash_commands':
      return { type: 'envelope', name: frame.type, envelopeId: frame.envelope_id };
  }
}

function rubbish(parsed: unknown): Frame {
  const { data } = envelopeShape.safeParse(parsed);
  return data === undefined ? { type: 'rubbish' } : { type: 'rubbish', envelopeId: data.envelope_id };
}
