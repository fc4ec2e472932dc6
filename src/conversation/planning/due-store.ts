import type { Conversation, OutboundMessage } from '../../contract.ts';
import type { Schedule } from '../../tools/builtin/planning/schedule-store.ts';

/** Something planned, with the place where it was planned, and who is there. */
export interface DueSchedule extends Schedule {
  readonly conversation: Conversation;
  /** The groups of people that its maker was counted among when he was last heard there. */
  readonly roles: readonly string[];
}

/** What happens because something is due: all of it together, or nothing. */
export interface Firing {
  /** As it was read: if it is not due at that instant any more, nothing happens. */
  readonly schedule: Schedule;
  /** When it is due next. Left out: it ends. */
  readonly nextAt?: number;
  readonly result: FiringResult;
  /** What the model reads. Under a key that was there before, nothing is added. */
  readonly event?: { readonly key: string; readonly text: string; readonly wantsAnswer: boolean };
  /** Said in the conversation. */
  readonly notice?: OutboundMessage;
  /** Said in the own chats of these people. */
  readonly told?: { readonly principals: readonly string[]; readonly markdown: string };
  readonly at: number;
}

/**
 * `fired`: it was done or said · `skipped`: the time was missed by too much, and the next one is waited for · `missed`: the
 * same, and there is no next one · `revoked`: its maker may not talk there any more · `broken`: its times can't be read.
 */
export type FiringResult = 'fired' | 'skipped' | 'missed' | 'revoked' | 'broken';

/** Where what is due is found, and fires. Each method is one transaction; what writes is on disk before it resolves. */
export interface DueStore {
  /** What is due first, beyond an entry in this order or from the beginning, that much at most. */
  earliest(beyond: Pick<Schedule, 'nextAt' | 'id'> | undefined, most: number): Promise<readonly DueSchedule[]>;
  /** The conversations that have something to show. Undefined if it was cancelled, or has fired for that instant. */
  fire(firing: Firing): Promise<readonly string[] | undefined>;
}
