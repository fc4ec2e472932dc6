/* Who talks to the daemon at this machine: the operating-system user who runs it, over its socket. */

import { hostname, userInfo } from 'node:os';
import { principalOf } from '../../contract.ts';
import type { Acquaintance } from '../../conversation/access/access.ts';

/** The channel of their chats. No channel of others has this name. */
export const machineChannel = 'machine';

/** Their id there. The socket lets nobody else in. */
export const machineSender = 'local';

/** Their account: in the audit, and on decided cards. It always has the rights of an owner. */
export const machinePrincipal = principalOf(machineChannel, machineSender);

/** Their name: `ada@laptop`. */
export function machineUser(): string {
  return `${userName()}@${hostname()}`;
}

/** The person at this machine. */
export function personAtMachine(): Acquaintance {
  return { principal: machinePrincipal, name: machineUser() };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the user id may have no name.
    return String(process.getuid?.() ?? '?');
  }
}
