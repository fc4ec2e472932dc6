import { setImmediate } from 'node:timers/promises';
import { type DirectChat, oneForEachChat } from '../../../conversation/own-chats.ts';
import type { TrustChange, TrustStore, TrustSubject } from '../../../conversation/trust-store.ts';
import { Background } from '../../../lib/background.ts';
import type { Clock } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { Log } from '../../../lib/log.ts';
import { askedNotice } from './trust-words.ts';
import type { Trust } from './trusted.ts';

export interface TrustBookDependencies {
  readonly store: TrustStore;
  /** The owners' own chats on channels that run. */
  readonly ownersChats: () => Promise<readonly DirectChat[]>;
  readonly isOwner: (principal: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
}

interface Reviewed {
  readonly fingerprint: string;
  readonly whenTrusted: () => void;
  readonly whenDistrusted: () => void;
  /** Not set before the store has answered. */
  verdict?: 'trusted' | 'asked';
  /** What an owner has decided before the store has answered. */
  decided?: 'trusted' | 'asked';
}

const idLength = 6;

/** Keeps what owners trust, tells them once of what they do not trust yet, and tells the person who brought it what they decide. */
export class TrustBook implements Trust {
  readonly #dependencies: TrustBookDependencies;
  readonly #background: Background;
  /** By kind and name: only these are told of decisions. */
  readonly #reviewed = new Map<string, Reviewed>();
  #underWay = 0;
  /** There may be something that no owner was told of. */
  #hasNews = false;
  #isOver = false;

  constructor(dependencies: TrustBookDependencies) {
    this.#dependencies = dependencies;
    this.#background = new Background(dependencies.log);
  }

  review(subject: TrustSubject, whenTrusted: () => void, whenDistrusted = nothing): Promise<'trusted' | 'asked'> {
    return this.#review(subject, { fingerprint: subject.fingerprint, whenTrusted, whenDistrusted }, false);
  }

  adopt(subject: TrustSubject, whenTrusted: () => void, whenDistrusted = nothing): Promise<'trusted' | 'asked'> {
    return this.#review(subject, { fingerprint: subject.fingerprint, whenTrusted, whenDistrusted }, true);
  }

  /** An owner has decided so, and that is stored. */
  decided(changes: readonly TrustChange[]): void {
    for (const { subject, became } of changes) {
      const reviewed = this.#reviewed.get(keyOf(subject));
      if (reviewed === undefined || reviewed.fingerprint !== subject.fingerprint) continue;
      const verdict = became === 'trusted' ? 'trusted' : 'asked';
      if (reviewed.verdict === undefined) reviewed.decided = verdict;
      else if (reviewed.verdict !== verdict) {
        reviewed.verdict = verdict;
        if (verdict === 'trusted') reviewed.whenTrusted();
        else reviewed.whenDistrusted();
      }
    }
  }

  /** Somebody was heard: the first owner is told what could be told to none before. */
  heard(principal: string): void {
    if (this.#hasNews && this.#dependencies.isOwner(principal)) this.#tellSoon();
  }

  /** What was not told by then, the next process tells. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#background.settled();
  }

  async #review(subject: TrustSubject, reviewed: Reviewed, isAdopted: boolean): Promise<'trusted' | 'asked'> {
    const { store, clock } = this.#dependencies;
    this.#reviewed.set(keyOf(subject), reviewed);
    this.#underWay += 1;
    try {
      const answer = await store.review({ subject, id: newId(idLength), isAdopted, at: clock.now() });
      const verdict = reviewed.decided ?? answer;
      reviewed.verdict = verdict;
      if (verdict === 'asked') this.#hasNews = true;
      return verdict;
    } finally {
      this.#underWay -= 1;
      this.#tellSoon();
    }
  }

  /** Reviews of one thing after the other are told together. */
  #tellSoon(): void {
    if (!this.#hasNews) return;
    this.#background.run(
      'the owners could not be told what waits for their trust; the next start tries it',
      async () => {
        await setImmediate();
        if (this.#hasNews && this.#underWay === 0 && !this.#isOver) await this.#tell();
      },
    );
  }

  async #tell(): Promise<void> {
    const { store, ownersChats, clock, log, deliver } = this.#dependencies;
    this.#hasNews = false;
    const news = (await store.all()).filter(({ asked }) => asked !== undefined && !asked.isTold);
    if (news.length === 0) return;
    const places = oneForEachChat(await ownersChats());
    const names = news.map(({ kind, name }) => `${kind} ${name}`);
    if (places.length === 0) {
      this.#hasNews = true;
      log.warn(
        { names },
        'these are off until an owner trusts them: write /trust to the bot, in a chat of your own with it',
      );
      return;
    }
    const markdown = askedNotice(news);
    const notices = places.map((conversationId) => ({
      conversationId,
      message: { id: newId(20), kind: 'notice' as const, markdown },
    }));
    const ids = news.flatMap(({ asked }) => (asked === undefined ? [] : [asked.id]));
    await store.told(ids, notices, clock.now());
    log.info({ names }, 'the owners were told that these are off until one of them trusts them');
    deliver(places);
  }
}

function nothing(): void {}

function keyOf({ kind, name }: TrustSubject): string {
  return `${kind} ${name}`;
}
