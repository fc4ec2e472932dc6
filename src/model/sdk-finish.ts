import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { cutNotice, withheldNotice } from './cut-notice.ts';
import { type AnswerPart, type ModelAnswer, ModelError, type ModelEvent, type ModelUsage } from './language-model.ts';
import { type FailureContext, toModelError } from './provider-failure.ts';
import type { AnswerAssembly } from './sdk-answer.ts';

/** How a provider ended its answer. */
export type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** The last events of an answer that has ended so. Throws `ModelError` if that was no end that an answer should have. */
export function* endOf(
  end: Finish | undefined,
  assembly: AnswerAssembly,
  failures: FailureContext,
): Generator<ModelEvent> {
  const usage = usageOf(end);
  const reason = end?.finishReason.unified ?? 'interrupted';
  const parts = assembly.parts(reason === 'length' || reason === 'content-filter');
  switch (reason) {
    case 'error':
    case 'interrupted':
      throw broken(usage, failures);
    case 'other':
      if (parts.length === 0 || brokenEnds.test(end?.finishReason.raw ?? '')) throw broken(usage, failures);
      break;
    case 'content-filter':
      if (parts.length === 0) throw filtered(usage, failures);
      return yield* noted({ parts, usage }, withheldNotice);
    case 'length':
      return yield* noted({ parts, usage }, cutNotice);
    case 'stop':
    case 'tool-calls':
      break;
  }
  yield { type: 'finish', answer: { parts, usage } };
}

/** What providers and servers call an end that is none, where their packages know no better than to call it another one. */
const brokenEnds =
  /^(?:error|failed|abort(?:ed)?|cancell?ed|interrupted|other|finish_reason_unspecified|language|malformed_\w+|unexpected_tool_call|too_many_tool_calls|missing_thought_signature)$/i;

/** An answer that may look complete, and is not: the person is told. Of a call that was cut, the model is told by the tool. */
function* noted(answer: ModelAnswer, notice: string): Generator<ModelEvent> {
  const last = answer.parts.at(-1);
  if (last?.type === 'call') return yield { type: 'finish', answer };
  const delta = last?.type === 'text' ? `\n\n${notice}` : notice;
  const parts: readonly AnswerPart[] =
    last?.type === 'text'
      ? [...answer.parts.slice(0, -1), { ...last, text: last.text + delta }]
      : [...answer.parts, { type: 'text', text: delta }];
  yield { type: 'text', delta };
  yield { type: 'finish', answer: { ...answer, parts } };
}

function usageOf(end: Finish | undefined): ModelUsage {
  const { inputTokens, outputTokens } = end?.usage ?? {};
  const cachedInputTokens = inputTokens?.cacheRead;
  return {
    inputTokens: inputTokens?.total ?? 0,
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    outputTokens: outputTokens?.total ?? 0,
  };
}

function broken(usage: ModelUsage, failures: FailureContext): ModelError {
  const { fault, message } = toModelError({ type: 'broken-answer' }, failures);
  return new ModelError(fault, message, { usage });
}

function filtered(usage: ModelUsage, { modelKey }: FailureContext): ModelError {
  const advice = 'Say it differently, or start anew with /new.';
  return new ModelError(
    'permanent',
    `The provider of the model '${modelKey}' held the answer back for its content. ${advice}`,
    { usage },
  );
}
