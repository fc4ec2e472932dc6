/* What a probe of a model is: a request or two, which show whether it can do one thing that Keyturn needs. */

import type { InLanguage } from '../../../lib/words.ts';
import {
  type LanguageModel,
  type ModelAnswer,
  ModelError,
  type ModelRequest,
  type ModelUsage,
} from '../../../models/language-model.ts';
import { probeWords } from './words.ts';

export type ProbeName = 'tools' | 'spelling' | 'window' | 'vision';

/** `not-asked`: its server says that it can't, or it cannot be asked at all. */
export type ProbeOutcome = 'ok' | 'not' | 'unanswered' | 'not-asked';

/** A key of the config, and what to write there. */
export interface ConfigAdvice {
  readonly key: string;
  readonly value: string | number | boolean;
}

/** What a probe has shown. */
export interface Finding {
  readonly outcome: ProbeOutcome;
  readonly says: InLanguage;
  readonly set?: ConfigAdvice;
  readonly usage: ModelUsage;
}

export interface Probe {
  readonly name: ProbeName;
  /** How long it may take, in seconds: a model of one's own is loaded first, and reads slowly. */
  readonly longest: number;
  /** About, in tokens. */
  readonly cost: { readonly input: number; readonly output: number };
  /** Throws `ModelError` if there is no answer. */
  readonly run: (context: ProbeContext) => Promise<Finding>;
}

export interface ProbeContext {
  /** As the config describes it, but without fallbacks. */
  readonly model: LanguageModel;
  /** The same with tool calls in text; undefined if the config says that already. */
  readonly inText?: LanguageModel | undefined;
  /** Its key in the config: `main`. */
  readonly key: string;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Of `signal`, in seconds. */
  readonly longest: number;
}

export type Question = Pick<ModelRequest, 'system' | 'messages' | 'tools'>;

/** The answer of a model. Throws `ModelError`, also if it comes too late. */
export async function ask(
  model: LanguageModel,
  question: Question,
  { signal, longest }: ProbeContext,
): Promise<ModelAnswer> {
  await model.ready?.(signal);
  for await (const event of model.stream({ ...question, signal })) if (event.type === 'finish') return event.answer;
  throw new ModelError('faulty', (language) => probeWords[language].late({ seconds: longest }));
}

export function saidIn({ parts }: ModelAnswer): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

type AnswerCall = Extract<ModelAnswer['parts'][number], { readonly type: 'call' }>;

export function callOf({ parts }: ModelAnswer, name: string): AnswerCall | undefined {
  return parts.flatMap((part) => (part.type === 'call' && part.name === name ? [part] : []))[0];
}

/** Of this many. */
export function pick<Value>(values: readonly Value[], random: () => number): Value | undefined {
  return values[Math.floor(random() * values.length)];
}

export function sumOf(usages: readonly ModelUsage[]): ModelUsage {
  return {
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
}
