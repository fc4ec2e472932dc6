import {
  type LanguageModel,
  type ModelAnswer,
  ModelError,
  type ModelEvent,
  type ModelRequest,
} from '../language-model.ts';
import { shownBefore } from '../retry.ts';
import { isBroken } from './call-envelope.ts';
import { createTextAnswer } from './text-answer.ts';

type TextAnswer = ReturnType<typeof createTextAnswer>;

/**
 * Reads the calls that a model with function calling wrote into its text, because its server did not know their form. Only calls
 * that end an answer count. Where the server has read a call itself, those in the text are neither shown nor made. An answer
 * without such calls passes unchanged. Throws `ModelError` if the model was told, and still writes none that can be read.
 */
export function withWrittenCalls(model: LanguageModel): LanguageModel {
  return {
    ...model,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const { tools, undeclared } = request;
      const begin = () => createTextAnswer({ tools, undeclared, before: shownBefore(request), reads: 'end' });
      let answer = begin();
      for await (const event of model.stream(request)) {
        switch (event.type) {
          case 'text':
            yield* answer.push(event.delta);
            break;
          case 'text-withdrawn':
            answer = begin();
            yield event;
            break;
          case 'reasoning':
          case 'partial-call':
          case 'calls-withdrawn':
            yield event;
            break;
          case 'finish': {
            const isCalled = event.answer.parts.some(({ type }) => type === 'call');
            for (const last of answer.end()) if (!isCalled || last.type === 'text') yield last;
            if (!isCalled) refuseRepeated(answer, request, event.answer);
            yield { type: 'finish', answer: withCalls(event.answer, answer, isCalled) };
          }
        }
      }
    },
  };
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

/** A model that was told once how to write a call, and again writes none that can be read, would go on so. */
export function refuseRepeated(answer: TextAnswer, { messages }: ModelRequest, { usage }: ModelAnswer): void {
  if (!answer.isUnreadable()) return;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const wasTold = messages
    .slice(last + 1)
    .some(
      (message) => message.role === 'assistant' && message.parts.some((part) => part.type === 'call' && isBroken(part)),
    );
  if (wasTold) throw new ModelError('permanent', unreadable, { usage });
}

const unreadable =
  'The model wanted to use a tool, but twice wrote the call in a form that cannot be read. Nothing ran. Please ask again, or choose another model with /model.';
