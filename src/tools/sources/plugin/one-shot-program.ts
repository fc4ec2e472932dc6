import { isJsonObject, parseJson } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { ProcessResult } from '../../guard/process/process.ts';
import { type CallOutcome, hookOutcomeOf, outcomeOf, outcomeOfMessage } from './call-outcome.ts';
import type { FoundPlugin } from './found-plugin.ts';
import { isRefusal, type PluginExecution, type PluginMeans } from './plugin-means.ts';
import type { PluginCall } from './plugin-process.ts';
import { programRequest } from './program-request.ts';

export interface OneShotProgramDependencies {
  readonly means: PluginMeans;
  /** Looks whether the folder is still what was trusted. Rejects with `PluginRefusal` if not. */
  readonly verify: () => Promise<void>;
}

/** The longest answer, in bytes, with all that is printed beside it. */
const longestAnswer = 2 ** 20;

/**
 * Has each call of a plugin done by a program that is started for it: it reads one request, and the last line that it
 * prints is the answer.
 */
export function oneShotProgram(plugin: FoundPlugin, dependencies: OneShotProgramDependencies): PluginExecution {
  return {
    async execute(call) {
      try {
        return await run(plugin, call, dependencies);
      } catch (cause) {
        if (call.context.signal.aborted) return { type: 'stopped' };
        if (isRefusal(cause)) return { type: 'not-run', why: cause.message };
        throw cause;
      }
    },
    stop: async () => {},
  };
}

async function run(
  plugin: FoundPlugin,
  { method, tool, args, context, timeout }: PluginCall,
  { means, verify }: OneShotProgramDependencies,
): Promise<CallOutcome> {
  const { callId, workspace, signal } = context;
  await means.workspaceAt(workspace).prepare();
  await verify();
  const params = method === undefined ? { tool, args } : args;
  const message = { jsonrpc: '2.0', id: 1, method: method ?? 'execute', params };
  const result = await means.runProcess({
    ...programRequest(plugin, workspace, means.nodePath),
    ...{ callId, timeout, signal, maxOutput: longestAnswer },
    input: `${JSON.stringify(message)}\n`,
  });
  if (signal.aborted) return { type: 'stopped' };
  return result.timedOut ? { type: 'timed-out' } : read(result, method);
}

/** What it printed last counts, whatever its exit code. */
function read(result: ProcessResult, method: PluginCall['method']): CallOutcome {
  const { stdout, stderr, truncated, exitCode, signal, refusals } = result;
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const message = parseJson(last);
  if (isJsonObject(message)) return outcomeOfMessage(message, method === undefined ? outcomeOf : hookOutcomeOf);
  const how = exitCode === null ? `it ended by ${signal}` : `it ended with exit code ${exitCode}`;
  const what = truncated ? 'it printed more than 1 MB' : 'its last line was no answer';
  const errors = stderr.trim();
  const said = errors === '' ? '' : `; it printed as an error: ${oneLine(errors.slice(-2000), 400)}`;
  return { type: 'lost', why: [`${how}, and ${what}${said}`, ...refusals].join(' ') };
}
