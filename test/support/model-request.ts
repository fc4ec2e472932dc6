import type { ChatCompletionRequest } from '@copilotkit/aimock';

import { withoutTimes } from './time-lines.ts';

/** What the model is asked, as a test wants to read it. */
export interface ModelRequest {
  readonly messages: readonly RequestMessage[];
  /** The text of the last message of a user; empty if there is none. */
  readonly lastUserText: string;
  /** The tool results that the request ends with, the oldest first. */
  readonly lastResults: readonly string[];
  /** The whole body, as it came. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface RequestMessage {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** Which call it is the result of. */
  readonly callId?: string;
}

/** Reads a body of OpenAI's chat completions. */
export function readModelRequest(body: ChatCompletionRequest): ModelRequest {
  const messages = body.messages.map(readMessage);
  const beforeResults = messages.findLastIndex(({ role }) => role !== 'tool');
  return {
    messages,
    lastUserText: messages.findLast(({ role }) => role === 'user')?.text ?? '',
    lastResults: messages.slice(beforeResults + 1).map(({ text }) => text),
    // What begins with _ is the mock's own.
    body: Object.fromEntries(Object.entries(body).filter(([key]) => !key.startsWith('_'))),
  };
}

function readMessage(message: ChatCompletionRequest['messages'][number]): RequestMessage {
  const { role, content, tool_calls: calls = [], tool_call_id: callId } = message;
  const whole = typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  const text = role === 'user' ? withoutTimes(whole) : whole;
  return {
    role,
    text,
    calls: calls.map((call) => ({ id: call.id, name: call.function.name, arguments: call.function.arguments })),
    ...(callId !== undefined && { callId }),
  };
}
