import { isJsonObject, type JsonObject, objectsIn } from '../../lib/json.ts';
import type { Dialect, Reading } from './dialect.ts';
import { count, faultIn, jsonText, label, type Mend, mendFields, text } from './mends.ts';

/** The protocol of OpenAI's Responses API, also where a whole response comes in place of a stream. */
export function responsesApi(): Dialect {
  let hasEnded = false;

  function readEvent(value: JsonObject, name: string | undefined): Reading | undefined {
    const type = typeof value.type === 'string' ? value.type : name;
    if (type === undefined || !/^response\./.test(type)) return undefined;
    const response = isJsonObject(value.response) ? value.response : undefined;
    if (type === 'response.failed' && isJsonObject(response?.error)) {
      return { chunks: [], fault: faultIn({ error: response.error }, name) };
    }
    const isEnd = ends.includes(type);
    hasEnded ||= isEnd;
    return { chunks: [mendFields({ ...value, type }, { ...mends, response: responseOf })], isEnd };
  }

  return {
    read(value, name) {
      const isWhole = value.object === 'response' && Array.isArray(value.output);
      const fault = isWhole && value.error === null ? undefined : faultIn(value, name);
      if (fault !== undefined) return { chunks: [], fault };
      if (!isWhole) return readEvent(value, name);
      const chunks = eventsOf(value).flatMap((event) => readEvent(event, undefined)?.chunks ?? []);
      return { chunks, isEnd: true };
    },
    close: () => (hasEnded ? [] : undefined),
  };
}

const ends = ['response.completed', 'response.incomplete', 'response.failed'];

const usage: Mend = (value, path) => {
  if (!isJsonObject(value)) return undefined;
  const { input_tokens_details: _read, output_tokens_details: _written, ...plain } = value;
  const mended = mendFields(plain, { input_tokens: count, output_tokens: count, total_tokens: count }, path);
  if (mended.input_tokens === undefined || mended.output_tokens === undefined) return undefined;
  const cached = isJsonObject(value.input_tokens_details)
    ? count(value.input_tokens_details.cached_tokens, path)
    : undefined;
  return cached === undefined ? mended : { ...mended, input_tokens_details: { cached_tokens: cached } };
};

const responseOf: Mend = (value, path) => (isJsonObject(value) ? mendFields(value, { usage }, path) : value);

const deltaOf: Mend = (value, path) => (value === undefined ? undefined : (text(value, path) ?? ''));

const itemOf: Mend = (value, path) => {
  if (!isJsonObject(value) || value.type !== 'function_call') return value;
  const call = mendFields(value, { id: label, call_id: label, name: text, arguments: jsonText }, path);
  const id = call.id ?? call.call_id ?? 'call';
  return { arguments: '', ...call, id, call_id: call.call_id ?? id };
};

const mends = { output_index: count, delta: deltaOf, item: itemOf, arguments: jsonText };

/** The events of a whole response. */
function eventsOf(response: JsonObject): readonly JsonObject[] {
  const { id = 'response', created_at = 0, model = '', status, output = [] } = response;
  const items = objectsIn(output).flatMap((item, output_index): JsonObject[] => {
    const item_id = item.id ?? `item_${output_index}`;
    const whole = { ...item, id: item_id };
    const begun = item.type === 'function_call' ? { ...whole, arguments: '' } : whole;
    const said = item.type === 'message' ? objectsIn(item.content).map((part) => part.text ?? part.refusal ?? '') : [];
    return [
      { type: 'response.output_item.added', output_index, item: begun },
      ...said.map((delta) => ({ type: 'response.output_text.delta', item_id, output_index, delta })),
      { type: 'response.output_item.done', output_index, item: whole },
    ];
  });
  const type = status === 'incomplete' ? 'response.incomplete' : 'response.completed';
  return [{ type: 'response.created', response: { id, created_at, model } }, ...items, { type, response }];
}
