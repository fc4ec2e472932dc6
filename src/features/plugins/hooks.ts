import { z } from 'zod';
import type { FeatureCore } from '../../feature-points.ts';
import { endsWithin, onAbort } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { isDeeperThan, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { messageOf, oneLine } from '../../lib/plain-text.ts';
import { deepestArguments } from '../../tools/arguments.ts';
import { type CommandBounds, unconfined } from '../../tools/guard/process/bounds.ts';
import { type LongLivedGuard, longLivedGuard } from '../../tools/guard/process/process.ts';
import type {
  AfterHook,
  BeforeHook,
  CallHooks,
  EndedCall,
  HookDecision,
  HookedCall,
} from '../../tools/operator-rules.ts';
import { matchesAny } from '../../tools/registry.ts';
import { cleanText, cutMiddle } from '../../tools/text.ts';
import type { PluginSettings } from './plugin-keys.ts';
import { pluginSettings } from './settings.ts';

export interface RunningHooks extends CallHooks {
  /** Observers still get pending results for a second; then running hooks are ended. */
  stop(): Promise<void>;
}

/** How many results may wait for one hook. Further ones are dropped. */
const mostWaiting = 1_000;
/** The longest reason that the model reads, in characters. */
const longestReason = 1_000;
/** How long hooks get for pending results when the process ends, in ms. */
const lastWords = 1_000;

/** What all hooks share. */
interface HookContext {
  readonly core: FeatureCore;
  /** Asks a plugin; undefined while there are none. */
  readonly plugins: () => AskPlugin | undefined;
  readonly runProcess: LongLivedGuard;
  /** Aborts when the hooks end. */
  readonly ending: AbortController;
}

/** The hooks of the config. `plugins`: asks a plugin; undefined while there are none. */
export function configuredHooks(core: FeatureCore, plugins: () => AskPlugin | undefined): RunningHooks {
  const { clock, environment } = core;
  const { hooks } = core.settings(pluginSettings);
  // Hooks are the operator's own: unconfined, but without Keyturn's secrets in their environment.
  const bounds: CommandBounds = (command) => unconfined(undefined, [], core.bounds.shell())(command);
  const ending = new AbortController();
  const context = { core, plugins, runProcess: longLivedGuard({ clock, bounds, environment }), ending };
  const observers = hooks.after_tool_call.map((hook, index) => observer(hook, index, context));
  return {
    before: hooks.before_tool_call.map((hook, index) => decider(hook, index, context)),
    after: observers,
    async stop() {
      const told = Promise.all(observers.map((each) => each.told()));
      await endsWithin(told, { clock, milliseconds: lastWords });
      ending.abort();
      await told;
    },
  };
}

interface AskedHook extends HookContext {
  readonly event: keyof PluginSettings['hooks'];
  readonly name: string;
  readonly hook: Hook;
  readonly voice: HookVoice;
  /** What a failure decides, for the log. */
  readonly decision?: string;
}

function askedHook(
  event: AskedHook['event'],
  { index, hook, decision }: { readonly index: number; readonly hook: Hook; readonly decision?: string },
  context: HookContext,
): AskedHook {
  return { ...context, event, name: `hooks.${event}[${index}]`, hook, voice: voiceOf(hook, context), decision };
}

function voiceOf(
  { plugin, command = '', working_dir: directory }: Hook,
  { plugins, runProcess }: HookContext,
): HookVoice {
  if (plugin === undefined) return commandVoice(runProcess, { command, directory });
  return async (event, signal) => {
    const ask = plugins();
    if (ask === undefined) throw new HookFailure('there are no plugins: see plugins.enabled in the config');
    return ask(plugin, event, signal);
  };
}

function fits({ tools, categories }: Hook, { toolName, category }: Pick<HookedCall, 'toolName' | 'category'>): boolean {
  return matchesAny(tools, toolName) && (categories.length === 0 || categories.includes(category));
}

/** Undefined if it failed, which is logged. */
async function ask(call: HookedCall, more: JsonObject, signal: AbortSignal, asked: AskedHook) {
  const { event, hook, voice, core } = asked;
  const late = new AbortController();
  const cancel = core.clock.after(hook.timeout_secs * 1000, () => late.abort());
  try {
    return { value: await voice({ event, ...eventOf(call), ...more }, AbortSignal.any([signal, late.signal])) };
  } catch (error) {
    failed(call, late.signal.aborted ? `it took longer than ${hook.timeout_secs} s` : messageOf(error), asked);
    return undefined;
  } finally {
    cancel();
  }
}

function failed({ callId, toolName }: HookedCall, failure: string, { name, decision, core }: AskedHook): void {
  const fields = { hook: name, call: callId, tool: toolName, failure: core.redact(failure), decision };
  core.log.warn(fields, 'a hook failed');
}

function decider(
  hook: PluginSettings['hooks']['before_tool_call'][number],
  index: number,
  context: HookContext,
): BeforeHook {
  const asked = askedHook('before_tool_call', { index, hook, decision: hook.on_failure }, context);
  return {
    name: asked.name,
    fits: (call) => fits(hook, call),
    decide: (call, signal) => decide(call, signal, asked, hook.on_failure === 'continue'),
  };
}

async function decide(
  call: HookedCall,
  signal: AbortSignal,
  asked: AskedHook,
  continues: boolean,
): Promise<HookDecision> {
  const answer = await ask(call, {}, signal, asked);
  const read = answer && readDecision(answer.value);
  if (answer !== undefined && read === undefined) failed(call, 'it gave no decision that can be read', asked);
  if (read === undefined) return continues ? { type: 'continue' } : failureDecision;
  if (read.type !== 'cancel') return read;
  return { type: 'cancel', reason: cutMiddle(cleanText(asked.core.redact(read.reason)), longestReason) };
}

interface Observer extends AfterHook {
  /** Resolves when it was told all. */
  told(): Promise<void>;
}

/** Reports one result at a time, in order. */
function observer(hook: Hook, index: number, context: HookContext): Observer {
  const asked = askedHook('after_tool_call', { index, hook }, context);
  const queue = { waiting: 0, last: Promise.resolve() };
  return {
    fits: (call) => fits(hook, call),
    observe: (call, result) => observe(call, result, asked, queue),
    told: () => queue.last,
  };
}

function observe(
  call: HookedCall,
  { outcome, text }: EndedCall,
  asked: AskedHook,
  queue: { waiting: number; last: Promise<void> },
): void {
  if (queue.waiting >= mostWaiting) {
    asked.core.log.warn({ hook: asked.name, call: call.callId }, 'a hook is too slow: it is not told of this call');
    return;
  }
  queue.waiting += 1;
  queue.last = queue.last.then(async () => {
    await ask(call, { outcome, result: text }, asked.ending.signal, asked);
    queue.waiting -= 1;
  });
}

type Hook = PluginSettings['hooks']['after_tool_call'][number];

const failureDecision = {
  type: 'cancel',
  reason: 'It failed, and what it does not see does not run. The log tells the operator why.',
} as const;

function eventOf({ callId, toolName, source, category, arguments: args, scope }: HookedCall): JsonObject {
  const { channel, tenant, chatId, threadId, kind, sender, workspace } = scope;
  return {
    call_id: callId,
    tool: toolName,
    source: { ...source },
    category,
    arguments: args,
    conversation: {
      channel,
      ...(tenant !== undefined && { tenant }),
      chat_id: chatId,
      ...(threadId !== undefined && { thread_id: threadId }),
      kind,
    },
    principal: sender.principal,
    workspace,
  };
}

const decision = z.union([
  z.object({ decision: z.literal('continue') }).transform(() => ({ type: 'continue' }) as const),
  z
    .object({ decision: z.literal('cancel'), reason: z.string().default('') })
    .transform(({ reason }) => ({ type: 'cancel', reason }) as const),
  z
    .object({ decision: z.literal('modify'), arguments: z.record(z.string(), z.json()) })
    .transform(({ arguments: args }) => ({ type: 'modify', arguments: args }) as const),
]);

/** Undefined if the answer is not a valid decision. */
function readDecision(value: JsonValue | undefined): HookDecision | undefined {
  if (value !== undefined && isDeeperThan(value, deepestArguments)) return undefined;
  return decision.safeParse(value).data;
}

/**
 * Sends a hook an event and resolves with its answer; undefined if that is not JSON. Rejects with `HookFailure` if the
 * hook failed, or with the signal's reason on abort; nothing is left running then.
 */
type HookVoice = (event: JsonObject, signal: AbortSignal) => Promise<JsonValue | undefined>;

/** A hook could not be asked. The message, half a sentence, is for the operator. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';
}

/** Asks a plugin, as `HookVoice` does. */
export type AskPlugin = (plugin: string, event: JsonObject, signal: AbortSignal) => Promise<JsonValue | undefined>;

const longestAnswer = 1_048_576;

/** A hook that is a command, run by the shell. It reads one JSON document and prints one. */
export function commandVoice(
  runProcess: LongLivedGuard,
  { command, directory }: { readonly command: string; readonly directory: string },
): HookVoice {
  return async (event, signal) => {
    signal.throwIfAborted();
    // Not the call's own id: the end of the call would kill processes that carry it.
    const child = await runProcess({ command, directory, callId: `hook-${newId(12)}` });
    const unlisten = onAbort(signal, () => void child.stop());
    const captured = child.capture(longestAnswer);
    child.stdin.end(`${JSON.stringify(event)}\n`);
    const { exitCode, signal: endedBy } = await child.ended;
    unlisten();
    signal.throwIfAborted();
    const { stdout, stderr } = captured();
    if (exitCode !== 0) {
      const how = exitCode === null ? `it was ended by ${endedBy ?? 'a signal'}` : `its exit code is ${exitCode}`;
      throw new HookFailure(`${how}${stderr.trim() === '' ? '' : `, and it said: ${oneLine(stderr.trim(), 300)}`}`);
    }
    return stdout.trim() === '' ? undefined : parseJson(stdout);
  };
}
