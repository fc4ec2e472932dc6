import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ToolDefinition, TurnPart } from '../../transcript.ts';
import { type CallIds, createCallIds, toolName } from '../call-names.ts';
import type { ModelDescription, ModelImage, ModelMessage, ModelRequest } from '../language-model.ts';
import { normaliseSchema, type SchemaStrategy } from '../schema.ts';

/** Writes the bodies of requests to one model. */
export interface BodyWriter {
  /** UTF-8. The definitions of the same tools are written once, and their bytes used again. */
  write(request: ModelRequest): Uint8Array;
}

/** The data of this protocol in parts of a conversation. */
export const ownKey = 'openai_compatible';

/**
 * Requests for a stream, in the form of OpenAI's chat completions. What nobody has set is left out: servers refuse what they do
 * not know.
 */
export function createBodyWriter(
  { name, maxOutputTokens, reasoning }: ModelDescription,
  strategy: SchemaStrategy,
): BodyWriter {
  const limit = maxOutputTokens === undefined ? '' : `,"max_tokens":${maxOutputTokens}`;
  const effort = reasoning === undefined ? '' : `,"reasoning_effort":"${reasoning}"`;
  const head = `{"model":${JSON.stringify(name)}${limit}${effort},"messages":[`;
  const definitions = new WrittenTools(strategy);
  return {
    write({ system, messages, tools }) {
      const ids = createCallIds();
      const written = messages.map((message) => messageText(message, ids)).join('');
      const text = `${head}{"role":"system","content":${JSON.stringify(system)}}${written}]`;
      return Buffer.concat([Buffer.from(text), ...(tools.length === 0 ? [] : [definitions.bytesOf(tools)]), end]);
    },
  };
}

const end = Buffer.from(',"stream":true,"stream_options":{"include_usage":true}}');

interface WrittenTool {
  readonly name: string;
  readonly description: string;
  readonly text: string;
}

/** The definitions of tools as they were written last. */
class WrittenTools {
  readonly #strategy: SchemaStrategy;
  /** By their schemas, which stay the same objects. */
  readonly #written = new WeakMap<JsonObject, WrittenTool>();
  #texts: readonly string[] = [];
  #bytes: Uint8Array = Buffer.of();

  constructor(strategy: SchemaStrategy) {
    this.#strategy = strategy;
  }

  bytesOf(tools: readonly ToolDefinition[]): Uint8Array {
    const texts = tools.map((tool) => this.#textOf(tool));
    const isSame = texts.length === this.#texts.length && texts.every((text, at) => text === this.#texts[at]);
    if (!isSame) {
      this.#texts = texts;
      this.#bytes = Buffer.from(`,"tools":[${texts.join(',')}],"tool_choice":"auto"`);
    }
    return this.#bytes;
  }

  #textOf({ name, description, parameters }: ToolDefinition): string {
    const known = this.#written.get(parameters);
    if (known?.name === name && known.description === description) return known.text;
    const schema = normaliseSchema(parameters, this.#strategy);
    const text = JSON.stringify({ type: 'function', function: { name, description, parameters: schema } });
    this.#written.set(parameters, { name, description, text });
    return text;
  }
}

/** With the comma before each message; a turn may have nothing to say here. */
function messageText(message: ModelMessage, ids: CallIds): string {
  switch (message.role) {
    case 'user':
      return `,{"role":"user","content":${userContent(message.text, message.images)}}`;
    case 'assistant':
      return turnText(message.parts, ids);
    case 'results':
      return message.results
        .map(({ modelCallId, text }) => {
          const id = JSON.stringify(ids.forResult(modelCallId));
          return `,{"role":"tool","tool_call_id":${id},"content":${JSON.stringify(text)}}`;
        })
        .join('');
  }
}

function userContent(text: string, images: readonly ModelImage[] | undefined): string {
  if (images === undefined || images.length === 0) return JSON.stringify(text);
  const pictures = images.map(({ mediaType, bytes: { buffer, byteOffset, byteLength } }) => {
    const url = `data:${mediaType};base64,${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;
    return `,{"type":"image_url","image_url":{"url":"${url}"}}`;
  });
  return `[{"type":"text","text":${JSON.stringify(text)}}${pictures.join('')}]`;
}

/** The thoughts of another provider are left out; a turn may have held nothing else. */
function turnText(parts: readonly TurnPart[], ids: CallIds): string {
  ids.beginTurn();
  let [text, thoughts] = ['', ''];
  let isEmpty = true;
  const calls: string[] = [];
  for (const part of parts) {
    if (part.type === 'reasoning' && !isJsonObject(part.provider?.[ownKey])) continue;
    isEmpty = false;
    if (part.type === 'text') text += part.text;
    else if (part.type === 'reasoning') thoughts += part.text;
    else calls.push(callText(part, ids));
  }
  if (isEmpty) return '';
  const content = JSON.stringify(text === '' && calls.length > 0 ? null : text);
  const reasoning = thoughts === '' ? '' : `,"reasoning_content":${JSON.stringify(thoughts)}`;
  const called = calls.length === 0 ? '' : `,"tool_calls":[${calls.join(',')}]`;
  return `,{"role":"assistant","content":${content}${reasoning}${called}}`;
}

function callText(call: Extract<TurnPart, { type: 'call' }>, ids: CallIds): string {
  // Servers accept only an object. Anything else the model wrote is shown to it as a member.
  const given = isJsonObject(call.arguments) ? call.arguments : { invalid_arguments: call.arguments };
  const own = call.provider?.[ownKey];
  const signature = isJsonObject(own) ? own.thoughtSignature : undefined;
  return JSON.stringify({
    id: ids.forCall(call.modelCallId),
    type: 'function',
    function: { name: toolName(call.name), arguments: JSON.stringify(given) },
    // Gemini refuses a call whose signature does not come back.
    extra_content:
      typeof signature === 'string' && signature !== '' ? { google: { thought_signature: signature } } : undefined,
  });
}
