import {
  type AnswerPart,
  type LanguageModel,
  type ModelAnswer,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
} from './language-model.ts';
import { Seam } from './seam.ts';

/**
 * Takes an answer up again, once, that breaks off after some of its text was shown and before it makes a call: the model
 * is given what it has written and goes on from there, so that nothing is shown twice. Fails as the answer did where that
 * does not succeed, or where the model begins its answer anew.
 */
export function withContinuation(model: LanguageModel): LanguageModel {
  return {
    label: model.label,
    seesImages: model.seesImages,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      let shown = '';
      let hasCalled = false;
      let failure: ModelError;
      try {
        for await (const event of model.stream(request)) {
          if (event.type === 'text') shown += event.delta;
          if (event.type === 'partial-call') hasCalled = true;
          yield event;
        }
        return;
      } catch (error) {
        if (request.signal.aborted) return;
        const isCut = error instanceof ModelError && error.fault === 'transient';
        if (!isCut || hasCalled || writtenCall.test(shown) || shown.trim() === '') throw error;
        failure = error;
      }
      yield* goOn(model, request, { shown, failure });
    },
  };
}

/** What a call begins with where a model makes its calls in its text: one is never put together from two answers. */
const writtenCall = /<tool_call/i;

interface Cut {
  readonly shown: string;
  readonly failure: ModelError;
}

async function* goOn(model: LanguageModel, request: ModelRequest, { shown, failure }: Cut): AsyncGenerator<ModelEvent> {
  const seam = new Seam(shown);
  const shownOf = (fresh: { readonly text: string } | 'anew'): readonly ModelEvent[] => {
    if (fresh === 'anew') throw failure;
    return fresh.text === '' ? [] : [{ type: 'text', delta: fresh.text }];
  };
  try {
    for await (const event of model.stream(toGoOn(request, shown))) {
      switch (event.type) {
        case 'text':
          yield* shownOf(seam.take(event.delta));
          break;
        case 'reasoning':
          yield event;
          break;
        case 'partial-call':
          yield* shownOf(seam.close());
          yield event;
          break;
        case 'finish':
          yield* shownOf(seam.close());
          yield { type: 'finish', answer: joined(event.answer, shown, seam.repeated, failure.usage) };
      }
    }
  } catch (error) {
    throw error instanceof ModelError ? failure : error;
  }
}

/** Ends with a user's message: not every provider lets a model go on with a message of its own. */
function toGoOn(request: ModelRequest, shown: string): ModelRequest {
  const parts = [{ type: 'text', text: shown }] as const;
  return { ...request, messages: [...request.messages, { role: 'assistant', parts }, { role: 'user', text: words }] };
}

const words = [
  '<keyturn_event kind="answer_cut">',
  'The connection was lost while you wrote the answer above; the person sees it as far as it stands there.',
  'Go on exactly where it breaks off, in the middle of a word if it does, as if nothing had happened.',
  'Repeat nothing of it, and do not speak of this.',
  '</keyturn_event>',
].join('\n');

/** The whole answer. Thoughts stand before the text, as they do in any answer. */
function joined(answer: ModelAnswer, shown: string, repeated: number, cost: ModelUsage | undefined): ModelAnswer {
  const rest = withoutBeginning(answer.parts, repeated);
  const begins = rest.findIndex(({ type }) => type !== 'reasoning');
  const thoughts = begins === -1 ? rest : rest.slice(0, begins);
  const parts = [...thoughts, { type: 'text', text: shown } as const, ...rest.slice(thoughts.length)];
  return { ...answer, parts, usage: cost === undefined ? answer.usage : together(answer.usage, cost) };
}

function together(one: ModelUsage, other: ModelUsage): ModelUsage {
  const cached = (one.cachedInputTokens ?? 0) + (other.cachedInputTokens ?? 0);
  return {
    ...one,
    inputTokens: one.inputTokens + other.inputTokens,
    ...(cached === 0 ? {} : { cachedInputTokens: cached }),
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

/** Without so many characters at the beginning of its texts. */
function withoutBeginning(parts: readonly AnswerPart[], characters: number): readonly AnswerPart[] {
  let left = characters;
  return parts.flatMap((part) => {
    if (part.type !== 'text' || left === 0) return [part];
    const text = part.text.slice(left);
    left -= part.text.length - text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}
