import { ChannelError, type MessageRef } from '../../contract.ts';
import type { OutboxRow, OutboxStore } from '../outbox.ts';
import { type NoteDownContext, noteDown } from './note-down.ts';

export interface SendNotedContext extends NoteDownContext {
  readonly outbox: Pick<OutboxStore, 'sending' | 'notSent'>;
}

/** Throws `ChannelError` for a message that is sent once at most and whose sending a former try did not bring to its end. */
export function refuseInterrupted({ atMostOnce }: OutboxRow): void {
  if (atMostOnce === 'sending') throw new ChannelError({ type: 'ambiguous' }, 'Keyturn was stopped while it was sent');
}

/**
 * Sends. Where that may happen only once, it is noted down before, so that nobody does it again after a crash; and noted
 * once more if the platform says that it was not done.
 */
export async function sendNoted(
  { message: { id }, atMostOnce }: OutboxRow,
  send: () => Promise<MessageRef>,
  context: SendNotedContext,
  signal: AbortSignal,
): Promise<MessageRef> {
  if (atMostOnce === undefined) return send();
  await context.outbox.sending(id);
  try {
    return await send();
  } catch (error) {
    const isUndone = error instanceof ChannelError && error.fault.type !== 'ambiguous';
    if (isUndone) await noteDown(() => context.outbox.notSent(id), context, signal);
    throw error;
  }
}
