/*
 * What stops work or takes a right away: `/stop`, a denial, `/revoke` and the like. It holds in memory at once, and is
 * stored after; if that fails because of the storage (a full disk, another program's lock), its person is told so, and it
 * is tried again until it is stored. Meanwhile its event counts as not stored: the platform goes on delivering it, to this
 * process or, should this one die, to the next.
 */

import type { ChannelAdapter } from '../contract.ts';
import { Background } from '../lib/background.ts';
import { backOff, type Clock, sleep } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type Words, wordsIn } from '../lib/words.ts';
import type { Core } from './feature.ts';
import { noticeTo, type Origin } from './message.ts';
import { engineWords } from './words.ts';

export interface Taking<Result> {
  /** The event behind it. */
  readonly origin: Origin;
  /** For its person, should storing fail: what holds already. `🛑 Stopped.` */
  readonly held: string;
  /** Takes effect in memory. Not called for an event that was stored before. */
  readonly now: () => void | Promise<void>;
  /**
   * Asks for the write before it returns. `isLate`: its person was told that it could not be stored. What follows from the
   * write is handed to `after`, which does it at once, or as soon as it holds in memory.
   */
  readonly store: (isLate: boolean, after: (follows: () => void) => void) => Promise<Result>;
  /** It is stored; or never will be, because of a fault of ours: then it holds no longer. */
  readonly over: (isStored: boolean) => void;
  /** Takes what its person is told, should storing fail, before this rejects. Omitted: they are told in its conversation. */
  readonly told?: ((words: string) => void) | undefined;
}

/** Rejects if it is not stored (yet). */
export type TakeAway = <Result>(taking: Taking<Result>) => Promise<Result>;

interface TakeAwayParts {
  readonly storage: {
    readonly trouble: { readonly brief: Words } | undefined;
    /** Whether an error is due to the storage: a later try may succeed. */
    isAtFault(error: unknown): boolean;
    /** What is wrong with the storage, by that error. */
    briefOf(error: unknown): Words | undefined;
  };
  /** Whether an event with this key is stored. */
  readonly isStored: (key: string) => Promise<boolean>;
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  readonly readerOf: Core['readerOf'];
  readonly ending: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** The longest pause between tries, in ms. */
const longestPause = 5_000;

interface TakingContext {
  readonly parts: TakeAwayParts;
  readonly background: Background;
  /** The keys of events that are tried again. */
  readonly trying: Set<string>;
}

/** The same was asked for again while it was not stored yet. */
export class NotStoredYetError extends Error {
  override readonly name = 'NotStoredYetError';
}

export function createTakeAway(parts: TakeAwayParts): TakeAway {
  const context: TakingContext = { parts, background: new Background(parts.log), trying: new Set() };
  return (taking) => takeAway(taking, context);
}

async function takeAway<Result>(taking: Taking<Result>, context: TakingContext): Promise<Result> {
  const { parts, background, trying } = context;
  const { storage, ending, log } = parts;
  const { origin, now, store, over } = taking;
  if (trying.has(origin.key)) throw new NotStoredYetError(`${taking.held} It is not stored yet, and is tried again.`);
  const known = isKnown(origin.key, parts);
  const following = new Following();
  // Asked for at once: it is stored before what comes in behind it, and before what the effect makes others store.
  const storing = store(false, (follows) => following.add(follows));
  // Its outcome is awaited below, unless the effect throws.
  storing.catch(() => {});
  try {
    const holding = (await known) ? undefined : now();
    following.begin();
    await holding;
    const result = await storing;
    over(true);
    return result;
  } catch (error) {
    following.begin();
    if (!storage.isAtFault(error) || ending.aborted) {
      over(false);
      throw error;
    }
    trying.add(origin.key);
    log.error({ err: error, conversation: origin.conversationId }, 'what a person took away holds, but is not stored');
    background.run('a person could not be told that this is not stored yet', () => tell(taking, error, parts));
    background.run('what a person took away could not be stored', () => storeLater(taking, context));
    throw error;
  }
}

/** What follows from a write, which may be done before it is known whether it was a repetition. */
class Following {
  #waiting: (() => void)[] | undefined = [];

  add(follows: () => void): void {
    if (this.#waiting === undefined) follows();
    else this.#waiting.push(follows);
  }

  begin(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const follows of waiting) follows();
  }
}

/** A database that cannot be read must not keep anything running. */
async function isKnown(key: string, { isStored, log }: TakeAwayParts): Promise<boolean> {
  try {
    return await isStored(key);
  } catch (error) {
    log.error({ err: error }, 'it is unknown whether an event was stored before');
    return false;
  }
}

/** Past the outbox, which cannot be stored either. */
async function tell(
  { origin, held, told }: Taking<unknown>,
  error: unknown,
  { storage, adapters, readerOf }: TakeAwayParts,
): Promise<void> {
  const { conversation } = origin;
  const { language } = readerOf(origin);
  const words = engineWords[language];
  const why = wordsIn(language, storage.briefOf(error) ?? storage.trouble?.brief ?? words.storageFails);
  const notice = words.notStoredYet({ held, why });
  if (told !== undefined) return told(notice);
  await adapters.get(conversation.channel)?.send(conversation, noticeTo(origin, notice));
}

async function storeLater<Result>(
  { origin, store, over }: Taking<Result>,
  { parts, trying }: TakingContext,
): Promise<void> {
  const { storage, clock, ending } = parts;
  let isDone = false;
  try {
    for (let failures = 1; !isDone && !ending.aborted; failures += 1) {
      await sleep(clock, backOff(failures, { longestPause }), ending);
      isDone = await store(true, (follows) => follows()).then(
        () => true,
        (error: unknown) => (storage.isAtFault(error) ? false : Promise.reject(error)),
      );
    }
  } finally {
    trying.delete(origin.key);
    if (!ending.aborted || isDone) over(isDone);
  }
}
