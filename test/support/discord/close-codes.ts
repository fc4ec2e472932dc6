/** What Discord says beside the code. */
export const closeReasons: Readonly<Record<number, string>> = {
  4004: 'Authentication failed.',
  4013: 'Invalid intent(s).',
  4014: 'Disallowed intent(s).',
};

/** Whether no session can be resumed after it, no matter who closed the connection. */
export function endsSession(code: number): boolean {
  return [1000, 1001, 4004, 4007, 4009].includes(code);
}
