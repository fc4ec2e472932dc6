import { z } from 'zod';
import { once } from '../../lib/remembered.ts';
import type { CommandReading } from '../guard/command/command-reading.ts';
import type { CommandRuleSettings } from '../guard/command/command-rules.ts';
import type { ProcessGuard } from '../guard/process/process.ts';
import type { Workspace, WorkspaceFactory } from '../guard/workspace/workspace.ts';
import { defineTool, type Tool } from '../tool.ts';
import type { BuiltinSettings } from './settings.ts';

/** The longest argument on Linux, in bytes, with a margin. */
const longestCommand = 128_000;

export function shell(
  {
    runProcess,
    workspaceAt,
    isConfined,
  }: {
    readonly runProcess: ProcessGuard;
    readonly workspaceAt: WorkspaceFactory;
    readonly isConfined: () => boolean;
  },
  { shell: settings }: Pick<BuiltinSettings, 'shell'>,
): Tool {
  const { timeout_secs: most, max_output_bytes: maxOutput, env: passedVariables } = settings;
  const reader = once(() => commandReader(settings));
  const bringsOf = async (command: string): Promise<string | undefined> =>
    (await reader()).brings(command, !isConfined() || settings.allowed_domains.length > 0);
  return defineTool({
    name: 'shell',
    displayName: 'Shell',
    category: 'shell',
    description:
      'Runs a shell command in the workspace and returns its exit code and what it printed. It has no input and no terminal. What it leaves running in the background is ended with it.',
    input: z.strictObject({
      command: z
        .string()
        .min(1)
        .refine(isRunnable, 'must not contain a NUL character or be longer than 128,000 bytes')
        .describe('What sh runs.'),
      timeout_secs: z
        .number()
        .int()
        .min(1)
        .max(most)
        .optional()
        .describe(`After how many seconds it is ended. Default ${most}.`),
    }),
    describeCall: async ({ command }) => (await reader()).describeRun(command),
    effect: async ({ command }) => (await reader()).describeCommand(command),
    binds: async ({ command }, { workspace }) => (await reader()).binds(command, workspaceAt(workspace)),
    forbid: async ({ command }) => (await reader()).forbids(command),
    // Reading a command is no boundary: rules allow only what the sandbox confines.
    async facets({ command }) {
      const { allows, mightForbid, targetsOf } = await reader();
      const targets = targetsOf(command);
      const more = { unreadable: mightForbid(command), brings: await bringsOf(command), targets };
      return isConfined()
        ? { allowedByRule: allows(command), ...more }
        : { allowedByRule: false, unconfined: true, ...more };
    },
    async execute({ command, timeout_secs: seconds = most }, { workspace, callId, signal }) {
      const { reportProcess } = await import('../guard/process/process.ts');
      await workspaceAt(workspace).prepare();
      const timeout = seconds * 1000;
      const request = { command, directory: workspace, callId, timeout, maxOutput, passedVariables, signal };
      const result = await runProcess(request);
      return { ...reportProcess(result, seconds), untrusted: await bringsOf(command) };
    },
  });
}

function isRunnable(command: string): boolean {
  return !command.includes('\0') && Buffer.byteLength(command) <= longestCommand;
}

/** What is known about a command before it runs. Its readers load with the first one. Rejects if a rule is invalid. */
async function commandReader(settings: CommandRuleSettings) {
  const [{ readCommands }, reading, { commandRules }, files] = await Promise.all([
    import('../guard/command/read-commands.ts'),
    import('../guard/command/command-reading.ts'),
    import('../guard/command/command-rules.ts'),
    import('../bound-files.ts'),
  ]);
  const rules = commandRules(settings);
  // Rules and descriptions read the same command one after the other.
  let last = readCommands('');
  const read = (command: string): CommandReading => {
    if (last.text !== command) last = readCommands(command);
    return last;
  };
  return {
    describeRun: (command: string) => reading.describeRun(read(command)),
    describeCommand: (command: string) => reading.describeCommand(read(command)),
    binds: (command: string, workspace: Workspace) => files.bindFiles(workspace, files.executedFiles(read(command))),
    forbids: (command: string) => rules.forbids(read(command)),
    allows: (command: string) => rules.allows(read(command)),
    mightForbid: (command: string) => rules.mightForbid(read(command)),
    /** What a temporary permission covers: the programs of a read-only command, else only this command. */
    targetsOf: (command: string): readonly string[] =>
      reading.isReadOnly(read(command))
        ? [...new Set(read(command).commands.map(({ program }) => program))]
        : [command],
    brings: (command: string, isOpen: boolean) =>
      reading.reachesNetwork(read(command), isOpen) ? 'a command that uses the network' : undefined,
  };
}
