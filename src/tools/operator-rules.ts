/** What the operator decides about the calls of all tools: settings by names of tools, hooks, and rate limits. */
import type { Clock } from '../lib/clock.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { Remembered } from '../lib/remembered.ts';
import { durationWords } from '../lib/time-words.ts';
import type { CallOutcome } from '../transcript.ts';
import { type FoundTool, matchesAny, settingsFor, type ToolRegistry, type ToolSource } from './registry.ts';
import { coveredByNamed, targetsOf } from './targets.ts';
import type { CallFacets, PreparedCall, Tool, ToolCategory, ToolScope } from './tool.ts';

/** The operator's settings for tools of any source. `targets`: the arguments that name a call's targets. */
export interface ToolWords extends Pick<CallFacets, 'private' | 'outbound' | 'trusted' | 'targets'> {
  readonly own_words?: boolean | undefined;
  readonly free_text?: readonly string[] | undefined;
}

/**
 * Creates the tool of a call once, however slow: the same object gets the partial arguments, is judged and executed,
 * unless the process restarts or another tool replaces it.
 */
export interface CallTools {
  of(callId: string, name: string, scope: ToolScope): Promise<FoundTool | undefined>;
  /** Call it when the call has ended, or was never made. */
  release(callId: string): void;
}

/** `words`: by patterns of tool names; later ones win. */
export function createCallTools(
  registry: Pick<ToolRegistry, 'get'>,
  words: Readonly<Record<string, ToolWords>> = {},
): CallTools {
  const made = new Remembered<string, Promise<FoundTool | undefined>>(mostCalls);
  return {
    of: (callId, name, scope) => toolOf(callId, name, scope, { registry, words, made }),
    release: (callId) => void made.delete(callId),
  };
}

interface CallToolContext {
  readonly registry: Pick<ToolRegistry, 'get'>;
  readonly words: Readonly<Record<string, ToolWords>>;
  readonly made: Remembered<string, Promise<FoundTool | undefined>>;
}

async function toolOf(
  callId: string,
  name: string,
  scope: ToolScope,
  { registry, words, made }: CallToolContext,
): Promise<FoundTool | undefined> {
  const former = made.get(callId);
  const next = (async () => registry.get(name, scope, await former))();
  made.set(callId, next);
  const found = await next;
  const said = settingsFor(name, words);
  if (found === undefined || said.length === 0) return found;
  return { ...found, tool: withWords(found.tool, Object.assign({}, ...said)) };
}

/** No more calls wait at once. The oldest are forgotten, and would get a new tool. */
const mostCalls = 1000;

function withWords(tool: Tool, { targets, own_words: ownWords, free_text: freeText, ...words }: ToolWords): Tool {
  const own = { ...(ownWords === undefined ? {} : { ownWords }), ...(freeText === undefined ? {} : { freeText }) };
  return {
    ...tool,
    async prepare(args) {
      const preparation = await tool.prepare(args);
      if (!preparation.valid) return preparation;
      const { call } = preparation;
      const reached = targets && {
        targets: targetsOf({}, call.arguments, targets),
        covers: coveredByNamed(call.arguments, targets),
      };
      return { valid: true, call: { ...call, facets: { ...call.facets, ...words, ...own, ...reached } } };
    },
  };
}

/** A call as hooks see it: with valid arguments, as it would run. */
export interface HookedCall {
  readonly callId: string;
  readonly toolName: string;
  readonly source: ToolSource;
  readonly category: ToolCategory;
  readonly arguments: JsonObject;
  readonly scope: ToolScope;
}

/** The call as hooks see it. */
export function hookedCall(
  callId: string,
  { prepared, source }: { readonly prepared: PreparedCall; readonly source: ToolSource },
  scope: ToolScope,
): HookedCall {
  const { toolName, category, arguments: args } = prepared;
  return { callId, toolName, source, category, arguments: args, scope };
}

export type HookDecision =
  | { readonly type: 'continue' }
  /** The call does not run, even if approved. The reason is for the model. */
  | { readonly type: 'cancel'; readonly reason: string }
  /** The call is validated and judged with these arguments; people see them, and they run. */
  | { readonly type: 'modify'; readonly arguments: JsonValue };

/** An operator's hook that sees a call before it is judged. */
export interface BeforeHook {
  /** For the operator's messages and the audit. */
  readonly name: string;
  readonly fits: (call: Pick<HookedCall, 'toolName' | 'category'>) => boolean;
  /** Never rejects: on failure, it resolves with the operator's choice for that case. Ends when the signal aborts. */
  readonly decide: (call: HookedCall, signal: AbortSignal) => Promise<HookDecision>;
}

export interface EndedCall {
  readonly outcome: CallOutcome;
  readonly text: string;
}

/** An operator's hook that is told the results of calls, and changes nothing. */
export interface AfterHook {
  readonly fits: (call: Pick<HookedCall, 'toolName' | 'category'>) => boolean;
  /** Returns at once; errors are logged. */
  readonly observe: (call: HookedCall, ended: EndedCall) => void;
}

export interface CallHooks {
  readonly before: readonly BeforeHook[];
  readonly after: readonly AfterHook[];
}

/** The most calls in any period of `per` ms. */
export interface RateLimit {
  readonly calls: number;
  readonly per: number;
}

/** Limits how often one person may have one tool called. Counts in memory only: a restart resets it. */
export interface RateLimiter {
  /** Counts a call, or returns a refusal for the model: why, and when to try again. Refused calls do not count. */
  take(toolName: string, principal: string): string | undefined;
}

/** How many pairs of a tool and a person are counted. The least recent start over. */
const mostCounted = 10_000;

/** `limits`: by patterns of tool names. Every matching pattern limits each of its tools separately. */
export function createRateLimiter(clock: Clock, limits: Readonly<Record<string, RateLimit>>): RateLimiter {
  /** The times of the calls that still count, in ms. */
  const counted = new Remembered<string, number[]>(mostCounted);
  return { take: (toolName, principal) => takeCall(toolName, principal, clock.now(), { limits, counted }) };
}

interface CountedCalls {
  readonly limits: Readonly<Record<string, RateLimit>>;
  readonly counted: Remembered<string, number[]>;
}

function takeCall(
  toolName: string,
  principal: string,
  now: number,
  { limits, counted }: CountedCalls,
): string | undefined {
  const bounds = Object.entries(limits)
    .filter(([pattern]) => matchesAny([pattern], toolName))
    .map(([pattern, { calls, per }]) => {
      const key = JSON.stringify([pattern, toolName, principal, calls, per]);
      const times = counted.get(key) ?? [];
      counted.set(key, times);
      // If the clock was set back, everybody starts over.
      const first = (times.at(-1) ?? now) > now ? -1 : times.findIndex((time) => time + per > now);
      times.splice(0, first === -1 ? times.length : first);
      const wait = times.length < calls ? 0 : (times[0] ?? now) + per - now;
      return { calls, per, times, wait };
    });
  // The longest wait counts.
  const [latest] = bounds.toSorted((a, b) => b.wait - a.wait);
  if (latest !== undefined && latest.wait > 0) return refusal(toolName, latest);
  for (const { times } of bounds) times.push(now);
  return undefined;
}

function refusal(toolName: string, { calls, per, wait }: RateLimit & { readonly wait: number }): string {
  const times = calls === 1 ? 'once' : `${calls} times`;
  // Rounded up.
  const pause = durationWords(wait < 60_000 ? Math.ceil(wait / 1000) * 1000 : wait + 59_999);
  return `${toolName} may be called ${times} in ${durationWords(per)} for one person, and has been. It can be called again in ${pause}; until then, do without it.`;
}
