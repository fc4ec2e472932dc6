/**
 * Fits pino's logger. At level `info` and above, never write a secret or the text of a message: write ids, counts and
 * kinds.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A log that adds these fields to each line. */
  child(fields: object): Log;
}

/** From the least important lines on. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The least important lines that are logged, at each moment. */
export class LogThreshold {
  #configured: LogLevel;
  #chosen: LogLevel | undefined;

  constructor(configured: LogLevel) {
    this.#configured = configured;
  }

  get level(): LogLevel {
    return this.#chosen ?? this.#configured;
  }

  /** What holds where nobody has chosen. */
  get configured(): LogLevel {
    return this.#configured;
  }

  get isChosen(): boolean {
    return this.#chosen !== undefined;
  }

  /** A new level in the config ends what was chosen before. */
  configure(level: LogLevel): void {
    if (level !== this.#configured) this.#chosen = undefined;
    this.#configured = level;
  }

  /** Until the process ends. Undefined: as configured again. */
  choose(level: LogLevel | undefined): void {
    this.#chosen = level;
  }

  includes(level: LogLevel): boolean {
    return logLevels.indexOf(level) >= logLevels.indexOf(this.level);
  }
}

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};
