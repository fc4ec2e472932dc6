import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { oneLine } from '../../lib/plain-text.ts';
import type { ToolDefinition, TurnPart } from '../../transcript.ts';
import {
  type AnswerPart,
  addMessage,
  type LanguageModel,
  type ModelAnswer,
  type ModelMessage,
  type ModelRequest,
  type ModelToolResult,
  withStream,
} from '../language-model.ts';
import { shownBefore } from '../retry.ts';
import { normaliseSchema } from '../schema.ts';
import { isBroken } from './call-envelope.ts';
import { readAnswer, refuseRepeated } from './read-answer.ts';
import { callTag, createTextAnswer } from './text-answer.ts';

/**
 * Lets a model without function calling use tools: the system text describes them, the model writes its calls in the
 * text of its answer, and it gets their results as text. All other code sees calls, and none of their text. Throws
 * `ModelError` if the model was told how to write a call, and still writes none that can be read.
 */
export function withTextTools(model: LanguageModel): LanguageModel {
  const pages = toolPages();
  return withStream(model, (request) => {
    const { tools, undeclared } = request;
    return readAnswer(model.stream(toTextRequest(request, pages)), {
      begin: () => createTextAnswer({ tools, undeclared, before: shownBefore(request), reads: 'anywhere' }),
      *finish(answer, read) {
        yield* read.end();
        refuseRepeated(read, request, answer);
        yield { type: 'finish', answer: withParts(answer, read.parts()) };
      },
    });
  });
}

function toTextRequest(
  { system, messages, tools, undeclared: _, ...rest }: ModelRequest,
  pages: ReturnType<typeof toolPages>,
): ModelRequest {
  return {
    ...rest,
    system: tools.length === 0 ? system : `${system}\n\n${pages(tools)}`,
    messages: toTextMessages(messages),
    tools: [],
  };
}

/** Thoughts from the provider stay in front. */
function withParts(answer: ModelAnswer, parts: readonly AnswerPart[]): ModelAnswer {
  return { ...answer, parts: [...answer.parts.filter(({ type }) => type !== 'text'), ...parts] };
}

/** Escapes tags, so that text cannot pass for a call or a result, or begin one that the following text completes. */
function defuseTags(text: string): string {
  return text.replace(/<(?=[\s/\p{Cf}]*(?:tool_(?:call|result)|$))/giu, '‹');
}

type CallPart = Extract<TurnPart, { type: 'call' }>;

/**
 * The messages with calls and results as text. Texts of people and tools can't pass for either.
 */
function toTextMessages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const made: ModelMessage[] = [];
  let calls: readonly CallPart[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'user':
        addMessage(made, { ...message, text: defuseTags(message.text) });
        break;
      case 'results':
        addMessage(made, { role: 'user', text: message.results.map((result) => resultText(result, calls)).join('\n') });
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

/** Thoughts unchanged, then text and calls in order. */
function textParts(parts: readonly TurnPart[]): readonly TurnPart[] {
  if (!parts.some(({ type }) => type === 'call')) return parts;
  const text = parts.flatMap((part) => {
    if (part.type === 'call') return [callText(part)];
    return part.type === 'text' && part.text.trim() !== '' ? [part.text.trim()] : [];
  });
  return [...parts.filter(({ type }) => type === 'reasoning'), { type: 'text', text: text.join('\n') }];
}

/** In the form that the model must write. Arguments that are not an object are shown under another key. */
function callText({ name, arguments: args }: CallPart): string {
  const call = isJsonObject(args) ? { name, arguments: args } : { name, invalid_arguments: args };
  // No text in it looks like the end of the call.
  return `${callTag.begin}${JSON.stringify(call).replaceAll('</', '<\\/')}${callTag.end}`;
}

/** The number counts the calls of the previous answer. */
function resultText({ modelCallId, name, text, isError }: ModelToolResult, calls: readonly CallPart[]): string {
  const number = calls.findIndex((call) => call.modelCallId === modelCallId) + 1;
  const tool = name.replace(/[^\w.-]/g, '_').slice(0, longestName);
  const attributes = `call="${number}" name="${tool}" status="${isError ? 'error' : 'ok'}"`;
  const call = calls[number - 1];
  const advice =
    call !== undefined && isBroken(call) ? `\nWrite a call like this, and nothing behind it:\n${example}` : '';
  return `<tool_result ${attributes}>\n${defuseTags(text)}${advice}\n</tool_result>`;
}

/** The system text that describes the tools and how to call them. The same tools give the same bytes. */
function toolPages(): (tools: readonly ToolDefinition[]) => string {
  /** By schema object, which is the same in each request. */
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

/** As JSON Schema, which models know. If that is too long, only the names. */
function describeParameters(parameters: JsonObject): string {
  const { properties = {}, required, ...rest } = normaliseSchema(parameters, 'conservative');
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) return 'No parameters.';
  const schema = JSON.stringify({ ...rest, properties, required });
  if (schema.length <= longestSchema) return `Parameters: ${schema}`;
  return `Parameters: ${oneLine(Object.keys(properties).join(', '), longestSchema)}`;
}

const longestSchema = 10_000;
