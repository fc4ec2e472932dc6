/**
 * Where a part reports what it does. At level `info` and above, neither a secret nor the text of a message is ever
 * written: say ids, counts and kinds. pino's logger is one.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A log that adds these fields to every line. */
  child(fields: object): Log;
}

/** A log that writes nowhere. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};
