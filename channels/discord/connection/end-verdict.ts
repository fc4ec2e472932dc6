import type { SocketEnd } from './gateway-socket.ts';
import { finalWords } from './setback.ts';

/** What the end of a connection means for the next one. */
export interface EndVerdict {
  /** For the operator; left out where nothing is wrong. */
  readonly reason?: string;
  /** No later try succeeds unless the operator does something about it. */
  readonly isFinal?: boolean;
  /** Whether the session can be gone on with. */
  readonly keepsSession: boolean;
  /** Whether the next connection may be made at once. */
  readonly isInvited?: boolean;
}

/** After these Discord knows the session no more. */
const sessionEnding: readonly number[] = [1000, 1001, 4003, 4005, 4007, 4009];

export function judgeEnd(end: SocketEnd): EndVerdict {
  switch (end.type) {
    case 'closed':
      return judgeClose(end);
    case 'reconnect':
      return { keepsSession: true, isInvited: true };
    case 'invalid-session':
      return { keepsSession: end.isResumable, reason: 'Discord has ended the session. Another one is begun.' };
    case 'unopened':
      // A connection that stands and is not told that the session goes on would wait for that for ever.
      return { keepsSession: !end.hello, reason: 'Discord did not answer in time.' };
    case 'silent':
      return { keepsSession: true, reason: 'Discord has fallen silent. The connection is made anew.' };
    case 'full':
      return { keepsSession: true, reason: unstoredWords };
    case 'stopped':
      return { keepsSession: true };
  }
}

/** What is said while nothing can be stored. */
export const unstoredWords =
  'What Discord delivers cannot be stored. It is tried again and again; the log says what is wrong.';

function judgeClose({ code, trouble }: SocketEnd & { readonly type: 'closed' }): EndVerdict {
  const final = finalWords(code);
  if (final !== undefined) return { keepsSession: false, isFinal: true, reason: final };
  const why = trouble ?? (code === 1006 ? 'the connection broke' : `it closed the connection, ${code}`);
  return { keepsSession: !sessionEnding.includes(code), reason: `Discord cannot be reached: ${why}.` };
}
