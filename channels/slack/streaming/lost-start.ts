import { z } from 'zod';
import type { MessageRef } from '../../../src/contract.ts';
import { recentMessages } from '../outgoing/recent-messages.ts';
import { StreamedMessage, type StreamPlace } from './streamed-message.ts';

/** The beginning of a message whose answer was lost. */
export interface LostStart {
  readonly at: number;
  readonly beginning: string;
  /** How much of the text it holds. */
  readonly cut: number;
}

const growingShape = z.object({ ts: z.string(), user: z.string(), streaming_state: z.string() });

/**
 * Looks in the thread for a message that may have been begun: one that the bot itself lets grow, and that is not known. Where
 * the thread cannot be read, there is none. Throws `ChannelError` if that can be tried again.
 */
export async function seekMessage(
  lost: LostStart,
  known: readonly MessageRef[],
  place: StreamPlace & { readonly botUserId: string },
): Promise<StreamedMessage | undefined> {
  const recent = await recentMessages(place.to, lost.at, place);
  const own = recent
    .flatMap((message) => growingShape.safeParse(message).data ?? [])
    .findLast(({ ts, user }) => user === place.botUserId && !known.some(({ id }) => id === ts));
  return own && new StreamedMessage(place, { ts: own.ts, shown: lost.beginning, startedAt: lost.at, isSure: false });
}
