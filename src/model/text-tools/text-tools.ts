import { cutNotice } from '../cut-notice.ts';
import type { LanguageModel, ModelAnswer, ModelEvent, ModelRequest } from '../language-model.ts';
import { AnswerParser } from './answer-parser.ts';
import { TextAnswer } from './text-answer.ts';
import { toTextMessages } from './text-messages.ts';
import { ToolPages } from './tool-pages.ts';

/**
 * Lets a model without function calling use tools: it reads of them in the system text, makes its calls in the text of its
 * answer, and is given their results as text. Everybody else sees calls, and none of their text.
 */
export function withTextTools(model: LanguageModel): LanguageModel {
  const pages = new ToolPages();
  return {
    label: model.label,
    seesImages: model.seesImages,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const parser = new AnswerParser(request.tools.length > 0);
      const answer = new TextAnswer();
      for await (const event of model.stream(toTextRequest(request, pages))) {
        switch (event.type) {
          case 'text':
            yield* event.delta.trim() === cutNotice
              ? cut(event.delta, parser, answer)
              : answer.take(parser.push(event.delta));
            break;
          case 'reasoning':
          case 'partial-call':
            yield event;
            break;
          case 'finish':
            yield* answer.take(parser.end());
            yield { type: 'finish', answer: withParts(event.answer, answer) };
        }
      }
    },
  };
}

function toTextRequest({ system, messages, tools, signal }: ModelRequest, pages: ToolPages): ModelRequest {
  return {
    system: tools.length === 0 ? system : `${system}\n\n${pages.describe(tools)}`,
    messages: toTextMessages(messages),
    tools: [],
    signal,
  };
}

/** Of a call that was cut, the model is told by the tool; of a text, the person is. */
async function* cut(notice: string, parser: AnswerParser, answer: TextAnswer): AsyncGenerator<ModelEvent> {
  yield* answer.take(parser.end());
  if (!answer.endsInCall) yield* answer.take([{ type: 'text', delta: notice }]);
}

/** What the model thought where its provider keeps thoughts apart stays in front. */
function withParts(answer: ModelAnswer, { parts }: TextAnswer): ModelAnswer {
  return { ...answer, parts: [...answer.parts.filter(({ type }) => type !== 'text'), ...parts] };
}
