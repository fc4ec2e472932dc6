import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { TurnPart } from '../transcript.ts';
import type { ModelMessage, ModelRequest } from './language-model.ts';

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
