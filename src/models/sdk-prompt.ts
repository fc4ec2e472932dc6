import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { TurnPart } from '../transcript.ts';
import type {
  AnswerPart,
  ModelEvent,
  ModelImage,
  ModelMessage,
  ModelRequest,
  ModelToolResult,
} from './language-model.ts';

export interface PromptOptions {
  /** The key of the provider's own data: `anthropic`. Data of other providers is not sent to it. */
  readonly providerKey: string;
  /**
   * Set on the system text (which caches the tools too), the last message, and the last one of the previous request.
   */
  readonly cacheMark?: SharedV4ProviderOptions | undefined;
}

/** The request in the packages' form: the system text, then the messages, each result after its call. */
export function toSdkPrompt(request: ModelRequest, options: PromptOptions): LanguageModelV4Prompt {
  const ids = createCallIds();
  const messages = request.messages.flatMap((message) => toSdkMessage(message, options.providerKey, ids));
  const prompt: LanguageModelV4Prompt = [{ role: 'system', content: request.system }, ...messages];
  const { cacheMark } = options;
  if (cacheMark === undefined) return prompt;

  // The end of the previous request is marked too: a provider searches its cache only a few blocks back from a mark.
  const before = prompt.findLastIndex(({ role }) => role === 'assistant') - 1;
  const marked = [0, before, prompt.length - 1];
  return prompt.map((message, at) => (marked.includes(at) ? { ...message, providerOptions: cacheMark } : message));
}

function toSdkMessage(message: ModelMessage, providerKey: string, ids: CallIds): LanguageModelV4Message[] {
  switch (message.role) {
    case 'user':
      return [
        { role: 'user', content: [{ type: 'text', text: message.text }, ...(message.images ?? []).map(toSdkImage)] },
      ];
    case 'assistant': {
      ids.beginTurn();
      const content = message.parts.flatMap((part) => toSdkParts(part, providerKey, ids));
      // It may have held only thoughts of another provider.
      return content.length === 0 ? [] : [{ role: 'assistant', content }];
    }
    case 'results':
      return [{ role: 'tool', content: message.results.map((result) => toSdkResult(result, ids)) }];
  }
}

type CallIds = ReturnType<typeof createCallIds>;

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];

function toSdkImage({ mediaType, bytes }: ModelImage): UserPart {
  return { type: 'file', mediaType, data: { type: 'data', data: bytes } };
}

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

function toSdkParts(part: TurnPart, providerKey: string, ids: CallIds): AssistantPart[] {
  const own = ownData(part.provider, providerKey);
  const providerOptions = own === undefined ? {} : { providerOptions: { [providerKey]: own } };
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...providerOptions }];
    case 'reasoning':
      // Thoughts are signed or stored for their provider; no other can use them.
      return own === undefined ? [] : [{ type: 'reasoning', text: part.text, ...providerOptions }];
    case 'call':
      return [
        {
          type: 'tool-call',
          toolCallId: ids.forCall(part.modelCallId),
          toolName: toolName(part.name),
          // Providers accept only an object. Anything else the model wrote is shown to it as a member.
          input: isJsonObject(part.arguments) ? part.arguments : { invalid_arguments: part.arguments },
          ...providerOptions,
        },
      ];
  }
}

type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];

function toSdkResult(result: ModelToolResult, ids: CallIds): ToolPart {
  return {
    type: 'tool-result',
    toolCallId: ids.forResult(result.modelCallId),
    toolName: toolName(result.name),
    output: { type: result.isError ? 'error-text' : 'text', value: result.text },
  };
}

function ownData(provider: JsonObject | undefined, providerKey: string): SharedV4ProviderOptions[string] | undefined {
  const own = provider?.[providerKey];
  // A copy, because the packages' types allow them to change it.
  return isJsonObject(own) ? JSON.parse(JSON.stringify(own)) : undefined;
}

/**
 * Makes call ids that every provider accepts. Models give ids that are unique only within a turn, and providers allow
 * different characters; an id must occur only once in a request.
 */
function createCallIds() {
  const used = new Set<string>();
  let ofTurn = new Map<string, string>();

  function beginTurn(): void {
    ofTurn = new Map();
  }

  function forCall(modelCallId: string): string {
    const wanted = modelCallId.replace(/[^\w-]/g, '_').slice(0, longestId) || 'call';
    let id = wanted;
    for (let count = 2; used.has(id); count += 1) id = `${wanted}_${count}`;
    used.add(id);
    ofTurn.set(modelCallId, id);
    return id;
  }

  function forResult(modelCallId: string): string {
    return ofTurn.get(modelCallId) ?? modelCallId;
  }

  return { beginTurn, forCall, forResult };
}

/**
 * A name that every provider accepts. The model may have called a tool that does not exist, by any name; if the
 * provider refused it, it would refuse every later request of the conversation too.
 */
function toolName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, longestName) || 'unnamed';
}

/** The maximum that all providers accept. */
const longestName = 64;

/** OpenAI accepts 64 characters; the rest is room for a counter. */
const longestId = 56;

type Reasoning = LanguageModelV4CallOptions['reasoning'];

/**
 * The request with the thoughts that its model accepts, the reasoning effort, and the mark for the answer's own
 * thoughts. Anthropic accepts thoughts only from the same model, and none if it does not think; a model that thinks may
 * continue only after calls that it made while thinking. So other thoughts are removed, and if the last calls were made
 * by another model, or without thinking, this request is answered without thinking. Other providers accept whatever
 * they stored.
 */
export function withFittingThoughts(
  request: ModelRequest,
  {
    providerKey,
    name,
    reasoning,
  }: { readonly providerKey: string; readonly name: string; readonly reasoning: Reasoning },
) {
  if (providerKey !== 'anthropic') return { request, reasoning, mark: undefined };
  const mark = markOf(name, reasoning);
  const thinks = reasoning !== undefined && reasoning !== 'none';
  // Thoughts stored before marks existed are sent to a model that thinks: only such models had any.
  const fits = ({ provider }: TurnPart): boolean =>
    provider?.thinker === mark || (thinks && provider?.thinker === undefined && provider?.anthropic !== undefined);
  if (!thinks) return { request: keeping(request, (part) => reasoning !== 'none' && fits(part)), reasoning, mark };
  const last = request.messages.findLast((message) => message.role === 'assistant');
  if (last !== undefined && !mayGoOn(last.parts, fits)) {
    return { request: keeping(request, () => false), reasoning: 'none' as const, mark: markOf(name, 'none') };
  }
  return { request: keeping(request, fits), reasoning, mark };
}

/** Marks the answer's thoughts and calls with the model and whether it was thinking. */
export function marked(event: ModelEvent, mark: string | undefined): ModelEvent {
  if (event.type !== 'finish' || mark === undefined) return event;
  const parts = event.answer.parts.map(
    (part): AnswerPart => (part.type === 'text' ? part : { ...part, provider: { ...part.provider, thinker: mark } }),
  );
  return { ...event, answer: { ...event.answer, parts } };
}

function markOf(name: string, reasoning: Reasoning): string {
  return `${name} ${reasoning === undefined || reasoning === 'none' ? (reasoning ?? 'default') : 'thinking'}`;
}

/** Whether a model that thinks may continue: after text, its own thoughts, or its own calls. */
function mayGoOn(parts: readonly TurnPart[], fits: (part: TurnPart) => boolean): boolean {
  const [first] = parts;
  if (first?.type === 'reasoning' && fits(first)) return true;
  const calls = parts.filter(({ type }) => type === 'call');
  return calls.every((call) => call.provider?.thinker !== undefined && fits(call));
}

function keeping(request: ModelRequest, keeps: (part: TurnPart) => boolean): ModelRequest {
  const messages = request.messages.map((message): ModelMessage => {
    if (message.role !== 'assistant') return message;
    return { ...message, parts: message.parts.filter((part) => part.type !== 'reasoning' || keeps(part)) };
  });
  return { ...request, messages };
}
