import type { Session } from './session.ts';

/** For how long Discord keeps a session that has no connection, at the very most; in milliseconds. */
const sessionLife = 300_000;
/** Discord takes one IDENTIFY in that time, in milliseconds. */
const identifyPause = 5_000;

/** What outlives a connection, and the adapter's stop and start: where to go on. Instants are milliseconds since 1970. */
export class Continuity {
  #session: Session | undefined;
  #heardAt: number | undefined;
  #missedSince: number | undefined;
  #begunAt: number | undefined;

  /** The session to go on with; undefined where there is none, or it is over by now. */
  sessionAt(now: number): Session | undefined {
    const isOver = this.#heardAt === undefined || now - this.#heardAt > sessionLife;
    if (isOver) this.#session = undefined;
    return this.#session;
  }

  /** The session that goes on, or went on last. */
  get current(): Session | undefined {
    return this.#session;
  }

  /** Until this instant everything that was told has come in and is stored. Undefined if nothing ever has. */
  get heardAt(): number | undefined {
    return this.#heardAt;
  }

  heard(at: number): void {
    this.#heardAt = at;
  }

  /** Since when something may have been missed that nobody has looked for to the end. Undefined if nothing was. */
  get missedSince(): number | undefined {
    return this.#missedSince;
  }

  missed(since: number): void {
    this.#missedSince = Math.min(since, this.#missedSince ?? since);
  }

  /** All that was missed has been looked for. */
  found(): void {
    this.#missedSince = undefined;
  }

  /** Until this instant everything that was said is stored, whether it was told or looked for. */
  get completeUntil(): number | undefined {
    return this.#missedSince ?? this.#heardAt;
  }

  /** A session has begun. What came before it is another matter. */
  keep(session: Session, at: number): void {
    this.#session = session;
    this.#heardAt = at;
  }

  /** The session can't be gone on with. */
  drop(): void {
    this.#session = undefined;
  }

  /** A session is asked for. */
  begun(at: number): void {
    this.#begunAt = at;
  }

  /** How long to wait before another session may be asked for, in milliseconds. */
  pauseBefore(at: number): number {
    return this.#begunAt === undefined ? 0 : Math.max(0, this.#begunAt + identifyPause - at);
  }
}
