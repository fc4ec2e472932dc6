import { type CommandBounds, refuseCommands, unbounded } from './bounds.ts';
import { Sandbox } from './sandbox.ts';
import type { SandboxState } from './sandbox-trial.ts';
import type { HiddenPlaces } from './sandbox-view.ts';

export interface ProcessBoundsOptions {
  readonly sandbox: SandboxState;
  /** Without a sandbox no command runs. */
  readonly isRequired: boolean;
  readonly hidden: HiddenPlaces;
  /** What commands in the sandbox may reach in the network. */
  readonly allowedDomains: readonly string[];
}

/** The bounds of all commands of this process. */
export interface ProcessBounds {
  readonly bounds: CommandBounds;
  /** A sandbox keeps them, and not only a person's look. */
  isConfined(): boolean;
  /** Lets go of what the network of commands needed. */
  stop(): Promise<void>;
}

/** Chooses by what was found at start. A sandbox that fails later is never left out: the command does not run. */
export function processBounds({ sandbox, isRequired, hidden, allowedDomains }: ProcessBoundsOptions): ProcessBounds {
  if (sandbox.holds) {
    const made = new Sandbox({ programs: sandbox.programs, hidden, allowedDomains });
    return { bounds: (command) => made.bound(command), isConfined: () => true, stop: () => made.stop() };
  }
  return {
    bounds: isRequired ? refuseCommands(sandbox.reason) : unbounded,
    isConfined: () => false,
    stop: async () => {},
  };
}
