import type { Clock } from '../../../lib/clock.ts';
import { endsWithin } from '../../../lib/ends-within.ts';
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import type { AfterHook, BeforeHook, CallHooks, HookDecision, HookedCall } from '../../call-hooks.ts';
import type { ToolCategory } from '../../category.ts';
import { cleanText, cutMiddle } from '../../text.ts';
import { matchesAny } from '../../tool-pattern.ts';
import type { HookVoice } from './hook-voice.ts';
import { afterEvent, beforeEvent, readDecision } from './hook-words.ts';

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
