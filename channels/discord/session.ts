import type { Reception } from '../kit/reception.ts';

export interface ReadySession {
  readonly sessionId: string;
  readonly resumeUrl: string;
  readonly sequence: number;
}

/** A gateway session, which spans connections, with the sequence number up to which its events are stored. */
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

  /** This event and all before it are stored: Discord resends from here. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Call the returned function once the event is stored. */
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

  /** Forgets unstored events: Discord will resend them. */
  rewind(): void {
    this.#arrivals = [];
  }
}

/** Upper bound for how long Discord keeps a disconnected session, in ms. */
const sessionLife = 300_000;
/** Discord accepts one IDENTIFY per this time, in ms. */
const identifyPause = 5_000;

/** Where to resume: outlives connections, and the adapter's stop and start. Instants are ms since 1970. */
export class Continuity {
  /** The current or latest session. Undefined once it cannot be resumed. */
  session: Session | undefined;
  /** The latest reception. */
  reception: Reception | undefined;
  /** When a session was last requested. */
  begunAt = Number.NEGATIVE_INFINITY;

  /** The session to resume, if there is one that has not expired. */
  sessionAt(now: number): Session | undefined {
    const storedUntil = this.reception?.storedUntil;
    if (storedUntil === undefined || now - storedUntil > sessionLife) this.session = undefined;
    return this.session;
  }

  /** Time until another session may be requested, in ms. */
  pauseBefore(now: number): number {
    return Math.max(0, this.begunAt + identifyPause - now);
  }
}
