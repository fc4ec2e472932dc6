import { z } from 'zod';
import { once } from '../../lib/background.ts';
import type { CommandShell } from '../guard/process/command-shell.ts';
import type { ProcessGuard } from '../guard/process/process.ts';
import type { WorkspaceFactory } from '../guard/workspace/workspace.ts';
import { defineTool, type Tool } from '../tool.ts';
import type { BuiltinSettings } from './settings.ts';

interface Command {
  readonly command: string;
}

/** The longest argument on Linux, in bytes, with a margin. */
const longestCommand = 128_000;

export function shell(
  {
    runProcess,
    workspaceAt,
    isConfined,
    commandShell,
  }: {
    readonly runProcess: ProcessGuard;
    readonly workspaceAt: WorkspaceFactory;
    readonly isConfined: () => boolean;
    readonly commandShell: () => CommandShell;
  },
  { shell: settings }: Pick<BuiltinSettings, 'shell'>,
): Tool {
  const { timeout_secs: most, max_output_bytes: maxOutput, env: passedVariables } = settings;
  // The readers of commands load with the first one. Rejects if a rule is invalid.
  const reader = once(async () => {
    const [{ commandFacts }, { commandRules }, { isReadOnly, reachesNetwork }] = await Promise.all([
      import('../command-facts.ts'),
      import('../guard/command/command-rules.ts'),
      import('../guard/command/command-reading.ts'),
    ]);
    const facts = commandFacts((args: Command) => args.command, commandRules(settings), { workspaceAt, commandShell });
    return { ...facts, reachesNetwork, isReadOnly };
  });
  const bringsOf = async (args: Command): Promise<string | undefined> => {
    const { read, reachesNetwork } = await reader();
    const isOpen = !isConfined() || settings.allowed_domains.length > 0;
    return reachesNetwork(read(args), isOpen) ? 'a command that uses the network' : undefined;
  };
  const { name: shellName, isBash } = commandShell();
  return defineTool({
    name: 'shell',
    displayName: `Shell (${shellName})`,
    category: 'shell',
    description: `Runs a command in ${shellName} in the workspace and returns its exit code and what it printed. It has no input and no terminal. What it leaves running in the background is ended with it.`,
    input: z.strictObject({
      command: z
        .string()
        .min(1)
        .refine(isRunnable, 'must not contain a NUL character or be longer than 128,000 bytes')
        .describe(`What ${isBash ? 'bash' : 'sh'} runs.`),
      timeout_secs: z
        .number()
        .int()
        .min(1)
        .max(most)
        .optional()
        .describe(`After how many seconds it is ended. Default ${most}.`),
    }),
    describeCall: async (args, who) => (await reader()).describeCall(args, who),
    effect: async (args) => (await reader()).effect(args),
    binds: async (args, scope) => (await reader()).binds(args, scope),
    forbid: async (args) => (await reader()).forbid(args),
    async facets(args) {
      const { read, isReadOnly, mightForbid, permission, untraced } = await reader();
      const { commands } = read(args);
      // What a temporary permission covers: the programs of a read-only command, else only this command. With
      // `make --version`, `make` is not permitted; and what is in brackets is no command.
      const isLook = isReadOnly(read(args));
      const programs = [...new Set(commands.map(({ program }) => program))];
      const targets = isLook ? programs : [args.command];
      const covers = isLook ? programs.map((program) => `${program} (read-only)`) : targets;
      const brings = await bringsOf(args);
      const known = { ...permission(args, isConfined()), untraced: untraced(args, isConfined(), settings.protected) };
      return { ...known, unreadable: mightForbid(args), brings, targets, covers };
    },
    async execute(args, { workspace, callId, signal, tracesReads }) {
      const { command, timeout_secs: seconds = most } = args;
      const { reportProcess } = await import('../guard/process/process.ts');
      await workspaceAt(workspace).prepare();
      const { read, isReadOnly } = await reader();
      // A file system that is mounted read-only records no access times.
      const isLook = isReadOnly(read(args)) && tracesReads !== true;
      const timeout = seconds * 1000;
      const request = { command, directory: workspace, callId, timeout, maxOutput, passedVariables, signal };
      const result = await runProcess({ ...request, isReadOnly: isLook });
      return { ...reportProcess(result, seconds), untrusted: await bringsOf(args) };
    },
  });
}

function isRunnable(command: string): boolean {
  return !command.includes('\0') && Buffer.byteLength(command) <= longestCommand;
}
