/** An IDENTIFY that came. */
export interface Identify {
  readonly at: number;
  readonly intents: number;
  /** What became of it: a session, INVALID_SESSION, or the code of the close. */
  readonly outcome: 'ready' | 'invalid' | number;
}

/** What a RESUME asks for. */
export interface AskedResume {
  readonly token: string;
  readonly sessionId: string;
  readonly sequence: number;
}

/** A RESUME that came. */
export interface Resume {
  readonly at: number;
  readonly sequence: number;
  /** How many events were sent again; undefined if it was refused. */
  readonly replayed: number | undefined;
  /** Where the connection was made to. */
  readonly path: string;
}

/** What `GET /gateway/bot` tells of the starts that are left. Times are in milliseconds. */
export interface SessionStartLimit {
  readonly total: number;
  readonly remaining: number;
  readonly resetAfter: number;
  readonly maxConcurrency: number;
}
