import { join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import type { ForeignToolAuthoring } from '../../../tools/foreign-tool.ts';
import type { CommandRuleSettings } from '../../../tools/guard/command/command-rules.ts';
import { type BareCommand, BoundsError } from '../../../tools/guard/process/bounds.ts';
import type { LongLivedGuard, ProcessGuard } from '../../../tools/guard/process/process.ts';
import type { ChildEnvironmentRequest } from '../../../tools/guard/process/process-family.ts';
import type { WorkspaceFactory } from '../../../tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../../../tools/guard/workspace/workspace-error.ts';
import { deepestArguments, isDeeperThan } from '../../../tools/json-schema.ts';
import type { ToolContext } from '../../../tools/tool.ts';
import { type FoundPlugin, isScript } from './plugin-manifest.ts';

export interface PluginMeans {
  readonly runProcess: ProcessGuard;
  readonly startProcess: LongLivedGuard;
  /** The program that runs scripts, an absolute path. */
  readonly nodePath: string;
  readonly workspaceAt: WorkspaceFactory;
  /** Commands that never run, as `tools.shell.deny` has them. */
  readonly deny: CommandRuleSettings['deny'];
  /** How much of the output of a command is kept, in bytes. */
  readonly maxOutputBytes: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a plugin is asked that the config names as a hook. What it answers is the result itself. */
export type HookMethod = 'before_tool_call' | 'after_tool_call';

export interface PluginCall {
  /** Set where it is asked as a hook: the arguments are what it is told then, and the tool is not its own. */
  readonly method?: HookMethod;
  readonly tool: string;
  readonly args: JsonObject;
  readonly context: Pick<ToolContext, 'callId' | 'channel' | 'chatId' | 'workspace' | 'signal' | 'progress'>;
  /** In milliseconds. */
  readonly timeout: number;
}

export interface PluginExecution {
  /**
   * What is known of a tool's calls: what one will do, where that can be said better than by its arguments; the files of the
   * workspace that it executes, beside the plugin's own, which are bound by its fingerprint; and why it must not happen.
   */
  known?(tool: string): Pick<Partial<ForeignToolAuthoring>, 'describeCall' | 'effect' | 'binds' | 'forbid'>;
  /** Never rejects with anything but a fault of ours. */
  execute(call: PluginCall): Promise<CallOutcome>;
  stop(): Promise<void>;
}

/** A plugin is not started, and nothing was done. The message says why, in sentences for the model and for people. */
export class PluginRefusal extends Error {
  override readonly name = 'PluginRefusal';
}

/** Whether a plugin was kept from being started, rather than that it failed. */
export function isRefusal(cause: unknown): cause is Error {
  return cause instanceof PluginRefusal || cause instanceof BoundsError || cause instanceof WorkspaceError;
}

export interface PluginAnswer {
  readonly output: string;
  readonly forUser?: string;
  readonly isError: boolean;
}

export type CallOutcome =
  | { readonly type: 'answered'; readonly answer: PluginAnswer }
  /** There was no answer, or none that can be read: it may have done a part of its work. Why is half a sentence. */
  | { readonly type: 'lost'; readonly why: string }
  | { readonly type: 'timed-out' }
  | { readonly type: 'stopped' }
  /** Nothing was done. Why is a sentence, or several. */
  | { readonly type: 'not-run'; readonly why: string };

/** The outcome that a message of JSON-RPC stands for. What a hook answers is the output, as JSON. */
export function outcomeOf(message: JsonObject, isHook: boolean): CallOutcome {
  const { result } = message;
  const fault = rpcFault(message);
  if (fault !== undefined) return { type: 'answered', answer: { output: fault.words, isError: true } };
  if (result === undefined) return unreadable;
  if (!isHook) {
    const answer = readResult(result);
    return answer === undefined ? unreadable : { type: 'answered', answer };
  }
  if (isDeeperThan(result, deepestArguments)) return { type: 'lost', why: 'its answer is nested too deep' };
  return { type: 'answered', answer: { output: JSON.stringify(result), isError: false } };
}

export function rpcFault({ error = null }: JsonObject): { readonly code: unknown; readonly words: string } | undefined {
  if (error === null) return undefined;
  const { code, message } = isJsonObject(error) ? error : { code: undefined, message: error };
  return { code, words: typeof message === 'string' ? message : 'It says that it failed, and not why.' };
}

const unreadable: CallOutcome = { type: 'lost', why: 'its answer has no "output"' };

function readResult(value: JsonValue): PluginAnswer | undefined {
  if (typeof value === 'string') return { output: value, isError: false };
  if (!isJsonObject(value) || isDeeperThan(value, deepestArguments)) return undefined;
  const { output, is_error, for_user } = value;
  if (output === undefined) return undefined;
  return {
    output: typeof output === 'string' ? output : JSON.stringify(output),
    isError: is_error === true,
    ...(typeof for_user === 'string' && for_user !== '' ? { forUser: for_user } : {}),
  };
}

type ProgramRequest = Pick<BareCommand, 'command' | 'args' | 'directory' | 'shown'> &
  Pick<ChildEnvironmentRequest, 'variables'>;

/** How the program of a plugin is started: in the workspace, and seeing its own folder, which it cannot change. */
export function programRequest(plugin: FoundPlugin, workspace: string, nodePath: string): ProgramRequest {
  const path = join(plugin.folder, plugin.manifest.binary?.path ?? '');
  const args = isScript(path) ? [nodePath, path] : [path];
  return {
    command: 'exec "$@"',
    args,
    directory: workspace,
    shown: [plugin.folder, nodePath],
    variables: pluginVariables(plugin),
  };
}

/** What every process of a plugin finds in its environment. */
export function pluginVariables({ folder }: FoundPlugin): Readonly<Record<string, string>> {
  // Python would else write beside what it runs, and so make another plugin of it.
  return { KEYTURN_PLUGIN_DIR: folder, PYTHONDONTWRITEBYTECODE: '1' };
}
