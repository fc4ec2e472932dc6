import type { TrustSubject } from '../../../conversation/trust-store.ts';
import type { Log } from '../../../lib/log.ts';

/**
 * Whether the owners of this Keyturn trust what others have written. What they trust is stored, and ends with a change or
 * when an owner says so: then `whenDistrusted` is called, and `whenTrusted` if one trusts it again. A later review of the
 * same kind and name takes the place of an earlier one, whose functions are called no more. Rejects if the store does.
 */
export interface Trust {
  /**
   * `trusted`: an owner trusts exactly this. `asked`: not yet, or something else of that name was trusted: the owners are
   * told once, and `whenTrusted` is called when one of them trusts it.
   */
  review(subject: TrustSubject, whenTrusted: () => void, whenDistrusted?: () => void): Promise<'trusted' | 'asked'>;
  /** The same, but what is seen first under its name is trusted without a question: the operator's config names it. */
  adopt(subject: TrustSubject, whenTrusted: () => void, whenDistrusted?: () => void): Promise<'trusted' | 'asked'>;
}

/** How something from elsewhere is put to use, and taken out of it again. */
export interface TrustedUse {
  /** Begins to use it exactly as it was when it was reviewed. */
  on(): Promise<void>;
  /** Leaves nothing of it. It may not be in use. */
  off(): Promise<void>;
  /** An owner has just decided so. Left out: it is put to use, or out of it. */
  decided?(isTrusted: boolean): void;
}

/**
 * Something from elsewhere that is in use as long as an owner trusts it as it is. One thing is done with it at a time, in the order
 * in which it was asked for; what fails is logged, and costs nothing else.
 */
export class Trusted {
  readonly #trust: Pick<Trust, 'review'>;
  readonly #use: TrustedUse;
  readonly #log: Log;
  #isTrusted = false;
  #isOver = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(trust: Pick<Trust, 'review'>, use: TrustedUse, log: Log) {
    this.#trust = trust;
    this.#use = use;
    this.#log = log;
  }

  /** An owner trusts it by now, and it was not ended. */
  get isWanted(): boolean {
    return this.#isTrusted && !this.#isOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Has owners asked about it as it is now. Resolves with whether one trusts it already. */
  async review(subject: TrustSubject): Promise<boolean> {
    const verdict = await this.#trust.review(
      subject,
      () => this.#decided(true),
      () => this.#decided(false),
    );
    this.#isTrusted = verdict === 'trusted';
    return this.#isTrusted;
  }

  /** Puts it to use or out of it, as is wanted by then. Never rejects. */
  follow(): Promise<void> {
    return this.inTurn(() => (this.isWanted ? this.#use.on() : this.#use.off()));
  }

  /** Does something else with it when all that was begun before has ended. Never rejects. */
  inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work).catch((cause: unknown) => {
      this.#log.error({ err: cause }, 'something from elsewhere could not be put to use, or out of it');
    });
    return this.#turn;
  }

  /** Takes it out of use for good. */
  end(): Promise<void> {
    this.#isOver = true;
    return this.follow();
  }

  #decided(isTrusted: boolean): void {
    this.#isTrusted = isTrusted;
    if (this.#use.decided === undefined) void this.follow();
    else this.#use.decided(isTrusted);
  }
}
