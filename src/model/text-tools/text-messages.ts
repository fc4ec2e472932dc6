import { isJsonObject } from '../../lib/json.ts';
import type { TurnPart } from '../../transcript.ts';
import type { ModelMessage, ModelToolResult } from '../language-model.ts';
import { callTag, defuseTags } from './tags.ts';

type UserMessage = Extract<ModelMessage, { role: 'user' }>;
type CallPart = Extract<TurnPart, { type: 'call' }>;

/**
 * The messages with calls and results as text. What people and tools have said can't pass for either. Messages of users
 * that have come to stand next to each other are one.
 */
export function toTextMessages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const made: ModelMessage[] = [];
  let calls: readonly CallPart[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'user':
        add(made, { ...message, text: defuseTags(message.text) });
        break;
      case 'results':
        add(made, { role: 'user', text: message.results.map((result) => resultText(result, calls)).join('\n') });
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

function add(made: ModelMessage[], message: UserMessage): void {
  const last = made.at(-1);
  if (last?.role !== 'user') {
    made.push(message);
    return;
  }
  const images = [...(last.images ?? []), ...(message.images ?? [])];
  const text = `${last.text}\n\n${message.text}`;
  made[made.length - 1] = { role: 'user', text, ...(images.length === 0 ? {} : { images }) };
}

/** Thoughts as they are; then all that was said and called, in its order. */
function textParts(parts: readonly TurnPart[]): readonly TurnPart[] {
  if (!parts.some(({ type }) => type === 'call')) return parts;
  const text = parts.flatMap((part) => {
    if (part.type === 'call') return [callText(part)];
    return part.type === 'text' && part.text.trim() !== '' ? [part.text.trim()] : [];
  });
  return [...parts.filter(({ type }) => type === 'reasoning'), { type: 'text', text: text.join('\n') }];
}

/** As the model is to write it. What it wrote instead is shown to it under a name. */
function callText({ name, arguments: args }: CallPart): string {
  const call = isJsonObject(args) ? { name, arguments: args } : { name, invalid_arguments: args };
  // No text in it looks like the end of the call.
  return `${callTag.begin}${JSON.stringify(call).replaceAll('</', '<\\/')}${callTag.end}`;
}

/** The number is that of the call in the answer before. */
function resultText({ modelCallId, name, text, isError }: ModelToolResult, calls: readonly CallPart[]): string {
  const number = calls.findIndex((call) => call.modelCallId === modelCallId) + 1;
  const tool = name.replace(/[^\w.-]/g, '_').slice(0, longestName);
  const attributes = `call="${number}" name="${tool}" status="${isError ? 'error' : 'ok'}"`;
  return `<tool_result ${attributes}>\n${defuseTags(text)}\n</tool_result>`;
}

const longestName = 64;
