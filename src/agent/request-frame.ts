import type { Clock } from '../lib/clock.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { ToolScope } from '../tools/tool.ts';
import type { ToolDefinition, TranscriptEntry } from '../transcript.ts';
import { type ContextSettings, isCrowded, roomForMessages } from './context-room.ts';
import { sizeOf } from './entry-size.ts';
import { pinnedWords } from './pinned-facts.ts';
import type { RunState } from './run-store.ts';
import type { SubRun } from './sub-run.ts';
import { summaryWords } from './summary.ts';
import { systemPrompt, workerPrompt } from './system-prompt.ts';
import type { Measure, TokenGauge } from './token-gauge.ts';

export interface FrameDependencies {
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  /** Added to the system prompt. */
  readonly instructions: string;
  /** What the worker of a sub-run is told about himself. */
  readonly promptOf: (subRun: SubRun) => string;
  readonly gauge: TokenGauge;
  readonly context: ContextSettings;
}

/** What every request to a model holds beside messages, and what that leaves for them. Sizes are in tokens. */
export interface RequestFrame {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly sizes: { readonly system: number; readonly tools: number };
  /** How much of `system` pinned facts are, and how many of them did not fit into it. */
  readonly pinned: { readonly size: number; readonly leftOut: number };
  /** Whether each tool is told of in short. */
  readonly isCompact: boolean;
  /** For the whole request and its answer. */
  readonly limit: number;
  readonly room: number;
}

export interface FrameWish {
  readonly state: RunState;
  readonly scope: ToolScope;
  /** The label of the one that is asked. */
  readonly model: string;
  /** What the request and its answer hold at most, if that is less than the model takes. */
  readonly limit?: number | undefined;
}

export async function frameOf(
  { state, scope, model, limit: wanted = Number.POSITIVE_INFINITY }: FrameWish,
  { registry, instructions, promptOf, clock, gauge, context }: FrameDependencies,
): Promise<RequestFrame> {
  const date = new Date(clock.now()).toISOString().slice(0, 10);
  const { compactTools, contextTokens } = context;
  const limit = Math.min(gauge.limit(model, contextTokens), wanted);
  const { text: facts, leftOut } = pinnedWords(state.pinned, limit * shareOfPinned * bytesPerToken);
  const prompt =
    state.subRun === undefined
      ? systemPrompt(state.conversation, instructions, date)
      : workerPrompt(promptOf(state.subRun), date);
  const system = facts === '' ? prompt : `${prompt}\n\n${facts}`;
  const full = compactTools === 'always' ? undefined : await registry.definitions(scope);
  const isCompact = full === undefined || (compactTools === 'auto' && isCrowded(gauge.ofTools(full), limit));
  const tools = isCompact ? await registry.definitions(scope, { compact: true }) : full;
  const sizes = { system: tokensOf(system), tools: gauge.ofTools(tools) };
  const pinned = { size: tokensOf(facts), leftOut };
  return { system, tools, sizes, pinned, isCompact, limit, room: roomForMessages(limit, sizes.system + sizes.tools) };
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

const bytesPerToken = 3.5;
/** Of the limit, at most: what people pin must not leave too little for what they say. */
const shareOfPinned = 1 / 8;

/** What the model reads in place of the oldest part, if there is a summary: never more than a part of the room. */
export function summaryIn(state: RunState, room: number): string | undefined {
  return state.summary === undefined ? undefined : summaryWords(state.summary, longestSummary(room));
}

/** In characters, for so many tokens of room. */
export function longestSummary(room: number): number {
  return Math.min(12_000, Math.floor(room * 0.75));
}

/** How the entries are measured: exactly only where they may not fit. */
export async function measureFor(
  entries: readonly TranscriptEntry[],
  room: number,
  { gauge, model }: { readonly gauge: TokenGauge; readonly model: string },
): Promise<{ readonly measure: Measure; readonly isExact: boolean }> {
  const bound = gauge.bound(model);
  if (sizeOf(entries, bound) <= room) return { measure: bound, isExact: false };
  return { measure: await gauge.measure(model), isExact: true };
}
