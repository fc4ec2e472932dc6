const codes: ReadonlySet<string> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/**
 * Whether a part of the program could not be loaded since its file is not there, as when the program was replaced or removed
 * while it runs: trying again gains nothing until it is started again.
 */
export function isMissingCode(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.has(String(error.code));
}
