import { z } from 'zod';
import type { CommandReading } from '../guard/command/command-reading.ts';
import { type CommandRuleSettings, commandRules } from '../guard/command/command-rules.ts';
import { describeRun } from '../guard/command/describe-run.ts';
import { readCommands } from '../guard/command/read-commands.ts';
import type { ProcessGuard } from '../guard/process/process.ts';
import { reportProcess } from '../guard/process/report-process.ts';
import type { WorkspaceFactory } from '../guard/workspace/workspace.ts';
import { defineTool, type Tool } from '../tool.ts';
import { orRefusal } from './or-refusal.ts';

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

export interface ShellDependencies {
  readonly runProcess: ProcessGuard;
  readonly workspaceAt: WorkspaceFactory;
  readonly settings: ShellSettings;
  /** A sandbox keeps commands in their bounds, and not only a person's look. */
  readonly isConfined: () => boolean;
}

/** What Linux takes as one argument, less a little. */
const longestCommand = 128_000;

/** Runs commands in the workspace. Throws if a rule for commands is none. */
export function shell({ runProcess, workspaceAt, settings, isConfined }: ShellDependencies): Tool {
  const { timeoutSecs, maxOutputBytes, envPassthrough } = settings;
  const rules = commandRules(settings.rules);
  // Rules and descriptions look at the same command one after the other.
  let last = readCommands('');
  const read = (command: string): CommandReading => {
    if (last.text !== command) last = readCommands(command);
    return last;
  };
  return defineTool({
    name: 'shell',
    displayName: 'Shell',
    category: 'shell',
    description:
      'Runs a shell command in the workspace and returns its exit code and what it printed. It has no input and no terminal. What it leaves running in the background is ended with it.',
    input: inputOf(timeoutSecs),
    describeCall: ({ command }) => describeRun(read(command)),
    forbid: ({ command }) => rules.forbids(read(command)),
    // What is read of a command is no boundary: a rule allows only what the sandbox confines.
    facets: ({ command }) =>
      isConfined() ? { allowedByRule: rules.allows(read(command)) } : { allowedByRule: false, unconfined: true },
    execute: ({ command, timeout_secs: seconds = timeoutSecs }, { workspace, callId, signal }) =>
      orRefusal(async () => {
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
        return reportProcess(result, seconds);
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
