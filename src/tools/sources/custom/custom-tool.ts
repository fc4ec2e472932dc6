import { hash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import { commandFacts } from '../../command-facts.ts';
import { foreignTool } from '../../foreign-tool.ts';
import { type CommandReading, reachesNetwork } from '../../guard/command/command-reading.ts';
import { type CommandRuleSettings, commandRules } from '../../guard/command/command-rules.ts';
import { readCommands } from '../../guard/command/read-commands.ts';
import { type CommandShell, plainShell } from '../../guard/process/command-shell.ts';
import { type ProcessGuard, reportProcess } from '../../guard/process/process.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import type { Tool, ToolCategory } from '../../tool.ts';
import { parameterNames } from '../parameters.ts';
import { argumentFault, fillTemplate, innerFolder, readTemplate } from './command-template.ts';

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
  const { name, description, category, parameters, timeout_secs: seconds, working_dir: folder, env } = settings;
  const { runProcess, workspaceAt, isConfined, shell, commandShell = () => plainShell } = parts;
  const read = readTemplate(settings.command, parameterNames(parameters));
  if (!read.valid) throw new Error(`The command of the tool "${name}" cannot be used. ${read.faults.join(' ')}`);
  const bare = readCommands(read.masked);
  const fill = (args: JsonObject) => fillTemplate(read.template, args);
  const place = { workspaceAt, folder, commandShell };
  const facts = commandFacts((args: JsonObject) => fill(args).written, rulesFor(bare, shell), place);
  // Strangers may have written network content, and programs that nobody has read may use an open network.
  const bringsNow = (): string | undefined => {
    const isOpen = !isConfined() || shell.allowed_domains.length > 0;
    const isOfNetwork = category === 'network_read' || category === 'network_write' || reachesNetwork(bare, isOpen);
    return isOfNetwork ? `the tool ${name}` : undefined;
  };
  const identity = canonicalJson({ command: settings.command, folder: folder ?? '', variables: env });
  return foreignTool({
    name,
    description,
    category,
    parameters,
    fingerprint: hash('sha256', identity),
    describeCall: facts.describeCall,
    effect: facts.effect,
    binds: facts.binds,
    forbid: (args) => argumentFault(fill(args)) ?? facts.forbid(args),
    facets(args) {
      const brings = bringsNow();
      const untraced = facts.untraced(args, isConfined(), shell.protected);
      if (category === 'shell') return { ...facts.permission(args, isConfined()), untraced, brings };
      // A memory tool may write.
      return { writesMemory: category === 'memory' || undefined, untraced, brings };
    },
    async execute(args, { workspace, callId, signal }) {
      const { script, args: values } = fill(args);
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
      return { ...reportProcess(result, seconds), untrusted: bringsNow() };
    },
  });
}

/** Deny rules that the bare command breaks do not apply: the operator chose that command. */
function rulesFor(bare: CommandReading, { deny, allow }: CommandRuleSettings) {
  const broken = (rule: string): boolean => commandRules({ deny: [rule], allow: [] }).forbids(bare) !== undefined;
  return commandRules({ deny: bare.isWhole ? deny.filter((rule) => !broken(rule)) : deny, allow });
}
