import { type ApprovalSettings, modePermits, policyAsks } from '../../approval/verdict.ts';
import type { SandboxState } from '../../tools/guard/process/process-bounds.ts';

interface BoundsFacts {
  readonly settings: ApprovalSettings;
  readonly sandbox: SandboxState;
  /** Without a sandbox no command runs. */
  readonly isRequired: boolean;
}

/** What keeps shell commands in their bounds, in one line of plain text. */
export function boundsWords({ settings, sandbox, isRequired }: BoundsFacts): string {
  if (!modePermits(settings.mode, 'shell')) return `no command runs in the mode ${settings.mode}`;
  if (sandbox.holds) return 'in a sandbox (bubblewrap)';
  if (isRequired) return `no command runs: the config demands a sandbox, and there is none (${sandbox.reason})`;
  const rest = asksWithout(settings)
    ? 'every command waits for your approval'
    : 'AND THE RULES ASK NOBODY: commands may do all that this user may';
  const outliving = sandbox.wrapper === undefined ? '; what a command starts and hides may outlive it' : '';
  return `no sandbox (${sandbox.reason}): ${rest}${outliving}`;
}

/** As `judge` has it for a call that nothing confines. */
function asksWithout(settings: ApprovalSettings): boolean {
  if (settings.mode === 'autonomous') return settings.policy !== 'always_allow';
  return policyAsks(settings, 'shell', 'shell');
}
