import type { ChannelHealth } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Signal, signal } from '../../lib/live.ts';
import type { Log } from '../../lib/log.ts';
import { languages, type Words, wordsIn } from '../../lib/words.ts';
import { noRedaction, type Redactor } from '../../tools/guard/redact/redact.ts';

export interface ChannelState {
  readonly name: string;
  readonly health: ChannelHealth;
  /** Since when the status is unchanged. */
  readonly since: number;
  /** When it was last reported. */
  readonly heardAt: number;
  /** When a refused channel is retried. */
  readonly retryAt?: number | undefined;
  /** What it reported last that was wrong, though it may be well again. */
  readonly fault?: { readonly reason: Words; readonly at: number } | undefined;
}

/** The longest pause before a refused channel is retried. In ms. */
export const longestRetryPause = 900_000;

interface BoardParts {
  readonly clock: Clock;
  readonly log: Log;
  /** A platform's error message may repeat what it was sent. */
  readonly redact?: Redactor;
}

/** The health of each channel's connection, as reported by the channel. `connected`: the last receive succeeded. */
export interface HealthBoard {
  report(name: string, reported: ChannelHealth, retryAt?: number): void;
  /** The clock was set back: no stored time stays later than now, and no retry is delayed by it. */
  clockSet(): void;
  /** The channel was removed on purpose. */
  forget(name: string): void;
  all(): readonly ChannelState[];
  of(name: string): ChannelState | undefined;
  /** Calls back when the health of a channel is another one. Returns a function that unsubscribes. */
  listen(listener: () => void): () => void;
  /** Resolves once each channel is connected or refused, which may never happen. */
  whenConnected(): Promise<void>;
  /** Resolves once none of these is still connecting for the first time, which may never happen. */
  whenTried(names: readonly string[]): Promise<void>;
}

interface BoardState extends BoardParts {
  readonly states: Map<string, ChannelState>;
  readonly changed: Signal<void>;
  /** The promises that wait for a report. */
  waiting: readonly { readonly isDone: () => boolean; readonly resolve: () => void }[];
}

export function createHealthBoard(parts: BoardParts): HealthBoard {
  const board: BoardState = { ...parts, states: new Map(), changed: signal(), waiting: [] };
  const { states } = board;
  return {
    report: (name, reported, retryAt) => report(name, reported, retryAt, board),
    clockSet: () => clockSet(board),
    forget(name) {
      if (states.delete(name)) board.changed.tell();
    },
    all: () => [...states.values()],
    of: (name) => states.get(name),
    listen: board.changed.listen,
    whenConnected: () => whenDone(() => [...states.values()].every(isSettled), board),
    whenTried: (names) =>
      whenDone(() => names.every((name) => states.get(name)?.health.status !== 'connecting'), board),
  };
}

function isSettled({ health: { status } }: ChannelState): boolean {
  return status === 'connected' || status === 'dead';
}

function report(name: string, reported: ChannelHealth, retryAt: number | undefined, board: BoardState): void {
  const { states, clock, redact = noRedaction } = board;
  const health = 'reason' in reported ? { ...reported, reason: redacted(reported.reason, redact) } : reported;
  const before = states.get(name);
  const now = clock.now();
  const since = before?.health.status === health.status ? before.since : now;
  const fault = 'reason' in health ? { reason: health.reason, at: now } : before?.fault;
  states.set(name, { name, health, since, heardAt: now, retryAt, fault });
  if (before !== undefined && isSame(before.health, health)) return;
  note(name, health, before, board);
  board.changed.tell();
  for (const { isDone, resolve } of board.waiting) if (isDone()) resolve();
  board.waiting = board.waiting.filter(({ isDone }) => !isDone());
}

function redacted(reason: Words, redact: Redactor): Words {
  if (typeof reason === 'string') return redact(reason);
  // The secrets of now: a later edit of the config may take one out that these words hold.
  const said = new Map(languages.map((language) => [language, redact(reason(language))]));
  return (language) => said.get(language) ?? '';
}

function isSame(one: ChannelHealth, other: ChannelHealth): boolean {
  return JSON.stringify(inEnglish(one)) === JSON.stringify(inEnglish(other));
}

function inEnglish(health: ChannelHealth): object {
  return 'reason' in health ? { ...health, reason: wordsIn('en', health.reason) } : health;
}

function note(name: string, health: ChannelHealth, before: ChannelState | undefined, { log }: BoardState): void {
  const former =
    before === undefined ? {} : { before: before.health.status, beforeSince: new Date(before.since).toISOString() };
  const level = health.status === 'failing' || health.status === 'dead' ? 'warn' : 'info';
  log[level]({ channel: name, ...inEnglish(health), ...former }, `channel ${health.status}`);
}

function whenDone(isDone: () => boolean, board: BoardState): Promise<void> {
  if (isDone()) return Promise.resolve();
  return new Promise((resolve) => {
    board.waiting = [...board.waiting, { isDone, resolve }];
  });
}

function clockSet({ states, clock }: BoardState): void {
  const now = clock.now();
  for (const [name, state] of states) {
    const { retryAt } = state;
    const [since, heardAt] = [Math.min(state.since, now), Math.min(state.heardAt, now)];
    states.set(name, { ...state, since, heardAt, retryAt: retryAt && Math.min(retryAt, now + longestRetryPause) });
  }
}
