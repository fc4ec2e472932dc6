import type { Clock } from '../lib/clock.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { ToolScope } from '../tools/tool.ts';
import type { ToolDefinition, TranscriptEntry } from '../transcript.ts';
import { type ContextSettings, isCrowded, roomForMessages } from './context-room.ts';
import { sizeOf } from './entry-size.ts';
import type { RunState } from './run-store.ts';
import { summaryWords } from './summary.ts';
import { systemPrompt } from './system-prompt.ts';
import type { Measure, TokenGauge } from './token-gauge.ts';

export interface FrameDependencies {
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  /** Added to the system prompt. */
  readonly instructions: string;
  readonly gauge: TokenGauge;
  readonly context: ContextSettings;
}

/** What every request to a model holds beside messages, and what that leaves for them. Sizes are in tokens. */
export interface RequestFrame {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly sizes: { readonly system: number; readonly tools: number };
  /** Whether each tool is told of in short. */
  readonly isCompact: boolean;
  /** For the whole request and its answer. */
  readonly limit: number;
  readonly room: number;
}

/** `model`: the label of the one that is asked. */
export async function frameOf(
  { state, scope, model }: { readonly state: RunState; readonly scope: ToolScope; readonly model: string },
  { registry, instructions, clock, gauge, context }: FrameDependencies,
): Promise<RequestFrame> {
  const system = systemPrompt(state.conversation, instructions, new Date(clock.now()).toISOString().slice(0, 10));
  const { compactTools, contextTokens } = context;
  const full = compactTools === 'always' ? undefined : await registry.definitions(scope);
  const isCompact = full === undefined || (compactTools === 'auto' && isCrowded(gauge.ofTools(full), context));
  const tools = isCompact ? await registry.definitions(scope, { compact: true }) : full;
  const sizes = { system: Math.ceil(Buffer.byteLength(system) / bytesPerToken), tools: gauge.ofTools(tools) };
  const limit = gauge.limit(model, contextTokens);
  return { system, tools, sizes, isCompact, limit, room: roomForMessages(limit, sizes.system + sizes.tools) };
}

const bytesPerToken = 3.5;

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
