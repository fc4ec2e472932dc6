import { join } from 'node:path';
import type { FeatureCore } from '../../feature-points.ts';
import { isDeeperThan, isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Words } from '../../lib/words.ts';
import { deepestArguments } from '../../tools/arguments.ts';
import type { ForeignToolAuthoring } from '../../tools/foreign-tool.ts';
import { BoundsError } from '../../tools/guard/process/bounds.ts';
import {
  type LongLivedGuard,
  longLivedGuard,
  type ProcessGuard,
  processGuard,
} from '../../tools/guard/process/process.ts';
import { WorkspaceError } from '../../tools/guard/workspace/workspace-error.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { type FoundPlugin, isScript, type PluginToolManifest } from './plugin-manifest.ts';

/** What all plugins share. */
export interface PluginMeans extends FeatureCore {
  readonly runProcess: ProcessGuard;
  readonly startProcess: LongLivedGuard;
}

export function pluginMeans(core: FeatureCore): PluginMeans {
  const { clock, environment, bounds } = core;
  const guarded = { clock, environment, bounds: bounds.bounds };
  return {
    ...core,
    runProcess: processGuard(guarded),
    startProcess: longLivedGuard(guarded),
  };
}

/** What a plugin is asked as a hook: `args` is the event, and its answer the JSON-RPC result itself. */
export type HookMethod = 'before_tool_call' | 'after_tool_call';

export interface PluginCall {
  readonly asked: PluginToolManifest | HookMethod;
  readonly args: JsonObject;
  readonly context: CallContext;
  /** In ms. */
  readonly timeout: number;
}

interface CallContext extends Pick<ToolContext, 'callId' | 'channel' | 'chatId' | 'workspace' | 'signal'> {
  /** What is being done, for people. */
  progress(status: Words): void;
}

export interface PluginExecution {
  /**
   * Facts about a tool's calls: a better description than its arguments give; the workspace files it executes, besides
   * the plugin's own, which its fingerprint binds; and why a call is forbidden.
   */
  known?(
    tool: PluginToolManifest,
  ): Pick<Partial<ForeignToolAuthoring>, 'describeCall' | 'effect' | 'body' | 'binds' | 'forbid'>;
  /** Rejects only for our own bugs. */
  execute(call: PluginCall): Promise<CallOutcome>;
  /** Ends what goes on running. */
  stop?(): Promise<void>;
}

/** A plugin was not started, and nothing was done. The message, in sentences, is for the model and for people. */
export class PluginRefusal extends Error {
  override readonly name = 'PluginRefusal';
}

/** Whether the plugin was refused a start, rather than failed. */
export function isRefusal(cause: unknown): cause is Error {
  return cause instanceof PluginRefusal || cause instanceof BoundsError || cause instanceof WorkspaceError;
}

export type CallOutcome =
  | { readonly type: 'answered'; readonly output: string; readonly forUser?: string; readonly isError: boolean }
  /** No answer, or an unreadable one: part of the work may be done. `why` is half a sentence. */
  | { readonly type: 'lost'; readonly why: string }
  | { readonly type: 'timed-out' }
  | { readonly type: 'stopped' }
  /** Nothing was done. `why` is one or more sentences. */
  | { readonly type: 'not-run'; readonly why: string };

/** The JSON-RPC request that makes a call. `more`: parameters of a tool's calls alone. */
export function requestOf({ asked, args }: PluginCall, more: JsonObject = {}) {
  if (typeof asked === 'string') return { method: asked, params: args };
  return { method: 'execute', params: { tool: asked.name, args, ...more } };
}

/** The outcome of a JSON-RPC response. A hook's result becomes the output, as JSON. */
export function outcomeOf(message: JsonObject, { asked }: PluginCall): CallOutcome {
  const { result } = message;
  const fault = rpcFault(message);
  if (fault !== undefined) return { type: 'answered', output: fault.words, isError: true };
  if (isDeeperThan(result ?? null, deepestArguments)) return { type: 'lost', why: 'its answer is nested too deep' };
  const isHook = typeof asked === 'string';
  const isWhole = result !== undefined && (isHook || typeof result === 'string');
  const answer: JsonObject = isWhole ? { output: result } : isJsonObject(result) ? result : {};
  const { output, for_user, is_error } = answer;
  if (output === undefined) return { type: 'lost', why: 'its answer has no "output"' };
  return {
    type: 'answered',
    output: typeof output === 'string' && !isHook ? output : JSON.stringify(output),
    forUser: typeof for_user === 'string' && for_user !== '' ? for_user : undefined,
    isError: is_error === true,
  };
}

export function rpcFault({ error = null }: JsonObject): { readonly code: unknown; readonly words: string } | undefined {
  if (error === null) return undefined;
  const { code, message } = isJsonObject(error) ? error : { code: undefined, message: error };
  return { code, words: typeof message === 'string' ? message : 'It says that it failed, and not why.' };
}

/** How to start a plugin's program: in the workspace, with read-only access to its own folder. */
export function programRequest(plugin: FoundPlugin, workspace: string) {
  const path = join(plugin.folder, plugin.manifest.binary?.path ?? '');
  return {
    command: 'exec "$@"',
    args: isScript(path) ? [process.execPath, path] : [path],
    directory: workspace,
    shown: [plugin.folder, process.execPath],
    variables: pluginVariables(plugin),
  };
}

/** Environment variables of every plugin process. */
export function pluginVariables({ folder }: FoundPlugin): Readonly<Record<string, string>> {
  // Python would otherwise write bytecode next to the scripts, and so change the fingerprint.
  return { KEYTURN_PLUGIN_DIR: folder, PYTHONDONTWRITEBYTECODE: '1' };
}
