/** Stands for a secret in a copy of a config; followed by its checksum. */
export const leftOut = 'left out of this copy ';

/** Whether a value is only the mark of a secret that a copy does not have. */
export function isMark(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(leftOut);
}
