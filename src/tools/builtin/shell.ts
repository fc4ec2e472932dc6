import { z } from 'zod';
import { once } from '../../lib/once.ts';
import type { CommandReading } from '../guard/command/command-reading.ts';
import type { CommandRuleSettings } from '../guard/command/command-rules.ts';
import type { ProcessGuard } from '../guard/process/process.ts';
import type { Workspace, WorkspaceFactory } from '../guard/workspace/workspace.ts';
import { defineTool, type Tool } from '../tool.ts';
import { orRefusal } from './file-answers.ts';

export interface ShellSettings {
  /** How long a command may take: what it gets if it asks for nothing, and the most that it can ask for. */
  readonly timeoutSecs: number;
  /** How much output is kept, in bytes. */
  readonly maxOutputBytes: number;
  /** Names of environment variables that commands may see besides the harmless ones. */
  readonly envPassthrough: readonly string[];
  /** What never runs, and what runs unasked where a sandbox confines it. */
  readonly rules: CommandRuleSettings;
}

/** What Linux takes as one argument, less a little. */
const longestCommand = 128_000;

/** Runs commands in the workspace. `isConfined`: a sandbox keeps commands in their bounds, and not only a person's look. */
export function shell({
  runProcess,
  workspaceAt,
  settings,
  isConfined,
}: {
  readonly runProcess: ProcessGuard;
  readonly workspaceAt: WorkspaceFactory;
  readonly settings: ShellSettings;
  readonly isConfined: () => boolean;
}): Tool {
  const { timeoutSecs, maxOutputBytes, envPassthrough } = settings;
  const reader = once(() => commandReader(settings.rules));
  return defineTool({
    name: 'shell',
    displayName: 'Shell',
    category: 'shell',
    description:
      'Runs a shell command in the workspace and returns its exit code and what it printed. It has no input and no terminal. What it leaves running in the background is ended with it.',
    input: inputOf(timeoutSecs),
    describeCall: async ({ command }) => (await reader()).describeRun(command),
    effect: async ({ command }) => (await reader()).describeCommand(command),
    binds: async ({ command }, { workspace }) => (await reader()).binds(command, workspaceAt(workspace)),
    forbid: async ({ command }) => (await reader()).forbids(command),
    // What is read of a command is no boundary: a rule allows only what the sandbox confines.
    async facets({ command }) {
      const { allows, mightForbid, brings } = await reader();
      const more = { unreadable: mightForbid(command), brings: brings(command) };
      return isConfined()
        ? { allowedByRule: allows(command), ...more }
        : { allowedByRule: false, unconfined: true, ...more };
    },
    execute: ({ command, timeout_secs: seconds = timeoutSecs }, { workspace, callId, signal }) =>
      orRefusal(async () => {
        const { reportProcess } = await import('../guard/process/process.ts');
        await workspaceAt(workspace).prepare();
        const result = await runProcess({
          command,
          directory: workspace,
          callId,
          timeout: seconds * 1000,
          maxOutput: maxOutputBytes,
          passedVariables: envPassthrough,
          signal,
        });
        return { ...reportProcess(result, seconds), untrusted: (await reader()).brings(command) };
      }),
  });
}

function inputOf(timeoutSecs: number) {
  return z.strictObject({
    command: z
      .string()
      .min(1)
      .refine(isRunnable, 'must not contain a NUL character or be longer than 128,000 bytes')
      .describe('What sh runs.'),
    timeout_secs: z
      .number()
      .int()
      .min(1)
      .max(timeoutSecs)
      .optional()
      .describe(`After how many seconds it is ended. Default ${timeoutSecs}.`),
  });
}

function isRunnable(command: string): boolean {
  return !command.includes('\0') && Buffer.byteLength(command) <= longestCommand;
}

/** What is known of a command before it runs. What reads commands is loaded with the first of them. Rejects if a rule is none. */
async function commandReader(settings: CommandRuleSettings) {
  const [{ readCommands }, { reachesNetwork }, { commandRules }, descriptions, files] = await Promise.all([
    import('../guard/command/read-commands.ts'),
    import('../guard/command/command-reading.ts'),
    import('../guard/command/command-rules.ts'),
    import('../guard/command/describe-command.ts'),
    import('../bound-files.ts'),
  ]);
  const rules = commandRules(settings);
  // Rules and descriptions look at the same command one after the other.
  let last = readCommands('');
  const read = (command: string): CommandReading => {
    if (last.text !== command) last = readCommands(command);
    return last;
  };
  return {
    describeRun: (command: string) => descriptions.describeRun(read(command)),
    describeCommand: (command: string) => descriptions.describeCommand(read(command)),
    binds: (command: string, workspace: Workspace) => files.bindFiles(workspace, files.executedFiles(read(command))),
    forbids: (command: string) => rules.forbids(read(command)),
    allows: (command: string) => rules.allows(read(command)),
    mightForbid: (command: string) => rules.mightForbid(read(command)),
    brings: (command: string) => (reachesNetwork(read(command)) ? 'a command that uses the network' : undefined),
  };
}
