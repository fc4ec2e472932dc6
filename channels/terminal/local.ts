import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Conversation, InboundAction, InboundMessage, MessageRef, Sender } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';

/** A terminal's only conversation. */
export const localConversation: Conversation = {
  channel: 'terminal',
  chatId: 'local',
  kind: 'direct',
  title: 'this terminal',
};

/** The person at the terminal. Same id for every system user: a person who can start Keyturn owns it. */
export function localOwner(): Sender {
  return { id: 'local', name: userName() ?? 'you', isPerson: true };
}

/** Creates events with globally unique keys. */
export function createEvents(clock: Clock) {
  const sender = localOwner();
  const prefix = `${clock.now()}-${randomBytes(6).toString('hex')}`;
  let count = 0;
  const about = () => {
    count += 1;
    return { key: `${prefix}-${count}`, conversation: localConversation, sender };
  };
  return {
    message(text: string): InboundMessage {
      return { type: 'message', ...about(), text, addressed: true, sentAt: clock.now() };
    },
    action(actionId: string, messageRef: MessageRef): InboundAction {
      return { type: 'action', ...about(), actionId, messageRef };
    },
  };
}

function userName(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch (error) {
    // In a container, the user id may have no name.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SYSTEM_ERROR') return undefined;
    throw error;
  }
}
