import type { JsonObject } from '../../../lib/json.ts';
import { type CommandRules, commandRules } from '../../guard/command/command-rules.ts';
import { describeRun } from '../../guard/command/describe-run.ts';
import { readCommands } from '../../guard/command/read-commands.ts';
import { reportProcess } from '../../guard/process/report-process.ts';
import { argumentFault } from '../custom/argument-fault.ts';
import { type CommandTemplate, readTemplate } from '../custom/command-template.ts';
import { fillTemplate } from '../custom/fill-template.ts';
import { innerFolder } from '../custom/inner-folder.ts';
import { parameterNames } from '../parameters.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { FoundPlugin } from './found-plugin.ts';
import type { PluginToolManifest } from './plugin-manifest.ts';
import { isRefusal, type PluginExecution, type PluginMeans } from './plugin-means.ts';
import type { PluginCall } from './plugin-process.ts';
import { pluginVariables } from './program-request.ts';

export interface CommandProgramDependencies {
  readonly means: PluginMeans;
  /** Looks whether the folder is still what was trusted. Rejects with `PluginRefusal` if not. */
  readonly verify: () => Promise<void>;
}

interface CommandTool {
  readonly tool: PluginToolManifest;
  readonly template: CommandTemplate;
}

/** Has each call of a plugin done by a command of the shell, in which values are arguments, whatever they are. */
export function commandProgram(plugin: FoundPlugin, dependencies: CommandProgramDependencies): PluginExecution {
  const tools = new Map(plugin.manifest.tools.flatMap(commandTool));
  const rules = commandRules({ deny: dependencies.means.deny, allow: [] });
  return {
    describe({ tool, args }) {
      const known = tools.get(tool);
      return known === undefined ? undefined : describeRun(readCommands(fillTemplate(known.template, args).written));
    },
    forbid({ tool, args }) {
      const known = tools.get(tool);
      return known === undefined ? undefined : faultOf(known, args, rules);
    },
    async execute(call) {
      const known = tools.get(call.tool);
      if (known === undefined) return { type: 'not-run', why: 'It has no such command.' };
      try {
        return await run(known, call, { plugin, ...dependencies });
      } catch (cause) {
        if (call.context.signal.aborted) return { type: 'stopped' };
        if (isRefusal(cause)) return { type: 'not-run', why: cause.message };
        throw cause;
      }
    },
    stop: async () => {},
  };
}

function commandTool(tool: PluginToolManifest): [string, CommandTool][] {
  const reading = readTemplate(tool.command, parameterNames(tool.parameters));
  return reading.valid ? [[tool.name, { tool, template: reading.template }]] : [];
}

function faultOf({ template }: CommandTool, args: JsonObject, rules: CommandRules): string | undefined {
  const filled = fillTemplate(template, args);
  return argumentFault(filled) ?? rules.forbids(readCommands(filled.written));
}

async function run(
  { tool, template }: CommandTool,
  { args, context, timeout }: PluginCall,
  { plugin, means, verify }: CommandProgramDependencies & { readonly plugin: FoundPlugin },
): Promise<CallOutcome> {
  const { callId, workspace, signal } = context;
  const directory = await innerFolder(means.workspaceAt(workspace), workspace, tool.working_dir);
  await verify();
  const { script, args: values } = fillTemplate(template, args);
  const result = await means.runProcess({
    ...{ command: script, args: values, directory, workspace, shown: [plugin.folder] },
    variables: { ...tool.env, ...pluginVariables(plugin) },
    ...{ callId, timeout, signal, maxOutput: means.maxOutputBytes },
  });
  if (signal.aborted) return { type: 'stopped' };
  const { forLlm, isError } = reportProcess(result, timeout / 1000);
  return { type: 'answered', answer: { output: forLlm, isError } };
}
