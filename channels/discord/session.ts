import type { Reception } from '../kit/reception.ts';

/** A session that has begun, as Discord says so. */
export interface ReadySession {
  readonly sessionId: string;
  readonly resumeUrl: string;
  readonly sequence: number;
}

/** What Discord keeps for us between two connections, and how far of it we have stored what came. */
export class Session {
  readonly id: string;
  readonly resumeUrl: string;
  #sequence: number;
  #arrivals: { readonly sequence: number; isStored: boolean }[] = [];

  constructor({ sessionId, resumeUrl, sequence }: ReadySession) {
    this.id = sessionId;
    this.resumeUrl = resumeUrl;
    this.#sequence = sequence;
  }

  /** This event and all before it are stored: Discord is to send what comes after it. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Call the function that it gives once the event is stored. */
  arrived(sequence: number): () => void {
    const arrival = { sequence, isStored: false };
    this.#arrivals.push(arrival);
    return () => {
      arrival.isStored = true;
      for (let first = this.#arrivals[0]; first?.isStored === true; first = this.#arrivals[0]) {
        this.#arrivals.shift();
        this.#sequence = Math.max(this.#sequence, first.sequence);
      }
    };
  }

  /** Nobody stores any more what has come in: it will come again. */
  rewind(): void {
    this.#arrivals = [];
  }
}

/** For how long Discord keeps a session that has no connection, at the very most; in milliseconds. */
const sessionLife = 300_000;
/** Discord takes one IDENTIFY in that time, in milliseconds. */
const identifyPause = 5_000;

/** Where to go on: outlives a connection, and the adapter's stop and start. Instants are milliseconds since 1970. */
export class Continuity {
  /** The session that goes on, or went on last. Undefined once it cannot be gone on with. */
  session: Session | undefined;
  /** What the last session of the channel has received. */
  reception: Reception | undefined;
  /** When a session was asked for last. */
  begunAt = Number.NEGATIVE_INFINITY;

  /** The session to go on with; undefined where there is none, or it is over by now. */
  sessionAt(now: number): Session | undefined {
    const storedUntil = this.reception?.storedUntil;
    if (storedUntil === undefined || now - storedUntil > sessionLife) this.session = undefined;
    return this.session;
  }

  /** How long to wait before another session may be asked for, in milliseconds. */
  pauseBefore(now: number): number {
    return Math.max(0, this.begunAt + identifyPause - now);
  }
}
