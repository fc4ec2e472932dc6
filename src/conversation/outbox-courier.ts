import { endsWithin } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { wordsIn } from '../lib/words.ts';
import type { Courier, MessageFate } from '../tools/builtin/messages/message-tools.ts';
import type { StoredMessage } from '../words/message-parts.ts';
import type { ConversationCore } from './conversation-core.ts';

export interface CourierStore {
  /** Stores a message that is sent at most once: an attempt with an unknown outcome is not retried. */
  sayOnce(conversationId: string, message: StoredMessage, at: number): Promise<void>;
  fateOf(messageId: string): Promise<MessageFate>;
}

interface CourierParts extends ConversationCore {
  readonly outbox: CourierStore;
  /** Resolves when nothing is being delivered there. */
  readonly whenIdle: (conversationId: string) => Promise<void>;
}

/** How long to wait for a delivery. In ms. */
const patience = 10_000;

/** Sends messages to other conversations through the outbox, which stores them first. */
export function outboxCourier({
  outbox,
  adapters,
  deliver,
  whenIdle,
  readerIn,
  prepareReaders,
  clock,
}: CourierParts): Courier {
  return {
    reaches: (channel) => adapters.has(channel),
    async send(to, { markdown, isSilent }, signal) {
      const id = newId(20);
      await prepareReaders([to]);
      const said = wordsIn(readerIn(to).language, markdown);
      await outbox.sayOnce(to, { id, kind: 'for_user', markdown: said, isSilent }, clock.now());
      deliver([to]);
      await endsWithin(whenIdle(to), { clock, milliseconds: patience, signal });
      return outbox.fateOf(id);
    },
  };
}
