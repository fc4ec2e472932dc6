import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { commandFacts } from '../../tools/command-facts.ts';
import { commandRules } from '../../tools/guard/command/command-rules.ts';
import { type ProcessResult, reportProcess } from '../../tools/guard/process/process.ts';
import { argumentFault, fillTemplate, innerFolder, readTemplate } from '../../tools/sources/custom/command-template.ts';
import { parameterNames } from '../../tools/sources/parameters.ts';
import type { FoundPlugin, PluginToolManifest } from './plugin-manifest.ts';
import {
  type CallOutcome,
  isRefusal,
  outcomeOf,
  type PluginCall,
  type PluginExecution,
  type PluginMeans,
  PluginRefusal,
  pluginVariables,
  programRequest,
  requestOf,
} from './plugin-means.ts';

/**
 * Runs each call as a shell command. Values are passed as arguments, never as shell text. `verify` rejects with
 * `PluginRefusal` if the folder is no longer what was trusted.
 */
export function commandProgram(plugin: FoundPlugin, means: PluginMeans, verify: () => Promise<void>): PluginExecution {
  const rules = commandRules({ deny: means.config.tools.shell.deny, allow: [] });
  return {
    known(tool) {
      const fill = fillerOf(tool);
      const place = { workspaceAt: means.workspaceAt, folder: tool.working_dir, commandShell: means.bounds.shell };
      const facts = commandFacts((args: JsonObject) => fill(args).written, rules, place);
      return { ...facts, forbid: (args) => argumentFault(fill(args)) ?? facts.forbid(args) };
    },
    execute: (call) =>
      unlessRefused(call, async ({ callId, workspace, signal }) => {
        const { asked, args, timeout } = call;
        if (typeof asked === 'string') return { type: 'not-run', why: 'It has no program.' };
        const directory = await innerFolder(means.workspaceAt(workspace), workspace, asked.working_dir);
        await verify();
        const { script, args: values } = fillerOf(asked)(args);
        const result = await means.runProcess({
          command: script,
          args: values,
          directory,
          workspace,
          shown: [plugin.folder],
          variables: { ...asked.env, ...pluginVariables(plugin) },
          callId,
          timeout,
          signal,
          maxOutput: means.config.tools.shell.max_output_bytes,
        });
        const { forLlm, isError } = reportProcess(result, timeout / 1000);
        return { type: 'answered', output: forLlm, isError };
      }),
  };
}

/** Fills in a tool's command, which was found valid when the manifest was read. */
function fillerOf({ command, parameters }: PluginToolManifest) {
  const reading = readTemplate(command, parameterNames(parameters));
  // For the model, and only if the rules of commands have changed since.
  if (!reading.valid) throw new PluginRefusal(reading.faults.map((fault) => fault('en')).join(' '));
  return (args: JsonObject) => fillTemplate(reading.template, args);
}

/** The outcome of the work. A refused start becomes `not-run`, an abort `stopped`. */
async function unlessRefused(
  { context }: PluginCall,
  work: (context: PluginCall['context']) => Promise<CallOutcome>,
): Promise<CallOutcome> {
  try {
    const outcome = await work(context);
    return context.signal.aborted ? { type: 'stopped' } : outcome;
  } catch (cause) {
    if (context.signal.aborted) return { type: 'stopped' };
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
    execute: (call) =>
      unlessRefused(call, async ({ callId, workspace, signal }) => {
        await means.workspaceAt(workspace).prepare();
        await verify();
        const result = await means.runProcess({
          ...programRequest(plugin, workspace),
          callId,
          timeout: call.timeout,
          signal,
          maxOutput: longestAnswer,
          input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, ...requestOf(call) })}\n`,
        });
        return result.timedOut ? { type: 'timed-out' } : readAnswer(result, call);
      }),
  };
}

/** The last line counts, whatever the exit code. */
function readAnswer(result: ProcessResult, call: PluginCall): CallOutcome {
  const { stdout, stderr, truncated, exitCode, signal, refusals } = result;
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const message = parseJson(last);
  if (isJsonObject(message)) return outcomeOf(message, call);
  const how = exitCode === null ? `it was ended by ${signal}` : `it ended with exit code ${exitCode}`;
  const what = truncated ? 'it printed more than 1 MB' : 'its last line was no answer';
  const errors = stderr.trim();
  const said = errors === '' ? '' : `; it printed as an error: ${oneLine(errors.slice(-2000), 400)}`;
  return { type: 'lost', why: [`${how}, and ${what}${said}`, ...refusals].join(' ') };
}
