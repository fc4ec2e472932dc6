import type { Clock } from '../lib/clock.ts';
import { Remembered } from '../lib/remembered.ts';

interface Guesser {
  failures: number;
  /** Until when it is not listened to. */
  until: number;
  last: number;
}

/** So many wrong codes in a row are borne from one address, and from all of them. */
const bearable = { one: 5, all: 50 } as const;
const firstPause = 30_000;
const longestPause = 3_600_000;
/** After so long without one, wrong codes are forgotten. */
const forgetAfter = 2 * longestPause;
const rememberedAddresses = 10_000;

/**
 * Who guesses at codes is not listened to for a while, ever longer, be a code right or not. The address is that of the
 * connection: nothing that a request says of itself counts. Many addresses together are locked out as one is. What was
 * guessed before a code was given says nothing of that: nobody can keep people out for long by guessing.
 */
export class Lockout {
  readonly #clock: Clock;
  #addresses = new Remembered<string, Guesser>(rememberedAddresses);
  readonly #all: Guesser = { failures: 0, until: 0, last: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long the address has to wait, in milliseconds; 0 if it need not. */
  waitOf(address: string): number {
    const until = Math.max(this.#all.until, this.#addresses.get(networkOf(address))?.until ?? 0);
    return Math.max(0, until - this.#clock.now());
  }

  /** Takes a guess before it is looked at: those that come together count as well. */
  take(address: string): void {
    const network = networkOf(address);
    const guesser = this.#addresses.get(network) ?? { failures: 0, until: 0, last: 0 };
    this.#addresses.set(network, guesser);
    this.#count(guesser, bearable.one);
    this.#count(this.#all, bearable.all);
  }

  /** It was right. */
  forgive(address: string): void {
    this.#addresses.delete(networkOf(address));
    this.#all.failures = Math.max(0, this.#all.failures - 1);
    if (this.#all.failures < bearable.all) this.#all.until = 0;
  }

  /** Somebody was given a new code. */
  forget(): void {
    this.#addresses = new Remembered(rememberedAddresses);
    this.#all.failures = 0;
    this.#all.until = 0;
  }

  #count(guesser: Guesser, most: number): void {
    const now = this.#clock.now();
    if (now - guesser.last > forgetAfter) guesser.failures = 0;
    guesser.failures += 1;
    guesser.last = now;
    if (guesser.failures < most) return;
    guesser.until = now + Math.min(longestPause, firstPause * 2 ** Math.min(20, guesser.failures - most));
  }
}

/** Whoever has one address of IPv6 has the 2^64 beside it. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const before = head.split(':').filter((group) => group !== '');
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4).join(':');
}
