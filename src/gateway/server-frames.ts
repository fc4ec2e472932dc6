import type { JsonObject } from '../lib/json.ts';
import type { DeviceFrame, RejectedTool, ResultStatus } from '../tools/sources/remote/device-link.ts';

/** What is shown of a chat. Each gets a number when it is published: see `Replay`. */
export type ChatFrame =
  /** Something is being worked on. What follows with the same `turn_id` belongs to it, up to `done`, `aborted` or `error`. */
  | { readonly type: 'turn_start' }
  | { readonly type: 'chunk'; readonly content: string }
  | { readonly type: 'thinking'; readonly content: string }
  /** The text that was shown of this turn is not shown any more. */
  | { readonly type: 'chunk_reset' }
  /** `waiting`: it goes on when a person has decided. */
  | { readonly type: 'done'; readonly full_response: string; readonly waiting?: true }
  | { readonly type: 'aborted' }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly args: JsonObject }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly name: string;
      readonly output: string;
      readonly success: boolean;
    }
  | {
      readonly type: 'tool_status';
      readonly id: string;
      readonly name: string;
      readonly state: 'wait' | 'doing' | 'success' | 'error';
      readonly tip?: string;
      readonly duration_ms?: number;
    }
  /** A file that is shown to the person. Its bytes are to be had at the path, for a while. */
  | {
      readonly type: 'file';
      readonly id: string;
      readonly name: string;
      readonly media_type: string;
      readonly size: number;
      readonly path: string;
    }
  | ApprovalRequestFrame
  | { readonly type: 'approval_resolved'; readonly id: string; readonly message: string };

/** A question to the person. Any of its choices is sent back as it is. */
export interface ApprovalRequestFrame {
  readonly type: 'approval_request';
  readonly id: string;
  /** May a call run · what does the person say to a question · may a run go on. Left out where nobody knows any more. */
  readonly kind?: 'call' | 'question' | 'extension';
  /** The tool that wants to run, or that asks. */
  readonly tool: string;
  /** What the tool touches. This and the next two are those of a call. */
  readonly category?: string;
  /** All that it is called with, hidden characters shown. */
  readonly arguments?: JsonObject;
  /** Why it is asked for, as half a sentence of markdown. */
  readonly reason?: string;
  /** What will happen, as one line of markdown. */
  readonly description?: string;
  /** Whose run it is, by name. */
  readonly requester?: string;
  /** What is asked, with all arguments, as markdown. */
  readonly message: string;
  readonly choices: readonly {
    readonly id: string;
    readonly label: string;
    readonly style: string;
    readonly asks?: string;
  }[];
  /** In how many milliseconds it expires. */
  readonly expires_ms?: number;
}

/** What is said to one socket alone. */
export type ServerFrame =
  | {
      readonly type: 'session_start';
      readonly v: 1;
      readonly session_id: string;
      readonly resumed: boolean;
      readonly message_count: number;
      readonly seq: number;
      readonly name?: string;
      readonly persona?: string;
    }
  | { readonly type: 'connected'; readonly v: 1; readonly message: string }
  /** `complete`: nothing is missing between what the client had and what follows. */
  | { readonly type: 'replay'; readonly frames: number; readonly complete: boolean }
  | { readonly type: 'message_accepted'; readonly message_id: string }
  | {
      readonly type: 'tools_registered';
      readonly count: number;
      readonly registered: number;
      readonly accepted: readonly string[];
      readonly rejected: readonly RejectedTool[];
    }
  | { readonly type: 'tools_unregistered'; readonly removed: readonly string[]; readonly registered: number }
  | { readonly type: 'registered_tools'; readonly tools: readonly JsonObject[] }
  | { readonly type: 'result_acknowledged'; readonly id: string; readonly status: ResultStatus }
  | { readonly type: 'abort_ack'; readonly status: 'aborted' | 'no_active_response' }
  | {
      readonly type: 'approval_ack';
      readonly id: string;
      readonly status: 'accepted' | 'refused';
      readonly message?: string;
    }
  /** `message_id`: the message that it is about, where that has one. */
  | { readonly type: 'error'; readonly code: string; readonly message: string; readonly message_id?: string }
  | { readonly type: 'pong' }
  | (ChatFrame & { readonly seq: number; readonly turn_id?: string })
  | DeviceFrame;
