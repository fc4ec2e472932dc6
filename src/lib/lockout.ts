import type { Clock } from './clock.ts';
import { Perishable } from './remembered.ts';

interface Guesser {
  readonly failures: number;
  readonly until: number;
}

/** Wrong codes in a row before a lockout: from one address, and from all together. */
const bearable = { one: 5, all: 50 } as const;
const firstPause = 30_000;
const longestPause = 3_600_000;
/** Failures are forgotten after this long without a new one. */
const forgetAfter = 2 * longestPause;
const rememberedAddresses = 10_000;
/** Stands for all addresses together. Used at each guess, so it is never the one that is forgotten for another. */
const everybody = '*';

/**
 * Locks out who guesses codes or tickets, with exponential backoff. Counts by the address of the
 * connection, since a request can forge its headers, and over all addresses. Call `forget` when somebody is given a new
 * code, so that nobody can keep people out for long by guessing.
 */
export class Lockout {
  readonly #clock: Clock;
  #guessers: Perishable<string, Guesser>;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#guessers = noGuessers(clock);
  }

  /** How long the address must wait, in ms; 0 if it need not. */
  waitOf(address: string): number {
    const until = [everybody, networkOf(address)].map((name) => this.#guessers.get(name)?.until ?? 0);
    return Math.max(0, Math.max(...until) - this.#clock.now());
  }

  /** Counts a guess before it is checked, so that parallel guesses count too. */
  take(address: string): void {
    this.#count(networkOf(address), bearable.one);
    this.#count(everybody, bearable.all);
  }

  /** The last guess was right. */
  forgive(address: string): void {
    this.#guessers.delete(networkOf(address));
    const { failures, until } = this.#guessers.get(everybody) ?? { failures: 1, until: 0 };
    const all = { failures: failures - 1, until: failures > bearable.all ? until : 0 };
    this.#guessers.set(everybody, all, forgetAfter);
  }

  forget(): void {
    this.#guessers = noGuessers(this.#clock);
  }

  #count(name: string, most: number): void {
    const failures = (this.#guessers.get(name)?.failures ?? 0) + 1;
    const pause = Math.min(longestPause, firstPause * 2 ** Math.min(20, failures - most));
    this.#guessers.set(name, { failures, until: failures < most ? 0 : this.#clock.now() + pause }, forgetAfter);
  }
}

function noGuessers(clock: Clock): Perishable<string, Guesser> {
  return new Perishable({ clock, most: rememberedAddresses });
}

/** An IPv6 address stands for its /64: one owner has all 2^64 addresses. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const halves = plain.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const [before = [], after = []] = halves;
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
