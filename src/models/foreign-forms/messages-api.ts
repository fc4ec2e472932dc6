import { isJsonObject, type JsonObject, objectsIn } from '../../lib/json.ts';
import type { Dialect, Reading } from './dialect.ts';
import {
  count,
  countOrZero,
  faultIn,
  fields,
  jsonObject,
  jsonText,
  label,
  type Mend,
  mendFields,
  text,
} from './mends.ts';

/** The protocol of Anthropic's Messages API, also of servers that answer with one message in place of a stream. */
export function messagesApi(): Dialect {
  return new MessagesDialect();
}

class MessagesDialect implements Dialect {
  readonly #open = new Set<number>();
  #lastIndex = 0;
  #hasCalls = false;
  #end: 'none' | 'reason' | 'stop' = 'none';

  read(value: JsonObject, name: string | undefined): Reading | undefined {
    const fault = faultIn(value, name);
    if (fault !== undefined) return { chunks: [], fault };
    if (value.type !== 'message' || !Array.isArray(value.content)) return this.#readEvent(value, name);
    const chunks = eventsOf(value).flatMap((event) => this.#readEvent(event, undefined)?.chunks ?? []);
    return { chunks, isEnd: true };
  }

  close(isDone: boolean): readonly JsonObject[] | undefined {
    switch (this.#end) {
      case 'stop':
        return [];
      case 'reason':
        return [{ type: 'message_stop' }];
      case 'none':
        return isDone ? [...this.#stops(), this.#lastWords(), { type: 'message_stop' }] : undefined;
    }
  }

  #readEvent(value: JsonObject, name: string | undefined): Reading | undefined {
    const type = typeof value.type === 'string' ? value.type : name;
    switch (type) {
      case 'ping':
        return { chunks: [] };
      case 'message_start':
        return { chunks: [{ type, message: started(value.message ?? {}, 'message') ?? {} }] };
      case 'content_block_start': {
        const block = blockOf(value.content_block ?? null, 'content_block');
        if (!isJsonObject(block)) return { chunks: [] };
        const index = this.#indexOf(value);
        this.#open.add(index);
        this.#hasCalls ||= block.type === 'tool_use';
        const content_block = block.type === 'tool_use' ? { id: `call_${index}`, ...block } : block;
        return { chunks: [{ type, index, content_block }] };
      }
      case 'content_block_delta': {
        const delta = deltaOf(value.delta ?? null, 'delta');
        return { chunks: isJsonObject(delta) ? [{ type, index: this.#indexOf(value), delta }] : [] };
      }
      case 'content_block_stop':
        this.#open.delete(this.#indexOf(value));
        return { chunks: [{ type, index: this.#indexOf(value) }] };
      case 'message_delta': {
        const chunk = mendFields({ delta: {}, usage: {}, ...value, type }, { delta: ended, usage: written });
        const isEnd = isJsonObject(chunk.delta) && typeof chunk.delta.stop_reason === 'string';
        if (isEnd) this.#end = 'reason';
        return { chunks: [...this.#stops(), chunk], isEnd };
      }
      case 'message_stop':
        if (this.#end === 'none') return { chunks: [...this.#stops(), this.#lastWords(), { type }], isEnd: true };
        this.#end = 'stop';
        return { chunks: [{ type }], isEnd: true };
      default:
        return undefined;
    }
  }

  #indexOf({ index }: JsonObject): number {
    const said = count(index, 'index');
    if (typeof said === 'number') this.#lastIndex = said;
    return this.#lastIndex;
  }

  /** A call counts only once its block has ended. */
  #stops(): JsonObject[] {
    const chunks = [...this.#open].map((index) => ({ type: 'content_block_stop', index }));
    this.#open.clear();
    return chunks;
  }

  #lastWords(): JsonObject {
    this.#end = 'stop';
    const delta = { stop_reason: this.#hasCalls ? 'tool_use' : 'end_turn' };
    return { type: 'message_delta', delta, usage: { output_tokens: 0 } };
  }
}

/** The events of a whole message. */
function eventsOf(message: JsonObject): readonly JsonObject[] {
  const { content = [], stop_reason: reason = null, usage = {}, ...rest } = message;
  const blocks = objectsIn(content).flatMap((block, index): JsonObject[] => {
    const { text: said = '', thinking = '', signature = null, input = null, ...bare } = block;
    const begin = { type: 'content_block_start', index, content_block: { ...bare, text: '', thinking: '' } };
    const delta = (fields: JsonObject): JsonObject => ({ type: 'content_block_delta', index, delta: fields });
    const deltas = [
      said === '' ? [] : [delta({ type: 'text_delta', text: said })],
      thinking === '' ? [] : [delta({ type: 'thinking_delta', thinking })],
      signature === null ? [] : [delta({ type: 'signature_delta', signature })],
      input === null ? [] : [delta({ type: 'input_json_delta', partial_json: input })],
    ];
    return [begin, ...deltas.flat(), { type: 'content_block_stop', index }];
  });
  const hasCalls = objectsIn(content).some(({ type }) => type === 'tool_use');
  const stop_reason = reason ?? (hasCalls ? 'tool_use' : 'end_turn');
  return [
    { type: 'message_start', message: { ...rest, content: [], usage } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason }, usage },
    { type: 'message_stop' },
  ];
}

const usageMends = { cache_creation_input_tokens: count, cache_read_input_tokens: count };

/** What the package insists on is 0 where the server does not say it. */
const usage =
  (mends: Readonly<Record<string, Mend>>): Mend =>
  (value, path) =>
    mendFields(isJsonObject(value) ? value : {}, { ...usageMends, ...mends }, path);

const written = usage({ input_tokens: count, output_tokens: countOrZero });

const started = fields({ id: label, model: label, usage: usage({ input_tokens: countOrZero }) });

const ended: Mend = (value, path) =>
  mendFields(isJsonObject(value) ? value : {}, { stop_reason: label, stop_sequence: label }, path);

const textOrNone: Mend = (value, path) => text(value, path) ?? '';

const blockOf: Mend = (value, path) => {
  if (!isJsonObject(value)) return undefined;
  switch (value.type) {
    case 'text':
      return { type: 'text', text: textOrNone(value.text, `${path}.text`) ?? '' };
    case 'thinking':
      return { type: 'thinking', thinking: textOrNone(value.thinking, `${path}.thinking`) ?? '' };
    case 'tool_use': {
      const { text: _text, thinking: _thinking, ...call } = value;
      return mendFields(call, { id: label, name: text, input: jsonObject }, path);
    }
    default:
      return value;
  }
};

const deltaMends = {
  input_json_delta: { partial_json: ((value, path) => jsonText(value, path) ?? '') satisfies Mend },
  text_delta: { text: textOrNone },
  thinking_delta: { thinking: textOrNone },
} as const;

const deltaOf: Mend = (value, path) => {
  if (!isJsonObject(value)) return undefined;
  const inferred = 'partial_json' in value ? 'input_json_delta' : 'text' in value ? 'text_delta' : undefined;
  const type = value.type ?? inferred;
  if (type !== 'input_json_delta' && type !== 'text_delta' && type !== 'thinking_delta') return type && value;
  return mendFields({ ...value, type }, deltaMends[type], path);
};
