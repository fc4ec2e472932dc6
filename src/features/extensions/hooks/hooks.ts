import { z } from 'zod';
import type { Clock } from '../../../lib/clock.ts';
import { endsWithin } from '../../../lib/ends-within.ts';
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import type {
  AfterHook,
  BeforeHook,
  CallHooks,
  EndedCall,
  HookDecision,
  HookedCall,
} from '../../../tools/call-hooks.ts';
import type { ToolCategory } from '../../../tools/category.ts';
import { deepestArguments, isDeeperThan } from '../../../tools/json-schema.ts';
import { cleanText, cutMiddle } from '../../../tools/text.ts';
import { matchesAny } from '../../../tools/tool-pattern.ts';

/** One hook, as the config has it. */
export interface HookSettings {
  /** As the config's messages name it: `hooks.before_tool_call[0]`. */
  readonly name: string;
  readonly ask: HookVoice;
  /** Patterns of names. */
  readonly tools: readonly string[];
  /** Empty: all. */
  readonly categories: readonly ToolCategory[];
  /** In milliseconds. */
  readonly timeout: number;
}

export interface BeforeHookSettings extends HookSettings {
  /** What it has decided if it cannot be asked. */
  readonly onFailure: 'cancel' | 'continue';
}

export interface HooksDependencies {
  readonly before: readonly BeforeHookSettings[];
  readonly after: readonly HookSettings[];
  readonly clock: Clock;
  readonly log: Log;
  /** Takes secrets out of what the model, or the log, will hold. */
  readonly redact: (text: string) => string;
}

/** How many results may wait for one hook. What comes beyond that is not told. */
const mostWaiting = 1_000;
/** How much of a reason the model reads, in characters. */
const longestReason = 1_000;
/** How long hooks have to hear of what has ended when the process ends, in milliseconds. */
const lastWords = 1_000;

/** The hooks that the operator's config names. */
export class Hooks implements CallHooks {
  readonly before: readonly BeforeHook[];
  readonly after: readonly AfterHook[];
  readonly #dependencies: HooksDependencies;
  readonly #ending = new AbortController();
  readonly #told: readonly (() => Promise<void>)[];

  constructor(dependencies: HooksDependencies) {
    this.#dependencies = dependencies;
    this.before = dependencies.before.map((settings) => ({
      name: settings.name,
      fits: (call) => fits(settings, call),
      decide: (call, signal) => this.#decide(settings, call, signal),
    }));
    const observers = dependencies.after.map((settings) => this.#observer(settings));
    this.after = observers.map(({ hook }) => hook);
    this.#told = observers.map(({ told }) => told);
  }

  /** What has ended is still told of, for a second; then whatever runs of them ends. */
  async stop(): Promise<void> {
    const { clock } = this.#dependencies;
    const told = Promise.all(this.#told.map((each) => each())).then(() => {});
    await endsWithin(told, { clock, milliseconds: lastWords });
    this.#ending.abort();
    await told;
  }

  async #decide(settings: BeforeHookSettings, call: HookedCall, signal: AbortSignal): Promise<HookDecision> {
    const answer = await this.#ask(settings, beforeEvent(call), signal);
    const decision = 'failure' in answer ? undefined : readDecision(answer.value);
    const failure = 'failure' in answer ? answer.failure : 'it gave no decision that can be read';
    if (decision === undefined) return this.#failed(settings, call, failure);
    if (decision.type !== 'cancel') return decision;
    return { type: 'cancel', reason: cutMiddle(cleanText(this.#dependencies.redact(decision.reason)), longestReason) };
  }

  #failed({ name, onFailure }: BeforeHookSettings, { callId, toolName }: HookedCall, failure: string): HookDecision {
    const { log, redact } = this.#dependencies;
    log.warn(
      { hook: name, call: callId, tool: toolName, failure: redact(failure), decision: onFailure },
      'a hook failed',
    );
    if (onFailure === 'continue') return { type: 'continue' };
    return {
      type: 'cancel',
      reason: 'It failed, and what it does not see does not run. The log tells the operator why.',
    };
  }

  /** Tells of one result after the other, in their order. */
  #observer(settings: HookSettings): { readonly hook: AfterHook; readonly told: () => Promise<void> } {
    const { log } = this.#dependencies;
    const { name } = settings;
    let waiting = 0;
    let last = Promise.resolve();
    const hook: AfterHook = {
      fits: (call) => fits(settings, call),
      observe: (call, ended) => {
        if (waiting >= mostWaiting) {
          log.warn({ hook: name, call: call.callId }, 'a hook is too slow: it is not told of this call');
          return;
        }
        waiting += 1;
        last = last.then(async () => {
          const answer = await this.#ask(settings, afterEvent(call, ended), this.#ending.signal);
          if ('failure' in answer) this.#noteUntold(name, call, answer.failure);
          waiting -= 1;
        });
      },
    };
    return { hook, told: () => last };
  }

  #noteUntold(name: string, { callId, toolName }: HookedCall, failure: string): void {
    const { log, redact } = this.#dependencies;
    log.warn({ hook: name, call: callId, tool: toolName, failure: redact(failure) }, 'a hook failed');
  }

  async #ask({ ask, timeout }: HookSettings, event: JsonObject, signal: AbortSignal): Promise<Answer> {
    const late = new AbortController();
    const cancel = this.#dependencies.clock.after(timeout, () => late.abort());
    try {
      return { value: await ask(event, AbortSignal.any([signal, late.signal])) };
    } catch (error) {
      if (late.signal.aborted) return { failure: `it took longer than ${timeout / 1000} s` };
      return { failure: error instanceof Error ? error.message : String(error) };
    } finally {
      cancel();
    }
  }
}

type Answer = { readonly value: JsonValue | undefined } | { readonly failure: string };

function fits({ tools, categories }: HookSettings, { toolName, category }: Pick<HookedCall, 'toolName' | 'category'>) {
  return matchesAny(tools, toolName) && (categories.length === 0 || categories.includes(category));
}

/** What a hook is told of a call that has not been judged yet. */
function beforeEvent(call: HookedCall): JsonObject {
  return { event: 'before_tool_call', ...eventOf(call) };
}

/** What a hook is told of a call that has run. */
function afterEvent(call: HookedCall, { outcome, text }: EndedCall): JsonObject {
  return { event: 'after_tool_call', ...eventOf(call), outcome, result: text };
}

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
      ...(tenant === undefined ? {} : { tenant }),
      chat_id: chatId,
      ...(threadId === undefined ? {} : { thread_id: threadId }),
      kind,
    },
    principal: sender.principal,
    workspace,
  };
}

const answer = z.discriminatedUnion('decision', [
  z.object({ decision: z.literal('continue') }),
  z.object({ decision: z.literal('cancel'), reason: z.string().optional() }),
  z.object({ decision: z.literal('modify'), arguments: z.record(z.string(), z.json()) }),
]);

/** The decision that a hook's answer is. Undefined if it is none. */
function readDecision(value: JsonValue | undefined): HookDecision | undefined {
  if (value !== undefined && isDeeperThan(value, deepestArguments)) return undefined;
  const read = answer.safeParse(value);
  if (!read.success) return undefined;
  switch (read.data.decision) {
    case 'continue':
      return { type: 'continue' };
    case 'cancel':
      return { type: 'cancel', reason: read.data.reason ?? '' };
    case 'modify':
      return { type: 'modify', arguments: read.data.arguments };
  }
}

/**
 * Tells a hook of an event, and resolves with its answer: undefined if that is no JSON. Rejects with `HookFailure` if it
 * failed, and with the signal's reason if that aborts; nothing of it is left running then.
 */
export type HookVoice = (event: JsonObject, signal: AbortSignal) => Promise<JsonValue | undefined>;

/** A hook could not be asked. The message, half a sentence, is for the operator. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';
}

/** Asks a plugin, as `HookVoice` does. */
export type AskPlugin = (plugin: string, event: JsonObject, signal: AbortSignal) => Promise<JsonValue | undefined>;

/** Where hooks find plugins, which are there only later. */
export class PluginVoices {
  #ask: AskPlugin | undefined;

  /** From now on, plugins are asked so. */
  answerWith(ask: AskPlugin): void {
    this.#ask = ask;
  }

  /** Asks the plugin of that name. */
  of(plugin: string): HookVoice {
    return async (event, signal) => {
      if (this.#ask === undefined) throw new HookFailure('there are no plugins: see plugins.enabled in the config');
      return this.#ask(plugin, event, signal);
    };
  }
}
