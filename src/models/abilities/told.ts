/*
 * What the answers of model servers say of a model: pure readers, one for each kind of answer. They take any JSON, believe
 * only what has the right form, and are undefined for what is not an answer of that kind.
 */

import { isJsonObject, type JsonObject, type JsonValue, objectsIn, own, valueAt } from '../../lib/json.ts';

/** What a server says of a model. A missing field: it does not say. */
export interface Told {
  /** The kind of server: `Ollama`. */
  readonly server?: string | undefined;
  /** The largest request together with its answer, in tokens, as it is served. */
  readonly window?: number | undefined;
  /** The window is the server's usual one: it tells the real one once it has loaded the model. */
  readonly isUntilLoaded?: boolean;
  readonly tools?: boolean | undefined;
  readonly images?: boolean | undefined;
}

/** Of `GET /models`, in OpenAI's form or one like it: what it says of the model of this name, or of its only one. */
export function readModelList(body: JsonValue | undefined, name: string): Told | undefined {
  const list = isJsonObject(body) ? (body.data ?? body.models) : body;
  if (!Array.isArray(list)) return undefined;
  const entries = objectsIn(list);
  const entry = entryOf(entries, name);
  const owner = text(entry?.owned_by) ?? text(entries[0]?.owned_by) ?? '';
  const server = owners.find(([form]) => form.test(owner))?.[1];
  if (entry === undefined) return { server };
  return { server, window: listedWindow(entry), tools: listedTools(entry), images: listedImages(entry) };
}

/** What servers write as the owner of a model. */
const owners = [
  [/^llama\.?cpp$/i, 'llama.cpp'],
  [/^library$/i, 'Ollama'],
  [/^organization[_-]owner$/i, 'LM Studio'],
  [/^vllm$/i, 'vLLM'],
  [/^sglang$/i, 'SGLang'],
] as const;

function entryOf(entries: readonly JsonObject[], name: string): JsonObject | undefined {
  const wanted = name.toLowerCase();
  const ids = (entry: JsonObject): readonly string[] =>
    ['id', 'name', 'model', 'key'].flatMap((key) => text(own(entry, key))?.toLowerCase() ?? []);
  const exact = entries.find((entry) => ids(entry).includes(wanted));
  const near = entries.find((entry) => ids(entry).some((id) => id === `models/${wanted}` || id === `${wanted}:latest`));
  // A server with one model ignores its name.
  return exact ?? near ?? (entries.length === 1 ? entries[0] : undefined);
}

function listedWindow(entry: JsonObject): number | undefined {
  const places = [
    ['top_provider', 'context_length'],
    ['meta', 'n_ctx'],
    ['parameters', 'max_seq_len'],
    ['capabilities', 'limits', 'max_context_window_tokens'],
    ...windowKeys.map((key) => [key]),
  ];
  return places.map((path) => count(valueAt(entry, path))).find((window) => window !== undefined);
}

/** vLLM and SGLang · OpenRouter, Together, Moonshot · Groq · Mistral · Gemini · others. */
const windowKeys = [
  'max_model_len',
  'context_length',
  'context_window',
  'max_context_length',
  'inputTokenLimit',
  'input_token_limit',
  'max_input_tokens',
  'max_seq_len',
];

function listedTools(entry: JsonObject): boolean | undefined {
  const { supported_parameters: parameters, capabilities } = entry;
  // OpenRouter lists all that a model takes.
  if (Array.isArray(parameters) && parameters.length > 0) return parameters.includes('tools');
  if (isJsonObject(capabilities))
    return firstFlag(isJsonObject(capabilities.supports) ? capabilities.supports : capabilities, [
      'function_calling',
      'tool_calling',
      'tool_calls',
      'tools',
      'tool_use',
      'trained_for_tool_use',
    ]);
  const flag = firstFlag(entry, ['supports_tools', 'supports_function_calling', 'supports_tool_calling']);
  // A list of abilities may be short of some: llama.cpp's says nothing of tools.
  const isListed = abilitiesIn(entry).some((word) =>
    /^(?:tools?|tool[-_](?:use|call(?:s|ing)?)|function[-_]call(?:s|ing)?)$/i.test(word),
  );
  return flag ?? (isListed ? true : undefined);
}

function listedImages(entry: JsonObject): boolean | undefined {
  const modalities = valueAt(entry, ['architecture', 'input_modalities']) ?? entry.input_modalities;
  if (Array.isArray(modalities) && modalities.length > 0) return modalities.includes('image');
  const { capabilities } = entry;
  if (isJsonObject(capabilities))
    return firstFlag(isJsonObject(capabilities.supports) ? capabilities.supports : capabilities, [
      'vision',
      'image_input',
      'images',
    ]);
  const flag = firstFlag(entry, ['supports_image_in', 'supports_images', 'supports_vision']);
  const isListed = abilitiesIn(entry).some((word) => /^(?:vision|images?|image[-_]input|multimodal)$/i.test(word));
  return flag ?? (isListed || entry.type === 'vlm' ? true : undefined);
}

function abilitiesIn(entry: JsonObject): readonly string[] {
  return [entry.capabilities, entry.model_ability, entry.features].flatMap(texts);
}

/** Of llama.cpp's `GET /props`: the window is that of each of its slots. */
export function readProps(body: JsonValue | undefined): Told | undefined {
  if (!isJsonObject(body)) return undefined;
  const { default_generation_settings: settings, chat_template_caps: caps, modalities } = body;
  if (!isJsonObject(settings) && !isJsonObject(caps) && !isJsonObject(modalities)) return undefined;
  return {
    server: 'llama.cpp',
    window: count(valueAt(body, ['default_generation_settings', 'n_ctx'])) ?? count(body.n_ctx),
    tools: isJsonObject(caps) ? flag(caps.supports_tools) : undefined,
    images: isJsonObject(modalities) ? flag(modalities.vision) : undefined,
  };
}

/**
 * Of Ollama's `POST /api/show` and `GET /api/ps`. What a model could take is not what is served: that is told of a loaded
 * model; else it is the parameter `num_ctx`, or what the server takes by default, which only a variable of it changes.
 */
export function readOllama(show: JsonValue | undefined, ps: JsonValue | undefined, name: string): Told | undefined {
  if (!isJsonObject(show)) return undefined;
  const { model_info: info, capabilities, details, parameters } = show;
  if (!isJsonObject(info) && !Array.isArray(capabilities) && !isJsonObject(details)) return undefined;
  const words = texts(capabilities);
  const can = (word: string): boolean | undefined => (Array.isArray(capabilities) ? words.includes(word) : undefined);
  return { server: 'Ollama', tools: can('tools'), images: can('vision'), ...ollamaWindow() };

  function ollamaWindow(): Pick<Told, 'window' | 'isUntilLoaded'> {
    const trained = isJsonObject(info)
      ? Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1]
      : undefined;
    const largest = count(trained) ?? Number.POSITIVE_INFINITY;
    const loaded = count(entryOf(objectsIn(isJsonObject(ps) ? ps.models : undefined), name)?.context_length);
    if (loaded !== undefined) return { window: loaded };
    // It runs elsewhere, with all that it has.
    if (text(isJsonObject(show) ? show.remote_host : undefined) !== undefined) return { window: count(trained) };
    const set = count(Number(/^num_ctx\s+(\d+)/m.exec(text(parameters) ?? '')?.[1]));
    if (set !== undefined) return { window: Math.min(set, largest) };
    return { window: Math.min(ollamaDefault, largest), isUntilLoaded: true };
  }
}

/** In tokens, on a machine with less than 24 GiB of video memory: https://docs.ollama.com/context-length. */
const ollamaDefault = 4096;

/** Of LM Studio's `GET /api/v0/models/NAME`: the window is told of a loaded model; else it is the usual one. */
export function readLmStudio(body: JsonValue | undefined): Told | undefined {
  if (!isJsonObject(body)) return undefined;
  const { type, capabilities, max_context_length: largest, loaded_context_length: loaded } = body;
  if (count(largest) === undefined || (type !== 'llm' && type !== 'vlm')) return undefined;
  const isUntilLoaded = count(loaded) === undefined;
  return {
    server: 'LM Studio',
    window: count(loaded) ?? Math.min(lmStudioDefault, count(largest) ?? lmStudioDefault),
    isUntilLoaded,
    tools: Array.isArray(capabilities) ? texts(capabilities).includes('tool_use') : undefined,
    images: type === 'vlm',
  };
}

/** In tokens, unless its settings for the model say another one. */
const lmStudioDefault = 4096;

function firstFlag(object: JsonObject, keys: readonly string[]): boolean | undefined {
  return keys.map((key) => flag(own(object, key))).find((value) => value !== undefined);
}

function flag(value: JsonValue | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** A number of tokens that a window can have. */
function count(value: JsonValue | undefined): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const isWindow =
    typeof number === 'number' && Number.isSafeInteger(number) && number >= smallestWindow && number <= 100_000_000;
  return isWindow ? number : undefined;
}

/** No model that chats is served with less: it is a default that does not hold, or of another model. In tokens. */
const smallestWindow = 1024;
