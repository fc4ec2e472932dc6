/*
 * What commands change. An effect is a value that the owner of the changed data makes: the core's come from the port
 * `CommandEffects`, a feature's from its tables. `InboxStore.obey` applies it in the command's transaction, and hands its
 * result to the answer.
 */

import type { Origin } from '../engine/message.ts';
import type { Language } from '../lib/words.ts';
import type { Within } from '../tools/output.ts';
import type { Acquaintance } from './access/access.ts';
import type { AskedGroup, Choosing } from './access/group-choices.ts';

/** A change that a command makes, besides being stored. */
export interface Effect<Result> {
  /** For the audit. */
  readonly name: string;
  /** Called once, inside the command's transaction. */
  apply(doing: Doing): Result | Promise<Result>;
  /** What the audit keeps of the result. */
  audited?(result: Result): { readonly covers: readonly string[] };
}

/** Who gave a command, and when. */
export interface Doing extends Within {
  readonly origin: Origin;
  readonly at: number;
  /** An effect adds the conversations that have something new to show. */
  readonly conversationIds: string[];
  /** See `StoredCommand`. */
  readonly upTo?: number | undefined;
}

/** The effect of a command that changes nothing. */
export const noEffect: Effect<undefined> = { name: 'none', apply: () => undefined };

/** Who is to be let in: the holder of a code, the person of a request, or one who asks or was refused, by their account. */
export type Whom = { readonly code: string } | { readonly requestId: string } | { readonly principal: string };

/** The effects of the core's own commands. */
export interface CommandEffects {
  /** Ends the conversation's run and cancels calls that have not begun. */
  readonly stop: Effect<Stopped>;
  /** As `stop`; then the conversation starts over: models no longer read what came before. */
  readonly startOver: Effect<StartedOver>;
  /** Summarises the oldest part of the conversation, then tells the person who asked. */
  readonly compact: Effect<void>;
  /** Marks what was read in the conversation until now as trusted. Results in the sources of untrusted content. */
  readonly trustHere: Effect<readonly string[]>;
  /** Makes the sender an owner if there is none. Results in whether they became one. */
  readonly claim: Effect<boolean>;
  /** Sets the model of the conversation; without a name, the default. */
  model(name: string | undefined): Effect<void>;
  /** Results in how many grants were revoked. */
  revoke(grantIds: readonly string[]): Effect<number>;
  /** Lets somebody in, and tells them in their own chat. Undefined if nobody is meant. */
  pair(whom: Whom, welcome: (principal: string) => string): Effect<Acquaintance | undefined>;
  /** Chooses what to do in a group. Undefined if there is none, or the request is over. */
  chooseGroup(choosing: Choosing): Effect<AskedGroup | undefined>;
  /** Lets nobody be asked about this person until then. Undefined if they do not ask, or the request is over. */
  refuse(whom: Whom, until: number): Effect<Acquaintance | undefined>;
  /** Results in who is no longer let in, if anybody was. */
  unpair(principal: string): Effect<Acquaintance | undefined>;
  /** Undefined if no such message waits. */
  unpark(wish: Unparking): Effect<Unparked | undefined>;
  /** Puts a card that still asks at the bottom of these conversations. Results in the number of cards. */
  showCard(wish: ShownCard): Effect<number>;
  /** Notes the sender's time zone; without one, forgets what their accounts have set. */
  timeZone(timeZone: string | undefined, accounts: readonly string[]): Effect<void>;
  /** Notes the sender's language; without one, forgets what their accounts have set. */
  language(language: Language | undefined, accounts: readonly string[]): Effect<void>;
}

/** What ended with a run. */
export interface Stopped {
  /** How many calls were cancelled. */
  readonly cancelled: number;
  readonly stopped: boolean;
  /** The conversations of sub-runs that ended with it. */
  readonly subRuns: readonly string[];
}

export interface StartedOver extends Stopped {
  /** How many facts stay pinned. */
  readonly pinned: number;
}

/** `ended`: what the card says from now on where it stood before. */
export interface ShownCard {
  readonly approvalId: string;
  readonly conversationIds: readonly string[];
  readonly ended: (conversationId: string) => string;
}

/** Retries or drops the message behind a stub; `words` replace the stub in its place, given by its id. */
export interface Unparking {
  readonly stubId: string;
  readonly verb: 'retry' | 'drop';
  /** Also if the message belongs to another conversation. */
  readonly anywhere: boolean;
  readonly words: (conversationId: string) => string;
}

/** `approvalId`: the approval whose card was dropped. */
export interface Unparked {
  readonly approvalId?: string;
}
