import { type ModelAnswer, ModelError, type ModelEvent, type ModelRequest } from '../language-model.ts';
import { modelWords } from '../words.ts';
import { isBroken } from './call-envelope.ts';
import type { TextAnswer } from './text-answer.ts';

interface AnswerParts {
  /** The reader of an answer, from its beginning. */
  readonly begin: () => TextAnswer;
  /** What the end of the answer gives, and all that the reader still holds. */
  readonly finish: (answer: ModelAnswer, read: TextAnswer) => Iterable<ModelEvent>;
}

/** Reads the text of an answer for calls: its text goes through the reader, all else passes. */
export async function* readAnswer(
  events: AsyncIterable<ModelEvent>,
  { begin, finish }: AnswerParts,
): AsyncGenerator<ModelEvent> {
  let read = begin();
  for await (const event of events) {
    switch (event.type) {
      case 'text':
        yield* read.push(event.delta);
        break;
      case 'text-withdrawn':
        read = begin();
        yield event;
        break;
      case 'reasoning':
      case 'partial-call':
      case 'calls-withdrawn':
        yield event;
        break;
      case 'finish':
        yield* finish(event.answer, read);
    }
  }
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
  if (wasTold) throw new ModelError('permanent', (language) => modelWords[language].unreadableCall, { usage });
}
