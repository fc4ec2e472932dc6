import { type LanguageModel, type ModelAnswer, ModelError, type ModelUsage } from '../model/language-model.ts';
import { longestSummary } from './request-frame.ts';
import { partsOf, summaryQuestion, summarySystem } from './summary-request.ts';
import type { SummarySpan } from './summary-span.ts';
import type { TokenGauge } from './token-gauge.ts';

/** What is to be summarised, of which model, and in how much room. */
export interface SummaryTask {
  readonly span: SummarySpan;
  /** What stands for all that was before it. */
  readonly before: string | undefined;
  readonly model: LanguageModel;
  /** For the messages of a request, in tokens. */
  readonly room: number;
  /** Counts what each answer has cost. */
  readonly pay: (usage: ModelUsage) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * `unusable`: what the model wrote is no summary, or it refused whatever it was given · `unavailable`: it cannot answer
 * now, and may later.
 */
export type Written =
  | { readonly type: 'written'; readonly text: string }
  | { readonly type: 'unusable' | 'unavailable' | 'aborted' };

/** Has a model summarise a part of a conversation, in several rounds where it does not fit into one. Shows nothing. */
export async function writeSummary(task: SummaryTask, gauge: TokenGauge, configured: number): Promise<Written> {
  let room = task.room;
  for (let tries = 0; tries <= mostTries; tries += 1) {
    try {
      return await inRounds({ ...task, room }, gauge);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      if (error.usage !== undefined) await task.pay(error.usage);
      if (error.fault !== 'too-long' && error.fault !== 'permanent') return { type: 'unavailable' };
      if (error.fault === 'permanent') break;
      gauge.refused(task.model.label, configured, room);
      room /= 2;
    }
  }
  return { type: 'unusable' };
}

const mostTries = 3;

async function inRounds(task: SummaryTask, gauge: TokenGauge): Promise<Written> {
  const { span, model, room, signal } = task;
  const most = longestSummary(room);
  const parts = partsOf(span.entries, { room: room * partShare, rounds: mostRounds }, await gauge.measure(model.label));
  let text = task.before;
  for (const part of parts) {
    const answer = await answerTo(summaryQuestion(part, text, most), model, signal);
    if (answer === undefined) return { type: 'aborted' };
    await task.pay(answer.usage);
    const words = answer.parts.map((one) => (one.type === 'text' ? one.text : '')).join('');
    if (!/[\p{L}\p{N}]/u.test(words)) return { type: 'unusable' };
    text = words.trim().slice(0, most).toWellFormed();
  }
  return text === undefined ? { type: 'unusable' } : { type: 'written', text };
}

const mostRounds = 8;
/** Of the room of a request: the rest is for the summary of what was before. */
const partShare = 0.7;

async function answerTo(text: string, model: LanguageModel, signal: AbortSignal): Promise<ModelAnswer | undefined> {
  const request = { system: summarySystem, messages: [{ role: 'user', text }], tools: [], signal } as const;
  for await (const event of model.stream(request)) {
    if (event.type === 'finish') return signal.aborted ? undefined : event.answer;
  }
  return undefined;
}
