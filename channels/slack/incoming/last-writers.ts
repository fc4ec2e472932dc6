import { type Conversation, conversationId } from '../../../src/contract.ts';
import { Remembered } from '../../../src/lib/remembered.ts';

const mostConversations = 1_000;

/** A person as Slack addresses him: by his id, and the workspace that he is a member of. */
export interface Writer {
  readonly userId: string;
  readonly teamId: string;
}

/** Who has last said something to the bot in a conversation, of the latest thousand. */
export class LastWriters {
  readonly #writers = new Remembered<string, Writer>(mostConversations);

  note(conversation: Conversation, writer: Writer): void {
    this.#writers.set(conversationId(conversation), writer);
  }

  of(conversation: Conversation): Writer | undefined {
    return this.#writers.get(conversationId(conversation));
  }
}
