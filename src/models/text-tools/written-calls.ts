import { type LanguageModel, type ModelAnswer, withStream } from '../language-model.ts';
import { shownBefore } from '../retry.ts';
import { readAnswer, refuseRepeated } from './read-answer.ts';
import { createTextAnswer, type TextAnswer } from './text-answer.ts';

/**
 * Reads the calls that a model with function calling wrote into its text, because its server did not know their form. Only calls
 * that end an answer count. Where the server has read a call itself, those in the text are neither shown nor made. An answer
 * without such calls passes unchanged. Throws `ModelError` if the model was told, and still writes none that can be read.
 */
export function withWrittenCalls(model: LanguageModel): LanguageModel {
  return withStream(model, (request) => {
    const { tools, undeclared } = request;
    return readAnswer(model.stream(request), {
      begin: () => createTextAnswer({ tools, undeclared, before: shownBefore(request), reads: 'end' }),
      *finish(answer, read) {
        const isCalled = answer.parts.some(({ type }) => type === 'call');
        for (const last of read.end()) if (!isCalled || last.type === 'text') yield last;
        if (!isCalled) refuseRepeated(read, request, answer);
        yield { type: 'finish', answer: withCalls(answer, read, isCalled) };
      },
    });
  });
}

function withCalls(answer: ModelAnswer, read: TextAnswer, isCalled: boolean): ModelAnswer {
  const written = read.parts();
  if (written.every(({ type }) => type === 'text')) return answer;
  const kept = answer.parts.filter(({ type }) => type !== 'text');
  const text = written.filter(({ type }) => type === 'text');
  const thoughts = kept.filter(({ type }) => type === 'reasoning');
  const calls = isCalled ? kept.filter(({ type }) => type === 'call') : written.filter(({ type }) => type === 'call');
  return { ...answer, parts: [...thoughts, ...text, ...calls] };
}
