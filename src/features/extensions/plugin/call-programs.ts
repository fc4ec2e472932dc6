import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { commandFacts } from '../../../tools/command-facts.ts';
import { commandRules } from '../../../tools/guard/command/command-rules.ts';
import { type ProcessResult, reportProcess } from '../../../tools/guard/process/process.ts';
import {
  argumentFault,
  type CommandTemplate,
  fillTemplate,
  innerFolder,
  readTemplate,
} from '../../../tools/sources/custom/command-template.ts';
import { parameterNames } from '../../../tools/sources/parameters.ts';
import type { FoundPlugin, PluginToolManifest } from './plugin-manifest.ts';
import {
  type CallOutcome,
  isRefusal,
  outcomeOf,
  type PluginCall,
  type PluginExecution,
  type PluginMeans,
  pluginVariables,
  programRequest,
} from './plugin-means.ts';

/**
 * Runs each call as a shell command. Values are passed as arguments, never as shell text. `verify` rejects with
 * `PluginRefusal` if the folder is no longer what was trusted.
 */
export function commandProgram(plugin: FoundPlugin, means: PluginMeans, verify: () => Promise<void>): PluginExecution {
  const tools = new Map(plugin.manifest.tools.flatMap(commandTool));
  const rules = commandRules({ deny: means.config.tools.shell.deny, allow: [] });
  return {
    known(name) {
      const found = tools.get(name);
      if (found === undefined) return {};
      const { template, tool } = found;
      const written = (args: JsonObject): string => fillTemplate(template, args).written;
      const facts = commandFacts(written, rules, means.workspaceAt, tool.working_dir);
      return { ...facts, forbid: (args) => argumentFault(fillTemplate(template, args)) ?? facts.forbid(args) };
    },
    async execute(call) {
      const found = tools.get(call.tool);
      if (found === undefined) return { type: 'not-run', why: 'It has no such command.' };
      const { tool, template } = found;
      const { args, context, timeout } = call;
      const { callId, workspace, signal } = context;
      return unlessRefused(call, async () => {
        const directory = await innerFolder(means.workspaceAt(workspace), workspace, tool.working_dir);
        await verify();
        const { script, args: values } = fillTemplate(template, args);
        const result = await means.runProcess({
          ...{ command: script, args: values, directory, workspace, shown: [plugin.folder] },
          variables: { ...tool.env, ...pluginVariables(plugin) },
          ...{ callId, timeout, signal, maxOutput: means.config.tools.shell.max_output_bytes },
        });
        if (signal.aborted) return { type: 'stopped' };
        const { forLlm, isError } = reportProcess(result, timeout / 1000);
        return { type: 'answered', answer: { output: forLlm, isError } };
      });
    },
  };
}

interface CommandTool {
  readonly tool: PluginToolManifest;
  readonly template: CommandTemplate;
}

function commandTool(tool: PluginToolManifest): [string, CommandTool][] {
  const reading = readTemplate(tool.command, parameterNames(tool.parameters));
  return reading.valid ? [[tool.name, { tool, template: reading.template }]] : [];
}

/** The outcome of the work. A refused start becomes `not-run`, an abort `stopped`. */
async function unlessRefused(call: PluginCall, work: () => Promise<CallOutcome>): Promise<CallOutcome> {
  try {
    return await work();
  } catch (cause) {
    if (call.context.signal.aborted) return { type: 'stopped' };
    if (isRefusal(cause)) return { type: 'not-run', why: cause.message };
    throw cause;
  }
}

/** How much output is kept, in bytes. */
const longestAnswer = 2 ** 20;

/**
 * Starts a program for each call. It reads one request; the last line that it prints is the answer. `verify` rejects
 * with `PluginRefusal` if the folder is no longer what was trusted.
 */
export function oneShotProgram(plugin: FoundPlugin, means: PluginMeans, verify: () => Promise<void>): PluginExecution {
  return {
    async execute(call) {
      const { method, tool, args, context, timeout } = call;
      const { callId, workspace, signal } = context;
      return unlessRefused(call, async () => {
        await means.workspaceAt(workspace).prepare();
        await verify();
        const params = method === undefined ? { tool, args } : args;
        const message = { jsonrpc: '2.0', id: 1, method: method ?? 'execute', params };
        const result = await means.runProcess({
          ...programRequest(plugin, workspace),
          ...{ callId, timeout, signal, maxOutput: longestAnswer },
          input: `${JSON.stringify(message)}\n`,
        });
        if (signal.aborted) return { type: 'stopped' };
        return result.timedOut ? { type: 'timed-out' } : readAnswer(result, method);
      });
    },
  };
}

/** The last line counts, whatever the exit code. */
function readAnswer(result: ProcessResult, method: PluginCall['method']): CallOutcome {
  const { stdout, stderr, truncated, exitCode, signal, refusals } = result;
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const message = parseJson(last);
  if (isJsonObject(message)) return outcomeOf(message, method !== undefined);
  const how = exitCode === null ? `it was ended by ${signal}` : `it ended with exit code ${exitCode}`;
  const what = truncated ? 'it printed more than 1 MB' : 'its last line was no answer';
  const errors = stderr.trim();
  const said = errors === '' ? '' : `; it printed as an error: ${oneLine(errors.slice(-2000), 400)}`;
  return { type: 'lost', why: [`${how}, and ${what}${said}`, ...refusals].join(' ') };
}
