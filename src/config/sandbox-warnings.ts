import type { SandboxState } from '../tools/guard/process/sandbox-trial.ts';
import type { Config } from './schema.ts';

/** What is worth saying loudly at start about the bounds of commands, once it is known whether there is a sandbox. */
export function sandboxWarnings({ tools: { shell } }: Config, state: SandboxState): readonly string[] {
  if (!shell.enabled || state.holds) return [];
  const { sandbox, allow, allowed_domains } = shell;
  return [
    ...(sandbox === 'off'
      ? ['tools.shell.sandbox is "off": commands may read and change all that this user may.']
      : []),
    ...(sandbox === 'required' ? [`tools.shell.sandbox is "required": no command runs, since ${state.reason}.`] : []),
    ...(allow.length > 0 ? ['tools.shell.allow has no effect without a sandbox.'] : []),
    ...(allowed_domains.length > 0 && sandbox !== 'required'
      ? ['tools.shell.allowed_domains has no effect without a sandbox: commands reach all of the network.']
      : []),
  ];
}
