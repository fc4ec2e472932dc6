interface Arrival {
  readonly sequence: number;
  isStored: boolean;
}

/** What Discord keeps for us between two connections, and how far of it we have stored what came. */
export class Session {
  readonly id: string;
  readonly resumeUrl: string;
  #sequence: number;
  #arrivals: Arrival[] = [];

  constructor(ready: { readonly sessionId: string; readonly resumeUrl: string; readonly sequence: number }) {
    this.id = ready.sessionId;
    this.resumeUrl = ready.resumeUrl;
    this.#sequence = ready.sequence;
  }

  /** This event and all before it are stored: Discord is to send what comes after it. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Call the function that it gives once the event is stored. */
  arrived(sequence: number): () => void {
    const arrival: Arrival = { sequence, isStored: false };
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
