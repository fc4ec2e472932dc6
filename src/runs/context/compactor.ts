import { paidAnswer } from '../../engine/ask.ts';
import type { Budget, Payer } from '../../engine/feature.ts';
import type { RunState } from '../../engine/journal.ts';
import { noticeIn, type OutboxDraft, quietNoticeIn } from '../../engine/message.ts';
import type { Ask } from '../../engine/next.ts';
import { type LanguageModel, type ModelAnswer, ModelError } from '../../models/language-model.ts';
import type { Models } from '../../models/open-models.ts';
import type { ToolScope } from '../../tools/tool.ts';
import { begins, ends, fromBeginning, leanOf, sizeOf } from './fit.ts';
import { wordsToKeep } from './standing-words.ts';
import { type Kept, type SummarySpan, spanOf, summaryQuestion, summarySystem } from './summary.ts';
import { type Measure, tokensOf } from './token-gauge.ts';
import {
  type FrameDependencies,
  frameOf,
  limitOf,
  longestSummary,
  type RequestFrame,
  seenBy,
  summaryIn,
} from './turn-request.ts';
import { compactWords } from './words.ts';

interface CompactorParts extends FrameDependencies {
  readonly store: SummaryStore;
  readonly models: Models;
  readonly budget: Pick<Budget, 'admitAside' | 'begin' | 'pay'>;
}

/** Summarises the oldest part of a conversation when requests can no longer hold all of it. */
export interface Compactor {
  /** `fits`: the model can be asked · `changed`: the stored state has changed, or a signal has ended this. */
  beforeAsk(state: RunState, ask: Ask, scope: ToolScope, signal: AbortSignal): Promise<'fits' | 'changed'>;
  /** Summarises because a person asked for it, and tells them the result. */
  now(state: RunState, scope: ToolScope, signal: AbortSignal): Promise<void>;
  figures(state: RunState, scope: ToolScope): Promise<ContextFigures>;
}

/** What fills a conversation's requests, in approximate tokens. */
export interface ContextFigures extends Omit<RequestFrame['sizes'], 'system'> {
  readonly model: string;
  readonly limit: number;
  /** Without pinned facts. */
  readonly system: number;
  readonly pinned: RequestFrame['pinned'];
  /** `declared`: the tools that the model is told of. */
  readonly offer: RequestFrame['offer'] & { readonly declared: number };
  readonly isShort: boolean;
  readonly summary: number;
  readonly messages: number;
}

interface CompactorContext {
  readonly parts: CompactorParts;
  /** When a model last failed to write a summary, by conversation. */
  readonly failed: Map<string, number>;
}

export function createCompactor(parts: CompactorParts): Compactor {
  const context: CompactorContext = { parts, failed: new Map() };
  return {
    beforeAsk: (state, ask, scope, signal) => summariseBeforeAsk({ state, ask, scope }, signal, context),
    now: (state, scope, signal) => summariseNow(state, scope, signal, context),
    figures: (state, scope) => figuresOf(state, scope, parts),
  };
}

/** A request to come. */
interface ComingRequest {
  readonly state: RunState;
  readonly ask: Ask;
  readonly scope: ToolScope;
}

async function summariseBeforeAsk(
  { state, ask, scope }: ComingRequest,
  signal: AbortSignal,
  context: CompactorContext,
): Promise<'fits' | 'changed'> {
  const { parts } = context;
  const { models, gauge } = parts;
  const entries = leanOf(fromBeginning(seenBy(state, ask)));
  const model = models.of(state.model);
  await model.ready?.(signal);
  const measure = gauge.measure(model.label);
  const size = sizeOf(entries, measure);
  const { isNearlyFull = false } = state;
  const smallestRoom = limitOf(model, parts) / 4;
  const isSmall = !isNearlyFull && size <= smallestRoom / 2;
  if (isSmall || !parts.context.summaries || hasJustFailed(state.conversationId, context)) return 'fits';

  const frame = await frameOf({ state, scope, model }, parts);
  if (!isNearlyFull && size <= frame.room - summarySize(state, frame.room, measure)) return 'fits';
  const turns = isNearlyFull ? entries.filter((entry) => !begins(entry)).length / 2 : undefined;
  const kept: Kept = { tokens: frame.room * keptShare, turns, most: frame.room };
  // One request at a time, so that the budget is checked before each; the next step continues with the rest.
  const span = spanOf(entries, kept, measure);
  // The gain would be so small that the next request would need another summary.
  if (span === undefined || (!isNearlyFull && sizeOf(span.entries, measure) < frame.room * leastShare)) return 'fits';
  await summarise(state, { payer: ask.run, span, frame, model, signal }, context);
  // Even without a summary, something may have been spent.
  return 'changed';
}

async function summariseNow(
  state: RunState,
  scope: ToolScope,
  signal: AbortSignal,
  context: CompactorContext,
): Promise<void> {
  const { parts } = context;
  const { models, gauge, budget } = parts;
  const model = models.of(state.model);
  await model.ready?.(signal);
  const frame = await frameOf({ state, scope, model }, parts);
  const entries = leanOf(fromBeginning(state.transcript.entries));
  const measure = gauge.measure(model.label);
  const span = spanOf(entries, { tokens: frame.room / 10, turns: fewTurns }, measure);
  const words = compactWords[parts.readerIn(state.conversationId).language];
  if (span === undefined) return decline(state, words.nothingToDo, parts);
  const admission = await budget.admitAside(state, scope.sender, signal);
  if (admission.type === 'closed') return;
  if (admission.type === 'refused') return decline(state, words.overBudget(admission.words), parts);
  const { principal } = scope.sender;
  const told = (text: string): string =>
    words.summarised({ before: Math.round(sizeOf(span.entries, measure)), after: Math.round(measure(text)) });
  try {
    const outcome = await summarise(state, { payer: { principal }, span, frame, model, signal, words: told }, context);
    if (outcome === 'unavailable') await decline(state, words.cannotNow, parts);
  } finally {
    admission.leave();
  }
}

async function figuresOf(state: RunState, scope: ToolScope, parts: CompactorParts): Promise<ContextFigures> {
  const model = parts.models.of(state.model);
  const { sizes, pinned, room, ...frame } = await frameOf({ state, scope, model }, parts);
  const measure = parts.gauge.measure(model.label);
  return {
    model: model.label,
    limit: frame.limit,
    ...sizes,
    system: sizes.system - pinned.size,
    pinned,
    offer: { ...frame.offer, declared: frame.tools.length },
    isShort: frame.isShort,
    summary: summarySize(state, room, measure),
    messages: sizeOf(fromBeginning(state.transcript.entries), measure),
  };
}

async function summarise(
  state: RunState,
  work: Work,
  { parts, failed }: CompactorContext,
): Promise<'changed' | 'unavailable'> {
  const { log, clock } = parts;
  const { conversationId, summary } = state;
  const text = await write(state, work, parts);
  if (work.signal.aborted) return 'changed';
  if (text === undefined) {
    log.warn({ conversation: conversationId }, 'no summary could be made; the oldest part is left out of requests');
    failed.set(conversationId, clock.now());
    return 'unavailable';
  }
  failed.delete(conversationId);
  if (text !== '') {
    await store(state, work, { text, words: work.words?.(text) }, parts);
    return 'changed';
  }
  log.warn({ conversation: conversationId }, 'what the model wrote is no summary; the oldest part is left out');
  const { notSummarised } = compactWords[parts.readerIn(conversationId).language];
  await store(state, work, { text: leftOut(summary?.text), words: notSummarised }, parts);
  return 'changed';
}

/**
 * Asks a model to summarise a part. Retries with half the room if the request is too long. Invisible to people.
 * Empty if it wrote no summary, its answer was held back, or every request was too long. Undefined if it cannot
 * answer now, but may later, perhaps after a change of the config.
 */
async function write(state: RunState, work: Work, parts: CompactorParts): Promise<string | undefined> {
  const { gauge, context } = parts;
  const { span, frame, model } = work;
  let { room } = frame;
  for (let tries = 0; tries <= mostRetries; tries += 1) {
    const measure = gauge.measure(model.label);
    const question = summaryQuestion(span.entries, state.summary?.text, { room, measure });
    try {
      const answer = await answerTo(question, state, work, parts);
      const words = answer?.parts.map((one) => (one.type === 'text' ? one.text : '')).join('');
      if (words === undefined || !/[\p{L}\p{N}]/u.test(words)) return '';
      return words.trim().slice(0, longestSummary(room)).toWellFormed();
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      // An answer that was held back has been paid for, and would be held back again.
      if (error.fault === 'permanent' && error.usage !== undefined) return '';
      if (error.fault !== 'too-long') return undefined;
      // The question may be much smaller than its room: half of that would give the same question again.
      room = Math.min(room, measure(question));
      gauge.refused(error.standIn ?? model.label, context.contextTokens, room, error);
      room /= 2;
    }
  }
  return '';
}

/** Stores the request before it is sent, and its cost afterwards. */
async function answerTo(
  text: string,
  state: RunState,
  { payer, model, signal }: Work,
  parts: CompactorParts,
): Promise<ModelAnswer | undefined> {
  const { models, budget } = parts;
  const asked = state.model ?? models.defaultName;
  const inputTokens = tokensOf(text);
  await budget.begin(state, payer, asked, inputTokens);
  const messages = [{ role: 'user', text } as const];
  return paidAnswer(
    model,
    { system: summarySystem, messages, tools: [], signal },
    {
      ...parts,
      asked,
      runId: payer.runId,
      conversationId: state.conversationId,
      inputTokens,
      async pay(owed) {
        await budget.pay(state, payer, asked, owed);
        return undefined;
      },
    },
  );
}

/** A summary, with a message to people, if they are told of it. */
interface Written {
  readonly text: string;
  readonly words: string | undefined;
}

async function store(
  { conversationId, summary }: RunState,
  work: Work,
  { text, words }: Written,
  { store: summaries, clock, deliver }: CompactorParts,
): Promise<void> {
  const { upToTurn, upToSeq } = work.span;
  const isWanted = work.words !== undefined;
  const noticeOf = isWanted ? noticeIn : quietNoticeIn;
  const messages = words === undefined ? [] : [noticeOf(conversationId, words)];
  const kept = wordsToKeep(work.span.entries, summary?.kept ?? []).map(({ seq }) => seq);
  const span = { upToTurn, upToSeq, kept };
  await summaries.store({ conversationId, after: summary?.id, text, ...span, isWanted, messages, at: clock.now() });
  deliver([conversationId]);
}

async function decline(
  { conversationId }: RunState,
  words: string,
  { store: summaries, clock, deliver }: CompactorParts,
): Promise<void> {
  await summaries.decline({ conversationId, messages: [noticeIn(conversationId, words)], at: clock.now() });
  deliver([conversationId]);
}

function hasJustFailed(conversationId: string, { parts, failed }: CompactorContext): boolean {
  return parts.clock.now() - (failed.get(conversationId) ?? Number.NEGATIVE_INFINITY) < pause;
}

interface Work {
  readonly payer: Payer;
  readonly span: SummarySpan;
  readonly frame: RequestFrame;
  readonly model: LanguageModel;
  readonly signal: AbortSignal;
  /** The message to the person who asked for it, if anybody did. */
  readonly words?: (text: string) => string;
}

function summarySize(state: RunState, room: number, measure: Measure): number {
  const summary = summaryIn(state, room);
  return summary === undefined ? 0 : measure(summary);
}

/** Replaces a part that could not be summarised. */
function leftOut(before: string | undefined): string {
  const words = '[A part of the conversation was left out here, and there is no summary of it.]';
  return before === undefined ? words : `${ends(before, longestKept)}\n${words}`;
}

/** If a person asked for it. */
const fewTurns = 2;
/** Of the room for messages. */
const keptShare = 0.4;
const leastShare = 0.15;
/** After a model failed to write one. In ms. */
const pause = 600_000;
/** After a request that was too long, each with half as much. */
const mostRetries = 3;
const longestKept = 6000;

/** A summary to store for the oldest part of a conversation. */
export interface SummaryDraft {
  readonly conversationId: string;
  /** The id of the summary that it continues, if there was one. */
  readonly after: number | undefined;
  readonly text: string;
  readonly upToTurn: number;
  readonly upToSeq: number;
  /** The messages that outlive it word for word, by sequence. */
  readonly kept: readonly number[];
  /** A person asked for it, and is answered with it. */
  readonly isWanted: boolean;
  readonly messages: readonly OutboxDraft[];
  readonly at: number;
}

/** Stores summaries. Each method is one transaction. */
export interface SummaryStore {
  /** `outdated`: another summary was stored, or the conversation started over. Then nobody is told anything. */
  store(draft: SummaryDraft): Promise<'stored' | 'outdated'>;
  decline(draft: Pick<SummaryDraft, 'conversationId' | 'messages' | 'at'>): Promise<void>;
}
