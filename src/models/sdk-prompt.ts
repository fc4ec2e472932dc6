import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { TurnPart } from '../transcript.ts';
import { type CallIds, createCallIds, toolName } from './call-names.ts';
import type { ModelImage, ModelMessage, ModelRequest, ModelToolResult } from './language-model.ts';

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
