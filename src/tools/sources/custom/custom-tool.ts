import { hash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import { type CommandFacts, commandFacts } from '../../command-facts.ts';
import { foreignTool } from '../../foreign-tool.ts';
import { type CommandReading, reachesNetwork } from '../../guard/command/command-reading.ts';
import { type CommandRuleSettings, commandRules } from '../../guard/command/command-rules.ts';
import { readCommands } from '../../guard/command/read-commands.ts';
import { type CommandShell, plainShell } from '../../guard/process/command-shell.ts';
import { type ProcessGuard, reportProcess } from '../../guard/process/process.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import type { ToolOutput } from '../../output.ts';
import { taintSource } from '../../taint-sources.ts';
import type { CallFacets, Tool, ToolCategory, ToolContext } from '../../tool.ts';
import { parameterNames } from '../parameters.ts';
import { argumentFault, type FilledCommand, fillTemplate, innerFolder, readTemplate } from './command-template.ts';

/** An operator's command that the model can call, as in the config. */
export interface CustomToolSettings {
  readonly name: string;
  readonly description: string;
  readonly category: ToolCategory;
  /** `{{name}}` stands for the value of a parameter. */
  readonly command: string;
  readonly parameters: JsonObject;
  /** Relative to the workspace. Default: the workspace. */
  readonly working_dir?: string;
  readonly timeout_secs: number;
  readonly env: Readonly<Record<string, string>>;
}

export interface CustomToolParts {
  readonly runProcess: ProcessGuard;
  readonly workspaceAt: WorkspaceFactory;
  readonly isConfined: () => boolean;
  /** Default: `sh`. */
  readonly commandShell?: () => CommandShell;
  /** The rules for all commands: `tools.shell`. */
  readonly shell: CommandRuleSettings & {
    readonly max_output_bytes: number;
    readonly allowed_domains: readonly string[];
    readonly protected: readonly string[];
  };
}

/** Makes a tool of an operator's command. Throws if a value could be more than data in it, with advice. */
export function customTool(settings: CustomToolSettings, parts: CustomToolParts): Tool {
  const { name, description, category, parameters, working_dir: folder, env } = settings;
  const { workspaceAt, shell, commandShell = () => plainShell } = parts;
  const read = readTemplate(settings.command, parameterNames(parameters));
  if (!read.valid) {
    const faults = read.faults.map((fault) => fault('en'));
    throw new Error(`The command of the tool "${name}" cannot be used. ${faults.join(' ')}`);
  }
  const bare = readCommands(read.masked);
  const fill = (args: JsonObject) => fillTemplate(read.template, args);
  const place = { workspaceAt, folder, commandShell };
  const facts = commandFacts((args: JsonObject) => fill(args).written, rulesFor(bare, shell), place);
  const command: CustomCommand = { settings, parts, bare, fill, facts };
  const identity = canonicalJson({ command: settings.command, folder: folder ?? '', variables: env });
  return foreignTool({
    name,
    description,
    category,
    parameters,
    fingerprint: hash('sha256', identity),
    describeCall: facts.describeCall,
    effect: facts.effect,
    body: facts.body,
    namesAll: true,
    binds: facts.binds,
    forbid: (args) => argumentFault(fill(args)) ?? facts.forbid(args),
    facets: (args) => facetsOf(args, command),
    execute: (args, context) => execute(args, context, command),
  });
}

/** A command that takes values, and what is known of it. */
interface CustomCommand {
  readonly settings: CustomToolSettings;
  readonly parts: CustomToolParts;
  /** The command without values. */
  readonly bare: CommandReading;
  readonly fill: (args: JsonObject) => FilledCommand;
  readonly facts: CommandFacts<JsonObject>;
}

function facetsOf(args: JsonObject, command: CustomCommand): CallFacets {
  const { settings, parts, facts } = command;
  const brings = bringsNow(command);
  const isConfined = parts.isConfined();
  const untraced = facts.untraced(args, isConfined, parts.shell.protected);
  if (settings.category === 'shell') return { ...facts.permission(args, isConfined), untraced, brings };
  // A memory tool may write.
  return { writesMemory: settings.category === 'memory' || undefined, untraced, brings };
}

/** Strangers may have written network content, and programs that nobody has read may use an open network. */
function bringsNow({ settings: { name, category }, parts, bare }: CustomCommand): string | undefined {
  const isOpen = !parts.isConfined() || parts.shell.allowed_domains.length > 0;
  const isOfNetwork = category === 'network_read' || category === 'network_write' || reachesNetwork(bare, isOpen);
  return isOfNetwork ? taintSource('customTool', name) : undefined;
}

async function execute(
  args: JsonObject,
  { workspace, callId, signal }: ToolContext,
  command: CustomCommand,
): Promise<ToolOutput> {
  const { runProcess, workspaceAt, shell } = command.parts;
  const { timeout_secs: seconds, working_dir: folder, env } = command.settings;
  const { script, args: values } = command.fill(args);
  const result = await runProcess({
    command: script,
    args: values,
    workspace,
    directory: await innerFolder(workspaceAt(workspace), workspace, folder),
    callId,
    timeout: seconds * 1000,
    maxOutput: shell.max_output_bytes,
    variables: env,
    signal,
  });
  return { ...reportProcess(result, seconds), untrusted: bringsNow(command) };
}

/** Deny rules that the bare command breaks do not apply: the operator chose that command. */
function rulesFor(bare: CommandReading, { deny, allow }: CommandRuleSettings) {
  const broken = (rule: string): boolean => commandRules({ deny: [rule], allow: [] }).forbids(bare) !== undefined;
  return commandRules({ deny: bare.isWhole ? deny.filter((rule) => !broken(rule)) : deny, allow });
}
