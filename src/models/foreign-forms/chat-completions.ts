import { isJsonObject, type JsonObject, type JsonValue, objectsIn, own } from '../../lib/json.ts';
import type { Dialect } from './dialect.ts';
import {
  count,
  faultIn,
  fields,
  jsonText,
  label,
  list,
  loosely,
  type Mend,
  mendFields,
  nothing,
  text,
} from './mends.ts';

/**
 * The protocol of OpenAI's chat completions, as servers that are compatible with it speak it: also whole answers in place of
 * a stream, `function_call` as it was before tools, old completions, and the lines of Ollama's own API.
 */
export function chatCompletions(): Dialect {
  let hasEnded = false;
  let hasCalls = false;
  let hasUsage = false;

  return {
    read(value, name) {
      if (name === undefined && isUsual(value)) {
        hasCalls ||= callsIn(value);
        return { chunks: [value] };
      }
      const isOllama = isJsonObject(value.message) && 'done' in value;
      const asked = isOllama ? fromOllama(value) : value;
      const isChunk = 'choices' in asked || isJsonObject(asked.usage);
      const fault = faultIn(asked, name);
      if (fault !== undefined) return { chunks: [], fault };
      if (!isChunk) return undefined;
      const { error: _none, ...chunk } = mendFields(asked, chunkMends);
      const first = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
      const choice = isJsonObject(first) ? first : {};
      hasCalls ||= isJsonObject(choice.delta) && choice.delta.tool_calls !== undefined;
      // Some servers count after each piece.
      hasUsage ||= first === undefined && chunk.usage !== undefined;
      const isEnd = typeof choice.finish_reason === 'string';
      hasEnded ||= isEnd;
      return { chunks: [chunk], isEnd };
    },
    close(isDone) {
      if (hasEnded) return [];
      // Usage comes after all else.
      if (!isDone && !hasUsage) return undefined;
      return [{ choices: [{ delta: {}, finish_reason: hasCalls ? 'tool_calls' : 'stop' }] }];
    },
  };
}

/** Whether it is a piece of an answer that needs no mending, as nearly all are. Its end and its usage are always looked at. */
function isUsual(value: JsonObject): boolean {
  const { choices } = value;
  if (!Array.isArray(choices) || choices.length !== 1 || value.object === 'error') return false;
  for (const key of unusual) if (isSet(value[key])) return false;
  const choice: JsonValue = choices[0];
  if (!isJsonObject(choice) || isSet(choice.finish_reason) || !isJsonObject(choice.delta)) return false;
  const {
    content,
    reasoning_content: thoughts,
    reasoning,
    refusal,
    function_call: older,
    tool_calls: called,
  } = choice.delta;
  if (isSet(older) || ![content, thoughts, reasoning, refusal].every(isTextOrNone)) return false;
  return !isSet(called) || (Array.isArray(called) && called.every(isUsualCall));
}

/** What tells of a fault, of another protocol, or of what is counted. */
const unusual = [
  'error',
  'usage',
  'message',
  'base_resp',
  'type',
  'success',
  'error_code',
  'code',
  'status_code',
  'status',
] as const;

function isUsualCall(value: JsonValue): boolean {
  if (!isJsonObject(value) || typeof value.index !== 'number' || isSet(value.extra_content)) return false;
  const { id, function: called } = value;
  return (
    id !== '' && isTextOrNone(id) && isJsonObject(called) && isTextOrNone(called.name) && isTextOrNone(called.arguments)
  );
}

function isTextOrNone(value: JsonValue | undefined): boolean {
  return typeof value === 'string' || !isSet(value);
}

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function callsIn({ choices }: JsonObject): boolean {
  const [choice] = objectsIn(choices);
  return isJsonObject(choice?.delta) && objectsIn(choice.delta.tool_calls).length > 0;
}

const reason: Mend = (value) => {
  const said = isJsonObject(value) ? (own(value, 'type') ?? own(value, 'reason')) : value;
  return typeof said === 'string' && !/^(?:|null|none|undefined)$/i.test(said) ? said : undefined;
};

const content: Mend = (value, path) => {
  if (isJsonObject(value)) return content([value], path);
  return Array.isArray(value) ? value.flatMap(contentPart) : text(value, path);
};

/** A text may be bare or without its type; parts of another kind cannot be shown. */
function contentPart(part: JsonValue): JsonObject[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }];
  if (!isJsonObject(part)) return [];
  if (typeof part.text === 'string') return [{ type: 'text', text: part.text }];
  return part.type === 'thinking' ? [part] : [];
}

/** Thoughts: as a text, or in parts with texts. */
const thoughts: Mend = (value, path) => {
  const parts = isJsonObject(value) ? [value] : value;
  if (!Array.isArray(parts)) return text(parts, path);
  return parts.map((part) => (isJsonObject(part) ? (own(part, 'text') ?? own(part, 'content')) : part)).join('');
};

const calledFunction = fields({ name: text, arguments: jsonText });

const call: Mend = (value, path) => {
  if (!isJsonObject(value)) return calls(value, path);
  // Some servers leave out the wrapping.
  const bare = { name: value.name ?? null, arguments: value.arguments ?? value.parameters ?? value.input ?? null };
  const nested = isJsonObject(value.function) ? value.function : bare;
  return mendFields({ ...value, function: nested }, callMends, path);
};

const callMends = {
  index: count,
  id: label,
  type: nothing,
  function: calledFunction,
  extra_content: loosely(fields({})),
};

/** A list of calls as JSON is the list. */
const calls: Mend = (value, path) => {
  if (value === '') return undefined;
  const mended = list(call)(value, path);
  return Array.isArray(mended) && mended.length === 0 ? undefined : mended;
};

const deltaMends = {
  role: nothing,
  content,
  refusal: loosely(text),
  reasoning_content: loosely(thoughts),
  reasoning: loosely(thoughts),
  tool_calls: calls,
  function_call: nothing,
};

const choice: Mend = (value, path) => {
  if (!isJsonObject(value)) return undefined;
  const isWhole = !isJsonObject(value.delta) && isJsonObject(value.message);
  // Old completions have only a text.
  const said = isWhole
    ? value.message
    : (value.delta ?? (typeof value.text === 'string' ? { content: value.text } : {}));
  const delta = isJsonObject(said) ? withCalls(said, isWhole) : (said ?? null);
  return {
    index: count(value.index, path) ?? 0,
    delta: fields(deltaMends)(delta, `${path}.${isWhole ? 'message' : 'delta'}`) ?? {},
    finish_reason: reason(value.finish_reason, path) ?? (isWhole ? 'stop' : null),
  };
};

/** With calls as they are written today. Those of a whole answer are numbered, so that none joins another. */
function withCalls(said: JsonObject, isWhole: boolean): JsonObject {
  const called = said.tool_calls ?? null;
  if (called === null && isJsonObject(said.function_call)) {
    return { ...said, tool_calls: [{ index: 0, function: said.function_call }] };
  }
  if (!isWhole || !Array.isArray(called)) return said;
  return { ...said, tool_calls: called.map((one, index) => (isJsonObject(one) ? { ...one, index } : one)) };
}

const details = loosely(fields({ cached_tokens: count, reasoning_tokens: count }));

const chunkMends = {
  id: label,
  created: count,
  model: label,
  object: nothing,
  choices: ((value, path) => (value === '' ? [] : (list(choice)(value, path) ?? []))) satisfies Mend,
  usage: loosely(
    fields({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: details,
      completion_tokens_details: details,
    }),
  ),
};

function fromOllama(value: JsonObject): JsonObject {
  const {
    message,
    done,
    done_reason: why = 'stop',
    prompt_eval_count: read,
    eval_count: written,
    error = null,
  } = value;
  const { thinking = null, ...delta } = isJsonObject(message) ? message : {};
  return {
    choices: [{ delta: { ...delta, reasoning_content: thinking }, finish_reason: done === true ? why : null }],
    usage: read === undefined ? null : { prompt_tokens: read, completion_tokens: written ?? 0 },
    error,
  };
}
