import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Conversation, InboundAction, InboundMessage, Sender } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';

/** The one place to talk in a terminal. */
export const localConversation: Conversation = {
  channel: 'terminal',
  chatId: 'local',
  kind: 'direct',
  title: 'this terminal',
};

/** Who sits at the machine. The id is the same for every user of the system: who can start Keyturn owns it. */
export function localOwner(): Sender {
  return { id: 'local', name: userName() ?? 'you', isPerson: true };
}

/** Makes the events of one process. No two have the same key, in this process or any other. */
export class LocalEvents {
  readonly #dependencies: { readonly sender: Sender; readonly clock: Clock };
  readonly #prefix: string;
  #count = 0;

  constructor(dependencies: { readonly sender: Sender; readonly clock: Clock }) {
    this.#dependencies = dependencies;
    this.#prefix = `${dependencies.clock.now()}-${randomBytes(6).toString('hex')}`;
  }

  message(text: string): InboundMessage {
    const { sender, clock } = this.#dependencies;
    const sentAt = clock.now();
    return {
      type: 'message',
      key: this.#nextKey(),
      conversation: localConversation,
      sender,
      text,
      addressed: true,
      sentAt,
    };
  }

  action(actionId: string): InboundAction {
    const { sender } = this.#dependencies;
    return { type: 'action', key: this.#nextKey(), conversation: localConversation, sender, actionId };
  }

  #nextKey(): string {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }
}

function userName(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch (error) {
    // In a container, the user's number may have no name.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SYSTEM_ERROR') return undefined;
    throw error;
  }
}
