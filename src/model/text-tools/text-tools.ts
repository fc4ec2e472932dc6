import { isNotice } from '../cut-notice.ts';
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
            for (const shown of read(event.delta, parser, answer)) yield shown;
            break;
          case 'reasoning':
          case 'partial-call':
            yield event;
            break;
          case 'finish':
            for (const shown of answer.take(parser.end())) yield shown;
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

function read(delta: string, parser: AnswerParser, answer: TextAnswer): readonly ModelEvent[] {
  if (!isNotice(delta)) return answer.take(parser.push(delta));
  // Of a call that was cut, the model is told by the tool; of a text, the person is.
  const rest = answer.take(parser.end());
  return answer.endsInCall ? rest : [...rest, ...answer.take([{ type: 'text', delta }])];
}

/** What the model thought where its provider keeps thoughts apart stays in front. */
function withParts(answer: ModelAnswer, { parts }: TextAnswer): ModelAnswer {
  return { ...answer, parts: [...answer.parts.filter(({ type }) => type !== 'text'), ...parts] };
}
