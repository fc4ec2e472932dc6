import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import { bindFiles, executedFiles } from '../../bound-files.ts';
import { orRefusal } from '../../builtin/file-answers.ts';
import type { CallFacets, ToolCategory } from '../../category.ts';
import { foreignTool } from '../../foreign-tool.ts';
import { type CommandReading, reachesNetwork } from '../../guard/command/command-reading.ts';
import { type CommandRuleSettings, commandRules } from '../../guard/command/command-rules.ts';
import { describeCommand, describeRun } from '../../guard/command/describe-command.ts';
import { readCommands } from '../../guard/command/read-commands.ts';
import { type ProcessGuard, reportProcess } from '../../guard/process/process.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import type { Tool } from '../../tool.ts';
import { parameterNames } from '../parameters.ts';
import {
  argumentFault,
  type CommandTemplate,
  type FilledCommand,
  fillTemplate,
  innerFolder,
  readTemplate,
} from './command-template.ts';

/** A command of the operator's that the model can call. */
export interface CustomToolSettings {
  readonly name: string;
  readonly description: string;
  readonly category: ToolCategory;
  /** `{{name}}` stands for the value of a parameter. */
  readonly command: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** The folder that it runs in, relative to the workspace. Left out: the workspace. */
  readonly folder?: string;
  readonly timeoutSecs: number;
  /** Its own environment variables. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface CustomToolDependencies {
  readonly runProcess: ProcessGuard;
  readonly workspaceAt: WorkspaceFactory;
  /** A sandbox keeps commands in their bounds, and not only a person's look. */
  readonly isConfined: () => boolean;
  /** What holds for all commands: `tools.shell`. */
  readonly rules: CommandRuleSettings;
  /** How much output is kept, in bytes. */
  readonly maxOutputBytes: number;
}

/** A call of it: what runs, and what can be read of that. */
interface FilledCall {
  readonly args: JsonObject;
  readonly command: FilledCommand;
  readonly reading: CommandReading;
}

/** Makes a tool of the operator's command. Throws if a value could become more than data in it, with what to do about that. */
export function customTool(settings: CustomToolSettings, dependencies: CustomToolDependencies): Tool {
  const { name, description, category, parameters, timeoutSecs } = settings;
  const template = templateOf(settings);
  const bare = readCommands(template.masked);
  const rules = rulesFor(bare, dependencies.rules);
  // Rules and descriptions look at the same arguments one after the other.
  let last: FilledCall | undefined;
  const fill = (args: JsonObject): FilledCall => {
    if (last?.args !== args) last = filledCall(template, args);
    return last;
  };
  const { isConfined } = dependencies;
  const brings = readsNetwork(category, bare) ? `the tool ${name}` : undefined;
  return foreignTool({
    name,
    description,
    category,
    parameters,
    fingerprint: fingerprintOf(settings),
    describeCall: (args) => describeRun(fill(args).reading),
    effect: (args) => describeCommand(fill(args).reading),
    binds: (args, { workspace }) => {
      const { candidates, areAllNamed } = executedFiles(fill(args).reading, settings.folder);
      // The parts of the operator's own command that cannot be read are the operator's choice.
      const isNamed = areAllNamed || !executedFiles(bare).areAllNamed;
      return bindFiles(dependencies.workspaceAt(workspace), { candidates, areAllNamed: isNamed });
    },
    forbid: (args) => argumentFault(fill(args).command) ?? rules.forbids(fill(args).reading),
    facets: (args) => ({
      ...facetsOf(category, isConfined() ? rules.allows(fill(args).reading) : undefined),
      brings,
    }),
    execute: (args, { workspace, callId, signal }) =>
      orRefusal(async () => {
        const { script, args: values } = fill(args).command;
        const result = await dependencies.runProcess({
          command: script,
          args: values,
          workspace,
          directory: await innerFolder(dependencies.workspaceAt(workspace), workspace, settings.folder),
          callId,
          timeout: timeoutSecs * 1000,
          maxOutput: dependencies.maxOutputBytes,
          variables: settings.variables,
          signal,
        });
        return { ...reportProcess(result, timeoutSecs), untrusted: brings };
      }),
  });
}

function templateOf({ name, command, parameters }: CustomToolSettings): CommandTemplate {
  const reading = readTemplate(command, parameterNames(parameters));
  if (reading.valid) return reading.template;
  throw new Error(`The command of the tool "${name}" cannot be used. ${reading.faults.join(' ')}`);
}

/** What the operator's own command always does is their choice: the other rules hold for what the values make of it. */
function rulesFor(bare: CommandReading, { deny, allow }: CommandRuleSettings) {
  const broken = (rule: string): boolean => commandRules({ deny: [rule], allow: [] }).forbids(bare) !== undefined;
  return commandRules({ deny: bare.isWhole ? deny.filter((rule) => !broken(rule)) : deny, allow });
}

function filledCall(template: CommandTemplate, args: JsonObject): FilledCall {
  const command = fillTemplate(template, args);
  return { args, command, reading: readCommands(command.written) };
}

/** `allowed`: whether a rule allows it in the sandbox; undefined where there is none. */
function facetsOf(category: ToolCategory, allowed: boolean | undefined): CallFacets {
  switch (category) {
    case 'shell':
      return allowed === undefined ? { allowedByRule: false, unconfined: true } : { allowedByRule: allowed };
    case 'memory':
      // Nobody knows whether it writes.
      return { writesMemory: true };
    case 'filesystem_read':
    case 'filesystem_write':
    case 'network_read':
    case 'network_write':
    case 'hardware':
    case 'messaging':
    case 'destructive':
      return {};
  }
}

/** What comes from the network may be written by strangers. */
function readsNetwork(category: ToolCategory, bare: CommandReading): boolean {
  if (category === 'network_read' || category === 'network_write') return true;
  return reachesNetwork(bare);
}

/** Changes with all that makes it another tool although it says the same of itself. */
function fingerprintOf({ command, folder = '', variables }: CustomToolSettings): string {
  return createHash('sha256').update(canonicalJson({ command, folder, variables })).digest('hex');
}
