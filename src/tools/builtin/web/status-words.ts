/** A status as people know it: `404 Not Found`. */
export function statusWords(status: number): string {
  // Loaded when it is needed: the start would pay 18 ms for it.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}
