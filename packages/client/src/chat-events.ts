import { isJson, type Json, textOf } from './json.ts';

/** A question to the person: answer it with `decide(id, choice.id)`. */
export interface ApprovalRequest {
  readonly id: string;
  /** May a call run · an answer to a question · may a run continue past a limit. */
  readonly kind: 'call' | 'question' | 'extension';
  /** The tool to run, or the tool that asks. */
  readonly tool: string;
  /** The tool's category, such as `hardware`. Set for calls, like `arguments`. */
  readonly category?: string;
  /** All arguments, with hidden characters revealed. */
  readonly arguments?: Json;
  /** Why approval is needed, as half a sentence of markdown. */
  readonly reason: string;
  /** The effect of the call, as one line of markdown. */
  readonly description: string;
  /** The name of the person who started the run. */
  readonly requester: string;
  /** Time until it expires, in ms. */
  readonly expiresMs?: number;
  /** The question, as markdown. */
  readonly message: string;
  readonly choices: readonly ApprovalChoice[];
}

/** One possible answer to an approval. */
export interface ApprovalChoice {
  readonly id: string;
  readonly label: string;
  readonly style: 'primary' | 'danger' | 'plain';
  /** It needs a text, under this heading: `decide(id, choice.id, text)`. */
  readonly asks?: string;
}

/** Event handlers, all optional. */
export interface ChatEvents {
  /** A piece of the answer. */
  onText?(delta: string): void;
  /** The text shown so far is void: it is sent again, or is the text of `onDone`. */
  onReset?(): void;
  onThinking?(delta: string): void;
  /** The answer is complete. `waiting`: it continues after the person has decided. */
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
  /** Without this handler, approvals are shown as text. */
  onApproval?(request: ApprovalRequest): void;
  onApprovalResolved?(resolved: { readonly id: string; readonly message: string }): void;
  /** Tools that the server refused. */
  onRejected?(rejected: readonly Json[]): void;
  /** Every frame, including those without an event of their own. */
  onFrame?(frame: Json): void;
}

/** Calls the handlers for a frame. */
export function tell(frame: Json, events: ChatEvents): void {
  events.onFrame?.(frame);
  const type = textOf(frame.type);
  if (Object.hasOwn(tellers, type)) tellers[type]?.(frame, events);
}

type Teller = (frame: Json, events: ChatEvents) => void;

/** The handler of each frame type. */
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
    category: typeof category === 'string' ? category : undefined,
    arguments: isJson(args) ? args : undefined,
    expiresMs: typeof expiresMs === 'number' ? expiresMs : undefined,
  };
}

function choiceOf({ id, label, style, asks }: Json): ApprovalChoice {
  return {
    id: textOf(id),
    label: textOf(label),
    style: oneOf(style, ['plain', 'primary', 'danger']),
    asks: typeof asks === 'string' ? asks : undefined,
  };
}

/** The first word, if the value is none of them. */
function oneOf<Word extends string>(value: unknown, words: readonly [Word, ...Word[]]): Word {
  return words.find((word) => word === value) ?? words[0];
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}
