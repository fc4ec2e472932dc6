import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { oneLine } from '../../lib/plain-text.ts';
import type { ToolDefinition, TurnPart } from '../../transcript.ts';
import type {
  AnswerPart,
  LanguageModel,
  ModelAnswer,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelToolResult,
} from '../language-model.ts';
import { normaliseSchema } from '../schema.ts';
import { isNotice } from '../sdk-answer.ts';
import { answerParser, callTag } from './answer-parser.ts';
import { createTextAnswer, type TextAnswer } from './text-answer.ts';

/** A call in a text, or what may be the beginning of one at its end. */
export const writtenCall = /<tool_call|<(?:t|to|too|tool|tool_|tool_c|tool_ca|tool_cal)?$/i;

/**
 * Lets a model without function calling use tools: it reads of them in the system text, makes its calls in the text of its
 * answer, and is given their results as text. Everybody else sees calls, and none of their text.
 */
export function withTextTools(model: LanguageModel): LanguageModel {
  const pages = toolPages();
  return {
    ...model,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const answer = createTextAnswer();
      const parser = answerParser(request.tools.length > 0, answer);
      for await (const event of model.stream(toTextRequest(request, pages))) {
        switch (event.type) {
          case 'text':
            read(event.delta, parser, answer);
            yield* answer.taken();
            break;
          case 'reasoning':
          case 'partial-call':
          case 'calls-withdrawn':
            yield event;
            break;
          case 'finish':
            parser.end();
            yield* answer.taken();
            yield { type: 'finish', answer: withParts(event.answer, answer.parts()) };
        }
      }
    },
  };
}

function toTextRequest(
  { system, messages, tools, ...rest }: ModelRequest,
  pages: ReturnType<typeof toolPages>,
): ModelRequest {
  return {
    ...rest,
    system: tools.length === 0 ? system : `${system}\n\n${pages(tools)}`,
    messages: toTextMessages(messages),
    tools: [],
  };
}

function read(delta: string, parser: ReturnType<typeof answerParser>, answer: TextAnswer): void {
  if (!isNotice(delta)) {
    parser.push(delta);
    return;
  }
  parser.end();
  // Of a call that was cut, the model is told by the tool; of a text, the person is.
  if (!answer.endsInCall()) answer.text(delta);
}

/** What the model thought where its provider keeps thoughts apart stays in front. */
function withParts(answer: ModelAnswer, parts: readonly AnswerPart[]): ModelAnswer {
  return { ...answer, parts: [...answer.parts.filter(({ type }) => type !== 'text'), ...parts] };
}

/** The text as data: nothing in it can pass for a call or a result, nor begin one that what follows goes on with. */
function defuseTags(text: string): string {
  return text.replace(/<(?=[\s/\p{Cf}]*(?:tool_(?:call|result)|$))/giu, '‹');
}

type UserMessage = Extract<ModelMessage, { role: 'user' }>;
type CallPart = Extract<TurnPart, { type: 'call' }>;

/**
 * The messages with calls and results as text. What people and tools have said can't pass for either. Messages of users
 * that have come to stand next to each other are one.
 */
function toTextMessages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const made: ModelMessage[] = [];
  let calls: readonly CallPart[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'user':
        add(made, { ...message, text: defuseTags(message.text) });
        break;
      case 'results':
        add(made, { role: 'user', text: message.results.map((result) => resultText(result, calls)).join('\n') });
        break;
      case 'assistant': {
        calls = message.parts.filter((part) => part.type === 'call');
        const parts = textParts(message.parts);
        if (parts.length > 0) made.push({ role: 'assistant', parts });
      }
    }
  }
  return made;
}

function add(made: ModelMessage[], message: UserMessage): void {
  const last = made.at(-1);
  if (last?.role !== 'user') {
    made.push(message);
    return;
  }
  const images = [...(last.images ?? []), ...(message.images ?? [])];
  const text = `${last.text}\n\n${message.text}`;
  made[made.length - 1] = { role: 'user', text, ...(images.length === 0 ? {} : { images }) };
}

/** Thoughts as they are; then all that was said and called, in its order. */
function textParts(parts: readonly TurnPart[]): readonly TurnPart[] {
  if (!parts.some(({ type }) => type === 'call')) return parts;
  const text = parts.flatMap((part) => {
    if (part.type === 'call') return [callText(part)];
    return part.type === 'text' && part.text.trim() !== '' ? [part.text.trim()] : [];
  });
  return [...parts.filter(({ type }) => type === 'reasoning'), { type: 'text', text: text.join('\n') }];
}

/** As the model is to write it. What it wrote instead is shown to it under a name. */
function callText({ name, arguments: args }: CallPart): string {
  const call = isJsonObject(args) ? { name, arguments: args } : { name, invalid_arguments: args };
  // No text in it looks like the end of the call.
  return `${callTag.begin}${JSON.stringify(call).replaceAll('</', '<\\/')}${callTag.end}`;
}

/** The number is that of the call in the answer before. */
function resultText({ modelCallId, name, text, isError }: ModelToolResult, calls: readonly CallPart[]): string {
  const number = calls.findIndex((call) => call.modelCallId === modelCallId) + 1;
  const tool = name.replace(/[^\w.-]/g, '_').slice(0, longestName);
  const attributes = `call="${number}" name="${tool}" status="${isError ? 'error' : 'ok'}"`;
  return `<tool_result ${attributes}>\n${defuseTags(text)}\n</tool_result>`;
}

/** Says in the system text what tools there are and how to call them: the same for the same tools, byte for byte. */
function toolPages(): (tools: readonly ToolDefinition[]) => string {
  /** What was made of schemas, which are the same from request to request. */
  const known = new WeakMap<JsonObject, string>();
  const page = ({ name, displayName, description, parameters }: ToolDefinition): string => {
    const words = known.get(parameters) ?? describeParameters(parameters);
    known.set(parameters, words);
    const spoken = displayName === undefined ? '' : ` ("${oneLine(displayName, longestName)}")`;
    return `## ${name}${spoken}\n${description}\n${words}`;
  };
  return (tools) => [protocol, ...tools.map(page)].join('\n\n');
}

const example = `${callTag.begin}{"name": "the_tool", "arguments": {"the_parameter": "its value"}}${callTag.end}`;

const protocol = [
  '# Tools',
  `To call a tool, write its name and its arguments as one JSON object in ${callTag.begin} tags, on a line of its own and outside of any code block:`,
  example,
  'For several calls, write several such lines. Call only the tools below, with the parameters that they have. Then end your answer and wait: the results come in the next message, each in <tool_result> tags that say which of your calls it belongs to. Never write a result yourself. Without a call, just answer.',
].join('\n');

const longestName = 64;

/** As JSON Schema, which models know from elsewhere. Of what is longer than any model should read, the names alone. */
function describeParameters(parameters: JsonObject): string {
  const { properties = {}, required, ...rest } = normaliseSchema(parameters, 'conservative');
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return 'No parameters.';
  const schema = JSON.stringify({ ...rest, properties, required });
  if (schema.length <= longestSchema) return `Parameters: ${schema}`;
  return `Parameters: ${oneLine(Object.keys(properties).join(', '), longestSchema)}`;
}

const longestSchema = 10_000;
