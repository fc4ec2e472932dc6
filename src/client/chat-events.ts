import { isJson, type Json, textOf } from './json.ts';

/** A question to the person: answer it with `decide(id, choice.id)`. */
export interface ApprovalRequest {
  readonly id: string;
  /** The tool that wants to run, or that asks. */
  readonly tool: string;
  /** What is asked, as markdown. */
  readonly message: string;
  readonly choices: readonly { readonly id: string; readonly label: string }[];
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
  const text = (key: string): string => textOf(frame[key]);
  switch (frame.type) {
    case 'chunk':
      events.onText?.(text('content'));
      return;
    case 'chunk_reset':
      events.onReset?.();
      return;
    case 'thinking':
      events.onThinking?.(text('content'));
      return;
    case 'done':
      events.onDone?.(text('full_response'), frame.waiting === true);
      return;
    case 'aborted':
      events.onAborted?.();
      return;
    case 'error':
      events.onError?.({ code: text('code'), message: text('message') });
      return;
    case 'tool_call':
      events.onToolCall?.({
        id: text('id'),
        name: text('name'),
        args: isJson(frame.args) ? frame.args : {},
      });
      return;
    case 'tool_result': {
      const [id, name, output] = [text('id'), text('name'), text('output')];
      events.onToolResult?.({ id, name, output, succeeded: frame.success !== false });
      return;
    }
    case 'approval_request':
      events.onApproval?.(approvalOf(frame));
      return;
    case 'approval_resolved':
      events.onApprovalResolved?.({ id: text('id'), message: text('message') });
      return;
    case 'tools_registered': {
      const rejected = listOf(frame.rejected);
      if (rejected.length > 0) events.onRejected?.(rejected);
    }
  }
}

function approvalOf(frame: Json): ApprovalRequest {
  const choices = listOf(frame.choices).map((choice) => ({
    id: textOf(choice.id),
    label: textOf(choice.label),
  }));
  return { id: textOf(frame.id), tool: textOf(frame.tool), message: textOf(frame.message), choices };
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}
