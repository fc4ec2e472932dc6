import type { InboundMessage } from '../contract.ts';
import type { AnsweringCommands } from './command-aside.ts';
import type { Approvals } from './decide.ts';
import type { Access, AccessPolicy, Command, Origin } from './message.ts';
import type { PressedCommands } from './press-command.ts';

/** Chat commands, each stored with its effect and its answer. */
export interface CommandBoard extends PressedCommands, AnsweringCommands {
  obey(command: Command, origin: Origin): Promise<void>;
  /** `/approve` or `/deny`. */
  isDecision(command: Command): boolean;
  /** A message that is to prove ownership, though it is not written as a command. */
  claimIn(message: InboundMessage): Command | undefined;
  /** Proves ownership. */
  isClaim(command: Command): boolean;
  claim(command: Command, origin: Origin): Promise<void>;
  /** Links another account. */
  isJoining(command: Command): boolean;
  admit(command: Command, origin: Origin): Promise<void>;
}

interface AccessParts {
  readonly access: AccessPolicy;
  readonly commands: Pick<CommandBoard, 'isDecision' | 'isClaim' | 'isJoining'>;
  readonly approvals: Pick<Approvals, 'isApprover'>;
}

/**
 * Commands that skip the access check: an approver's decision, wherever they read the card; a stranger linking their
 * account; and a claim while nobody owns this Keyturn.
 */
export function bypassesAccess(
  command: Command,
  { principal }: Origin,
  access: Access,
  { commands, approvals, access: policy }: AccessParts,
): boolean {
  if (commands.isDecision(command)) return approvals.isApprover(principal);
  if (access.type === 'refuse' && commands.isJoining(command)) return true;
  const isHeard = access.type === 'welcome' || access.type === 'refuse';
  return isHeard && commands.isClaim(command) && !policy.isOwner(principal);
}
