import type { Conversation, Sender } from '../../../src/contract.ts';
import { Remembered } from '../../../src/lib/remembered.ts';
import type { DiscordChannel } from './payload.ts';
import { Roles } from './roles.ts';

/** Whose message it was, and where: Discord does not say so when it is taken back. */
export interface Heard {
  readonly conversation: Conversation;
  readonly sender: Sender;
}

/** Enough for a large guild with its threads: some 2 MB. */
const mostChannels = 10_000;
const mostHeard = 1_000;

/**
 * What is known of Discord besides what an event says. It is told when a session begins, and a session goes on over many
 * connections: so this outlives the adapter's stop and start.
 */
export class Known {
  readonly channels = new Remembered<string, DiscordChannel>(mostChannels);
  readonly roles = new Roles();
  /** The latest messages, by their ids. */
  readonly heard = new Remembered<string, Heard>(mostHeard);
}
