import { isJson, type Json, textOf } from './json.ts';

/** A question to the person: answer it with `decide(id, choice.id)`. */
export interface ApprovalRequest {
  readonly id: string;
  /** May a call run · what does the person say to a question · may a run go on. */
  readonly kind: 'call' | 'question' | 'extension';
  /** The tool that wants to run, or that asks. */
  readonly tool: string;
  /** What the tool touches: `hardware`. Set for a call, as are its arguments. */
  readonly category?: string;
  /** All that it is called with, hidden characters shown. */
  readonly arguments?: Json;
  /** Why it is asked for, as half a sentence of markdown. */
  readonly reason: string;
  /** What will happen, as one line of markdown. */
  readonly description: string;
  /** Whose run it is, by name. */
  readonly requester: string;
  /** In how many milliseconds it expires. */
  readonly expiresMs?: number;
  /** What is asked, as markdown. */
  readonly message: string;
  readonly choices: readonly ApprovalChoice[];
}

/** One of the answers that a question takes. */
export interface ApprovalChoice {
  readonly id: string;
  readonly label: string;
  readonly style: 'primary' | 'danger' | 'plain';
  /** It wants a text with it, under this heading: `decide(id, choice.id, text)`. */
  readonly asks?: string;
}

/** What may happen. Each is left out where it does not matter. */
export interface ChatEvents {
  /** A piece of the answer. */
  onText?(delta: string): void;
  /** What was shown of this answer is not valid any more: it comes again, or is the text of `onDone`. */
  onReset?(): void;
  onThinking?(delta: string): void;
  /** The answer is whole. `waiting`: it goes on when the person has decided. */
  onDone?(text: string, waiting: boolean): void;
  onAborted?(): void;
  onError?(error: { readonly code: string; readonly message: string }): void;
  onToolCall?(call: { readonly id: string; readonly name: string; readonly args: Json }): void;
  onToolResult?(result: {
    readonly id: string;
    readonly name: string;
    readonly output: string;
    readonly succeeded: boolean;
  }): void;
  /** If it is left out, the question is shown as text. */
  onApproval?(request: ApprovalRequest): void;
  onApprovalResolved?(resolved: { readonly id: string; readonly message: string }): void;
  /** Tools that the server did not take. */
  onRejected?(rejected: readonly Json[]): void;
  /** Every frame, also those that are known to no other event. */
  onFrame?(frame: Json): void;
}

/** Tells whom it concerns what the server says. */
export function tell(frame: Json, events: ChatEvents): void {
  events.onFrame?.(frame);
  const type = textOf(frame.type);
  if (Object.hasOwn(tellers, type)) tellers[type]?.(frame, events);
}

type Teller = (frame: Json, events: ChatEvents) => void;

/** What each frame means for a chat on the screen, by its type. */
const tellers: Readonly<Record<string, Teller>> = {
  chunk: ({ content }, events) => events.onText?.(textOf(content)),
  chunk_reset: (_frame, events) => events.onReset?.(),
  thinking: ({ content }, events) => events.onThinking?.(textOf(content)),
  done: ({ full_response: text, waiting }, events) => events.onDone?.(textOf(text), waiting === true),
  aborted: (_frame, events) => events.onAborted?.(),
  error: ({ code, message }, events) => events.onError?.({ code: textOf(code), message: textOf(message) }),
  tool_call: ({ id, name, args }, events) =>
    events.onToolCall?.({ id: textOf(id), name: textOf(name), args: isJson(args) ? args : {} }),
  tool_result: ({ id, name, output, success }, events) =>
    events.onToolResult?.({
      id: textOf(id),
      name: textOf(name),
      output: textOf(output),
      succeeded: success !== false,
    }),
  approval_request: (frame, events) => events.onApproval?.(approvalOf(frame)),
  approval_resolved: ({ id, message }, events) =>
    events.onApprovalResolved?.({ id: textOf(id), message: textOf(message) }),
  tools_registered: ({ rejected }, events) => {
    const refused = listOf(rejected);
    if (refused.length > 0) events.onRejected?.(refused);
  },
};

function approvalOf(frame: Json): ApprovalRequest {
  const { category, arguments: args, expires_ms: expiresMs } = frame;
  return {
    id: textOf(frame.id),
    kind: oneOf(frame.kind, ['call', 'question', 'extension']),
    tool: textOf(frame.tool),
    description: textOf(frame.description),
    reason: textOf(frame.reason),
    requester: textOf(frame.requester),
    message: textOf(frame.message),
    choices: listOf(frame.choices).map(choiceOf),
    ...(typeof category === 'string' ? { category } : {}),
    ...(isJson(args) ? { arguments: args } : {}),
    ...(typeof expiresMs === 'number' ? { expiresMs } : {}),
  };
}

function choiceOf({ id, label, style, asks }: Json): ApprovalChoice {
  return {
    id: textOf(id),
    label: textOf(label),
    style: oneOf(style, ['plain', 'primary', 'danger']),
    ...(typeof asks === 'string' ? { asks } : {}),
  };
}

/** The first of them, if it is none. */
function oneOf<Word extends string>(value: unknown, words: readonly [Word, ...Word[]]): Word {
  return words.find((word) => word === value) ?? words[0];
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}
