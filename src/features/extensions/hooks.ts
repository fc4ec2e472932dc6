import { z } from 'zod';
import type { FeatureCore } from '../../feature-points.ts';
import { endsWithin, onAbort } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { isDeeperThan, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { messageOf, oneLine } from '../../lib/plain-text.ts';
import { deepestArguments } from '../../tools/arguments.ts';
import { type CommandBounds, unconfined } from '../../tools/guard/process/bounds.ts';
import { type LongLivedGuard, longLivedGuard } from '../../tools/guard/process/process.ts';
import type { AfterHook, BeforeHook, CallHooks, HookDecision, HookedCall } from '../../tools/operator-rules.ts';
import { matchesAny } from '../../tools/registry.ts';
import { cleanText, cutMiddle } from '../../tools/text.ts';
import type { ExtensionSettings } from './extension-keys.ts';
import { extensionSettings } from './settings.ts';

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

/** The hooks of the config. `plugins`: asks a plugin; undefined while there are none. */
export function configuredHooks(core: FeatureCore, plugins: () => AskPlugin | undefined): RunningHooks {
  const { clock, log, redact } = core;
  const { hooks } = core.settings(extensionSettings);
  // Hooks are the operator's own: unconfined, but without Keyturn's secrets in their environment.
  const bounds: CommandBounds = (command) => unconfined(undefined, [], core.bounds.shell())(command);
  const runProcess = longLivedGuard({ clock, bounds, environment: core.environment });
  const ending = new AbortController();

  function voiceOf({ plugin, command = '', working_dir: directory }: Hook): HookVoice {
    if (plugin === undefined) return commandVoice(runProcess, { command, directory });
    return async (event, signal) => {
      const ask = plugins();
      if (ask === undefined) throw new HookFailure('there are no plugins: see plugins.enabled in the config');
      return ask(plugin, event, signal);
    };
  }

  /** `decision`: what a failure decides, for the log. */
  function asked(event: keyof ExtensionSettings['hooks'], index: number, hook: Hook, decision?: string) {
    const { tools, categories, timeout_secs } = hook;
    const [name, voice] = [`hooks.${event}[${index}]`, voiceOf(hook)];
    function failed({ callId, toolName }: HookedCall, failure: string): void {
      log.warn({ hook: name, call: callId, tool: toolName, failure: redact(failure), decision }, 'a hook failed');
    }
    return {
      name,
      fits: ({ toolName, category }: Pick<HookedCall, 'toolName' | 'category'>): boolean =>
        matchesAny(tools, toolName) && (categories.length === 0 || categories.includes(category)),
      failed,
      /** Undefined if it failed, which is logged. */
      async ask(call: HookedCall, signal: AbortSignal, more: JsonObject = {}) {
        const late = new AbortController();
        const cancel = clock.after(timeout_secs * 1000, () => late.abort());
        try {
          return { value: await voice({ event, ...eventOf(call), ...more }, AbortSignal.any([signal, late.signal])) };
        } catch (error) {
          failed(call, late.signal.aborted ? `it took longer than ${timeout_secs} s` : messageOf(error));
          return undefined;
        } finally {
          cancel();
        }
      },
    };
  }

  function decider(hook: ExtensionSettings['hooks']['before_tool_call'][number], index: number): BeforeHook {
    const { name, fits, failed, ask } = asked('before_tool_call', index, hook, hook.on_failure);
    return {
      name,
      fits,
      async decide(call, signal) {
        const answer = await ask(call, signal);
        const read = answer && readDecision(answer.value);
        if (answer !== undefined && read === undefined) failed(call, 'it gave no decision that can be read');
        if (read === undefined) return hook.on_failure === 'continue' ? { type: 'continue' } : failureDecision;
        if (read.type !== 'cancel') return read;
        return { type: 'cancel', reason: cutMiddle(cleanText(redact(read.reason)), longestReason) };
      },
    };
  }

  /** Reports one result at a time, in order. */
  function observer(hook: Hook, index: number) {
    const { name, fits, ask } = asked('after_tool_call', index, hook);
    let waiting = 0;
    let last = Promise.resolve();
    const observe: AfterHook['observe'] = (call, { outcome, text }) => {
      if (waiting >= mostWaiting) {
        log.warn({ hook: name, call: call.callId }, 'a hook is too slow: it is not told of this call');
        return;
      }
      waiting += 1;
      last = last.then(async () => {
        await ask(call, ending.signal, { outcome, result: text });
        waiting -= 1;
      });
    };
    return { hook: { fits, observe }, told: () => last };
  }

  const observers = hooks.after_tool_call.map(observer);
  return {
    before: hooks.before_tool_call.map(decider),
    after: observers.map(({ hook }) => hook),
    async stop() {
      const told = Promise.all(observers.map((each) => each.told()));
      await endsWithin(told, { clock, milliseconds: lastWords });
      ending.abort();
      await told;
    },
  };
}

type Hook = ExtensionSettings['hooks']['after_tool_call'][number];

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
