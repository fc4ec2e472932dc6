import {
  type LanguageModel,
  type ModelAnswer,
  ModelError,
  type ModelRequest,
  type ModelUsage,
} from '../model/language-model.ts';
import { AnswerTally } from './answer-tally.ts';
import { longestSummary } from './request-frame.ts';
import { partOf, summaryQuestion, summarySystem } from './summary-request.ts';
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
 * `unusable`: what the model wrote is no summary, or was held back, or it refused whatever it was given as too long ·
 * `unavailable`: it cannot answer now, and may later, be it once the config is right.
 */
export type Written =
  | { readonly type: 'written'; readonly text: string }
  | { readonly type: 'unusable' | 'unavailable' | 'aborted' };

/** Has a model summarise a part of a conversation, with one request that it answers. Shows nothing. */
export async function writeSummary(task: SummaryTask, gauge: TokenGauge, configured: number): Promise<Written> {
  let room = task.room;
  for (let tries = 0; tries <= mostTries; tries += 1) {
    try {
      return await written({ ...task, room }, gauge);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      // An answer that was held back has been paid for, and would be held back again.
      if (error.fault === 'permanent' && error.usage !== undefined) return { type: 'unusable' };
      if (error.fault !== 'too-long') return { type: 'unavailable' };
      gauge.refused(error.standIn ?? task.model.label, configured, room);
      room /= 2;
    }
  }
  return { type: 'unusable' };
}

const mostTries = 3;

/** Of the room of a request: the rest is for the summary of what was before. */
const partShare = 0.7;

async function written(task: SummaryTask, gauge: TokenGauge): Promise<Written> {
  const { span, before, model, room } = task;
  const most = longestSummary(room);
  const part = partOf(span.entries, room * partShare, await gauge.measure(model.label));
  const answer = await answerTo(summaryQuestion(part, before, most), task);
  if (answer === undefined) return { type: 'aborted' };
  const words = answer.parts.map((one) => (one.type === 'text' ? one.text : '')).join('');
  if (!/[\p{L}\p{N}]/u.test(words)) return { type: 'unusable' };
  return { type: 'written', text: words.trim().slice(0, most).toWellFormed() };
}

async function answerTo(text: string, { model, pay, signal }: SummaryTask): Promise<ModelAnswer | undefined> {
  const tally = new AnswerTally({ signal });
  let answer: ModelAnswer | undefined;
  let failure: unknown;
  try {
    for await (const event of model.stream({ ...question(text), signal })) {
      tally.hear(event);
      if (event.type === 'finish') answer = event.answer;
    }
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    const owed = await tally.owed(() => text.length / charactersPerToken, failure);
    if (owed !== undefined) await pay(owed);
  }
  return signal.aborted ? undefined : answer;
}

function question(text: string): Omit<ModelRequest, 'signal'> {
  return { system: summarySystem, messages: [{ role: 'user', text }], tools: [] };
}

const charactersPerToken = 3.5;
