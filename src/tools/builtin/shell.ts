import { z } from 'zod';
import { once } from '../../lib/background.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { InLanguage } from '../../lib/words.ts';
import type { CommandFacts } from '../command-facts.ts';
import type { isReadOnly, reachesNetwork } from '../guard/command/command-reading.ts';
import type { CommandShell } from '../guard/process/command-shell.ts';
import type { ProcessGuard } from '../guard/process/process.ts';
import type { WorkspaceFactory } from '../guard/workspace/workspace.ts';
import type { ToolOutput } from '../output.ts';
import { taintSource } from '../taint-sources.ts';
import { type CallFacets, defineBuiltin, type Tool, type ToolContext } from '../tool.ts';
import type { BuiltinSettings } from './settings.ts';
import { builtinWords } from './words.ts';

interface Command {
  readonly command: string;
}

/** The longest argument on Linux, in bytes, with a margin. */
const longestCommand = 128_000;

/** What of it stands on a decided card, in characters. */
const longestShown = 160;

interface ShellParts {
  readonly runProcess: ProcessGuard;
  readonly workspaceAt: WorkspaceFactory;
  readonly isConfined: () => boolean;
  readonly commandShell: () => CommandShell;
}

interface ShellContext {
  readonly parts: ShellParts;
  readonly settings: BuiltinSettings['shell'];
  /** The readers of commands, which load with the first one. Rejects if a rule is invalid. */
  readonly reader: () => Promise<ShellReader>;
}

type ShellReader = CommandFacts<Command> & {
  readonly reachesNetwork: typeof reachesNetwork;
  readonly isReadOnly: typeof isReadOnly;
};

export function shell(parts: ShellParts, { shell: settings }: Pick<BuiltinSettings, 'shell'>): Tool {
  const { timeout_secs: most } = settings;
  const reader = once(() => loadReader(parts, settings));
  const context: ShellContext = { parts, settings, reader };
  const { name: shellName, isBash } = parts.commandShell();
  return defineBuiltin({
    name: 'shell',
    displayName: (language) => builtinWords[language].names.shell(shellName),
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
    describeCall: async (args) => (await reader()).describeCall(args),
    effect: async (args) => (await reader()).effect(args),
    body: async (args) => (await reader()).body(args),
    binds: async (args, scope) => (await reader()).binds(args, scope),
    forbid: async (args) => (await reader()).forbid(args),
    ruleTarget: async (args) => (parts.isConfined() ? (await reader()).ruleTarget(args) : undefined),
    facets: (args) => facetsOf(args, context),
    execute: (args, call) => execute(args, call, context),
  });
}

async function loadReader(
  { workspaceAt, commandShell }: ShellParts,
  settings: BuiltinSettings['shell'],
): Promise<ShellReader> {
  const [{ commandFacts }, { commandRules }, reading] = await Promise.all([
    import('../command-facts.ts'),
    import('../guard/command/command-rules.ts'),
    import('../guard/command/command-reading.ts'),
  ]);
  const facts = commandFacts((args: Command) => args.command, commandRules(settings), { workspaceAt, commandShell });
  return { ...facts, reachesNetwork: reading.reachesNetwork, isReadOnly: reading.isReadOnly };
}

/** The source of what it saves, if strangers may have written that. */
async function bringsOf(args: Command, { parts, settings, reader }: ShellContext): Promise<string | undefined> {
  const { read, reachesNetwork } = await reader();
  const isOpen = !parts.isConfined() || settings.allowed_domains.length > 0;
  return reachesNetwork(read(args), isOpen) ? taintSource('networkCommand') : undefined;
}

async function facetsOf(args: Command, context: ShellContext): Promise<CallFacets> {
  const { parts, settings } = context;
  const { read, isReadOnly, mightForbid, permission, untraced } = await context.reader();
  const { commands } = read(args);
  // What a temporary permission covers: the programs of a read-only command, else only this command. With
  // `make --version`, `make` is not permitted; and what is in brackets is no command.
  const isLook = isReadOnly(read(args));
  const programs = [...new Set(commands.map(({ program }) => program))];
  const targets = isLook ? programs : [args.command];
  const covers = isLook ? programs.map((program) => `${program} (read-only)`) : targets;
  const brings = await bringsOf(args, context);
  const isConfined = parts.isConfined();
  const known = { ...permission(args, isConfined), untraced: untraced(args, isConfined, settings.protected) };
  return { ...known, unreadable: mightForbid(args), brings, targets, covers, ...(isLook ? { writes: [] } : {}) };
}

async function execute(
  args: Command & { readonly timeout_secs?: number | undefined },
  { workspace, callId, signal, tracesReads }: ToolContext,
  context: ShellContext,
): Promise<ToolOutput> {
  const { parts, settings } = context;
  const { timeout_secs: most, max_output_bytes: maxOutput, env: passedVariables } = settings;
  const { command, timeout_secs: seconds = most } = args;
  const { reportProcess } = await import('../guard/process/process.ts');
  await parts.workspaceAt(workspace).prepare();
  const { read, isReadOnly } = await context.reader();
  // A file system that is mounted read-only records no access times.
  const isLook = isReadOnly(read(args)) && tracesReads !== true;
  const timeout = seconds * 1000;
  const request = { command, directory: workspace, callId, timeout, maxOutput, passedVariables, signal };
  const result = await parts.runProcess({ ...request, isReadOnly: isLook });
  const did: InLanguage = (language) => builtinWords[language].ran(inlineCode(oneLine(command, longestShown)));
  return { ...reportProcess(result, seconds), did, untrusted: await bringsOf(args, context) };
}

function isRunnable(command: string): boolean {
  return !command.includes('\0') && Buffer.byteLength(command) <= longestCommand;
}
