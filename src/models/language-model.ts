/** The port to a language model: one request, one streamed answer. Knows no loop, retries or approvals. */

import type { JsonValue } from '../lib/json.ts';
import type { ImageType } from '../lib/recognise-image.ts';
import type { InLanguage, Language } from '../lib/words.ts';
import type { AnswerEnding, ToolDefinition, TurnPart } from '../transcript.ts';
import type { SchemaStrategy } from './schema.ts';
import { modelWords } from './words.ts';

export interface LanguageModel {
  /** The name for the operator: `main (claude-…)`. */
  readonly label: string;
  /** Whether it accepts pictures. If not, none are sent. */
  readonly seesImages: boolean;
  /** What is known of it now. Its server is asked beside the work if it is time for that. */
  readonly abilities?: () => ModelAbilities;
  /** What is known of the first model of a chain, where `abilities` tells of the one that would be asked now. */
  readonly ownAbilities?: () => ModelAbilities;
  /**
   * Resolves when its server has said what it can, or cannot say it now; after 2 s at most, and at once if it was heard
   * before or is one of a provider. A request is made behind it. Never throws.
   */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
  /** Whether another model may answer what this one refuses. */
  readonly hasFallback?: boolean;
  /** Reads the request only before the first event. Throws `ModelError`; ends without `finish` when aborted. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** What a model can do, from the config or from its server. A missing field is unknown. */
export interface ModelAbilities {
  /** The largest request together with its answer, in tokens. */
  readonly window?: number;
  /**
   * `default`: what its server takes unless it is told otherwise; it tells the window once it has loaded the model · `usage`:
   * it counts this many tokens of longer requests.
   */
  readonly windowFrom?: 'config' | 'server' | 'default' | 'refusal' | 'usage';
  /** Whether it calls tools by the protocol's own means. False: it writes its calls in text, unless the config forbids that. */
  readonly tools?: boolean;
  /** `usage`: it counts too few tokens to have read them. */
  readonly toolsFrom?: 'config' | 'server' | 'refusal' | 'usage';
  readonly images?: boolean;
  readonly imagesFrom?: 'config' | 'server';
  /** The kind of its server: `Ollama`. */
  readonly server?: string;
}

/** The same model with another way to answer. What is known of it stays current. */
export function withStream(model: LanguageModel, stream: LanguageModel['stream']): LanguageModel {
  return {
    label: model.label,
    get seesImages() {
      return model.seesImages;
    },
    ...(model.abilities === undefined ? {} : { abilities: () => model.abilities?.() ?? {} }),
    ready: async (signal) => model.ready?.(signal),
    get hasFallback() {
      return model.hasFallback === true;
    },
    stream,
  };
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** In byte-stable order. */
  readonly tools: readonly ToolDefinition[];
  /** What it may call besides: not told to the model, which may know it by name. Only for who reads calls in text. */
  readonly undeclared?: readonly ToolDefinition[];
  readonly signal: AbortSignal;
  /** Of the person who is answered: for what is no model and speaks by itself. Default: English. */
  readonly language?: Language;
  /** It cannot be shortened further: if it is too long, only another model may accept it. */
  readonly isShortest?: boolean;
  /** About, in tokens, without pictures: a fallback whose window is smaller is not asked unless it cannot be shortened. */
  readonly size?: number;
  /** The labels of models that have refused a request of this size: they are not asked. */
  readonly tooLongFor?: readonly string[];
}

/** Each call of an assistant message has exactly one result in the `results` that follow directly. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly ModelImage[] }
  | { readonly role: 'assistant'; readonly parts: readonly TurnPart[] }
  | { readonly role: 'results'; readonly results: readonly ModelToolResult[] };

/** Adds a message. User messages in a row become one, since some providers refuse two. */
export function addMessage(messages: ModelMessage[], message: ModelMessage): void {
  const last = messages.at(-1);
  if (last?.role !== 'user' || message.role !== 'user') {
    messages.push(message);
    return;
  }
  const images = [...(last.images ?? []), ...(message.images ?? [])];
  const text = `${last.text}\n\n${message.text}`;
  messages[messages.length - 1] = { role: 'user', text, ...(images.length === 0 ? {} : { images }) };
}

/** A picture that follows a user's text. */
export interface ModelImage {
  /** Detected from the bytes. */
  readonly mediaType: ImageType;
  readonly bytes: Uint8Array;
}

export interface ModelToolResult {
  readonly modelCallId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  /** Never shown: if the request is retried, it comes again. */
  | { readonly type: 'reasoning'; readonly delta: string }
  /** The arguments of a call so far, while the model is writing them. */
  | {
      readonly type: 'partial-call';
      readonly modelCallId: string;
      readonly name: string;
      readonly arguments: JsonValue;
    }
  /** The answer was interrupted and is requested again: discard the calls being written. */
  | { readonly type: 'calls-withdrawn' }
  /** All text so far was thoughts: discard it, and all calls written in it. */
  | { readonly type: 'text-withdrawn' }
  /** Always the last event. */
  | { readonly type: 'finish'; readonly answer: ModelAnswer };

export interface ModelAnswer {
  /** In the order in which the model wrote them. */
  readonly parts: readonly AnswerPart[];
  readonly usage: ModelUsage;
  /** Set if it ended early. It may have no words then. */
  readonly ending?: AnswerEnding | undefined;
}

/** Whether it has neither words nor calls, and did not end early before its first; or was cut while the model still thought. */
export function isEmptyAnswer({ ending, parts }: ModelAnswer): boolean {
  const hasThoughts = parts.some(({ type }) => type === 'reasoning');
  if (ending !== undefined && !(ending === 'cut' && hasThoughts)) return false;
  return parts.every((part) => part.type !== 'call' && (part.type === 'reasoning' || part.text.trim() === ''));
}

type TurnCall = Extract<TurnPart, { type: 'call' }>;

/** A call has what the model wrote. A string that is not JSON stays a string: the tool's validation tells the model. */
export type AnswerPart = Exclude<TurnPart, TurnCall> | Omit<TurnCall, 'callId'>;

/** In tokens; 0 if the provider did not report it. */
export interface ModelUsage {
  readonly inputTokens: number;
  /** The part of the input that the provider had cached, if it reports it. */
  readonly cachedInputTokens?: number;
  readonly outputTokens: number;
  /** In millionths of the operator's currency. Set by the budget if the config has a price for the model. */
  readonly cost?: number;
  /** The key of the model that answered: it may be a fallback. */
  readonly model?: string;
}

/**
 * `transient`: it may pass, and is waited for (overload, network, a gateway, an answer that broke off) · `faulty`: the server
 * answered, but with a fault or something unreadable: two more requests at most · `auth`: the key is refused ·
 * `unavailable`: the model cannot be used there (unknown, no credit, another server answers) · `too-long`: the request
 * does not fit · `permanent`: anything else.
 */
export type ModelFault = 'transient' | 'faulty' | 'auth' | 'unavailable' | 'too-long' | 'permanent';

interface ModelErrorOptions extends ErrorOptions {
  readonly retryAfter?: number | undefined;
  readonly usage?: ModelUsage | undefined;
  readonly standIn?: string | undefined;
  readonly again?: InLanguage | undefined;
  readonly isDoubtful?: boolean | undefined;
  readonly lacksTools?: boolean | undefined;
  readonly window?: number | undefined;
  readonly size?: number | undefined;
}

/**
 * Why a model gave no answer, for the person who waits: see `saidIn`. Contains no key and no text of the conversation. The
 * message is English, for the log.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly fault: ModelFault;
  /** The wait that the provider asks for, in ms. */
  readonly retryAfter: number | undefined;
  /** The usage of the failed answer, if the provider reported it. */
  readonly usage: ModelUsage | undefined;
  /** The label of the fallback, if that failed instead of the model asked. */
  readonly standIn: string | undefined;
  /** State and cause, and what else than another try may mend it. */
  readonly wordsIn: InLanguage;
  /** The same, and what to do when it is not tried again by itself. */
  readonly saidIn: InLanguage;
  /** Whether waiting is unlikely to help: the address may be wrong. */
  readonly isDoubtful: boolean;
  /** Whether it is refused because it offers tools. */
  readonly lacksTools: boolean;
  /** Of `too-long`: the model's window, and the size that its server has counted, in tokens, if it tells them. */
  readonly window: number | undefined;
  readonly size: number | undefined;

  /** `again`: what to do when it is not tried again by itself. */
  constructor(fault: ModelFault, words: InLanguage | string, options?: ModelErrorOptions) {
    const wordsIn = typeof words === 'string' ? () => words : words;
    const saidIn: InLanguage = (language) =>
      modelWords[language].withAdvice(wordsIn(language), options?.again?.(language));
    super(saidIn('en'), options);
    this.fault = fault;
    this.wordsIn = wordsIn;
    this.saidIn = saidIn;
    this.isDoubtful = options?.isDoubtful ?? false;
    this.lacksTools = options?.lacksTools ?? false;
    this.window = options?.window;
    this.size = options?.size;
    this.retryAfter = options?.retryAfter;
    this.usage = options?.usage;
    this.standIn = options?.standIn;
  }
}

/** How hard a model thinks before it answers; mapped to the nearest setting of its provider. */
export type ReasoningEffort = 'none' | 'low' | 'medium' | 'high';

export type ModelProvider = 'anthropic' | 'openai' | 'google' | 'openai_compatible';

/** A model as the config describes it. */
export interface ModelDescription {
  /** The key in the config: `main`. */
  readonly key: string;
  readonly provider: ModelProvider;
  /** The provider's name for the model. */
  readonly name: string;
  readonly apiKey?: string;
  /** The address including the version: `http://127.0.0.1:11434/v1`. Required only for `openai_compatible`. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxOutputTokens?: number;
  /** Whether it accepts pictures. Default: what its server says, or else false for `openai_compatible`, otherwise true. */
  readonly seesImages?: boolean;
  /** Its window, in tokens. Default: what its server says. */
  readonly contextTokens?: number;
  /**
   * `text`: calls tools in the text of its answers, for models without function calling. Default: `auto`: natively, until
   * its server says that it cannot, refuses them, or ignores them.
   */
  readonly toolCalls?: 'auto' | 'native' | 'text';
  /** The part of JSON Schema it accepts. Default: that of its provider. */
  readonly schemaStrategy?: SchemaStrategy;
  /** Default: the provider's. */
  readonly reasoning?: ReasoningEffort;
  /** The longest silence before the request is aborted, in seconds. Default: 120. Beyond 280, Node gives up first. */
  readonly timeoutSecs?: number;
  /** The keys of its fallbacks, in order. */
  readonly fallback?: readonly string[];
}

/** The properties that are known before the model is opened. */
export function describeModel({ key, name, provider, seesImages }: ModelDescription) {
  return { label: `${key} (${name})`, seesImages: seesImages ?? provider !== 'openai_compatible' };
}

/** The names of models and, recursively, their fallbacks: each once, nearest first. */
export function withFallbacks(
  names: readonly string[],
  fallbacksOf: (name: string) => readonly string[],
): ReadonlySet<string> {
  const found = new Set(names);
  for (const member of found) for (const next of fallbacksOf(member)) found.add(next);
  return found;
}
