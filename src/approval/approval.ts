/*
 * What a person is asked, what they answer, and the standing permissions that they give, as it is stored.
 */

import type { JsonObject } from '../lib/json.ts';
import type { ToolCategory } from '../tools/category.ts';

/** `answered`: it was a question about something else than a permission. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'answered' | 'expired' | 'cancelled';

/**
 * What a person is asked: may this call run, what does the model want to know, may this run go on? Stands until somebody
 * decides, it expires, or it is called off.
 */
export type Approval = PermissionApproval | QuestionApproval | ExtensionApproval;

interface ApprovalFields {
  /** Short enough to type. */
  readonly id: string;
  readonly conversationId: string;
  /** The sub-run that waits for it, where that is not the conversation. */
  readonly runsIn?: string;
  /** Whose run made the call: `telegram:123456`. */
  readonly requester: string;
  readonly requesterName: string;
  readonly toolName: string;
  /** The one line that says what will happen, as markdown. */
  readonly description: string;
  readonly state: ApprovalState;
  readonly createdAt: number;
  /** Once its card was shown; until then, its time has not begun, and only its length counts. */
  readonly expiresAt: number;
  /** When the first of its cards stood in its chat. */
  readonly shownAt?: number;
  /** Where its cards stand: the conversation, or where it was forwarded to. Only there can it be decided. */
  readonly places: readonly string[];
}

/** May this call run? */
export interface PermissionApproval extends ApprovalFields {
  readonly type: 'permission';
  /** The first, where it is asked for several. */
  readonly callId: string;
  /** What was approved: see `callHash`. */
  readonly hash: string;
  /** Whether a standing permission may come with the decision. */
  readonly grantable: boolean;
  /** What the card says of the call, for programs that make cards of their own. Rows of old versions have none. */
  readonly asked?: AskedCall;
}

/** What the model, or a call that runs, asks the requester: the answer is the call's result, and no permission. */
export interface QuestionApproval extends ApprovalFields {
  readonly type: 'question';
  /** Missing where a call asks while it runs. */
  readonly callId?: string;
  readonly hash: string;
  readonly question: AskedQuestion;
}

/** A run asks to go on beyond one of its bounds. */
export interface ExtensionApproval extends ApprovalFields {
  readonly type: 'extension';
  readonly extension: Extension;
}

/** A call that a person is to decide about. */
export interface AskedCall {
  readonly category: ToolCategory;
  /** As they will run. */
  readonly arguments: JsonObject;
  /** Why it is asked for, as half a sentence of markdown. */
  readonly reason: string;
  /** Where the untrusted content came from that the conversation had read by then. */
  readonly readBefore?: readonly string[];
  /** How often some had been read by then. */
  readonly reads?: number | undefined;
  /** Whom or what it reaches, where the tool has a word for that. */
  readonly targets?: readonly string[] | undefined;
  /** The calls of the same answer that stand on the same card: what is decided is decided for all of them. */
  readonly others?: readonly { readonly callId: string; readonly hash: string }[];
}

/** Whether the very same call is asked for there. */
export function asksFor(approval: Approval, hash: string): boolean {
  if (approval.type === 'extension') return false;
  const others = approval.type === 'permission' ? (approval.asked?.others ?? []) : [];
  return approval.hash === hash || others.some((other) => other.hash === hash);
}

export interface AskedQuestion {
  /** Markdown. */
  readonly text: string;
  readonly options: readonly string[];
  readonly wantsText?: boolean;
  /** The call that asks while it runs: the answer is for its tool, and does not end it. */
  readonly duringCall?: string;
}

/** What somebody wants to become of an approval. */
export type Choice =
  | { readonly type: 'once' }
  /** All calls of the tool with the same targets, for a while. */
  | { readonly type: 'window' }
  /** Exactly this call, always. */
  | { readonly type: 'always' }
  | { readonly type: 'deny'; readonly reason?: string };

/**
 * What a run may not go beyond without being asked for: its turns, or what it, its person on one day, or all on one day
 * have spent.
 */
export type BoundName =
  | 'turns'
  | 'tokens-per-run'
  | 'cost-per-run'
  | 'tokens-per-person'
  | 'cost-per-person'
  | 'tokens-per-day'
  | 'cost-per-day';

/** Leave for one run to go on beyond one of its bounds. */
export interface Extension {
  readonly runId: string;
  readonly bound: BoundName;
  /** How far the run itself may go then, whatever others spend: turns, tokens, or money in millionths. */
  readonly until: number;
  /** What its next request is to contain: if it may not go on, nothing up to here waits for an answer any more. */
  readonly seenSeq: number;
}

/** How a run ends that may not go on. */
export function closingReasonOf({ bound }: Extension): 'limit' | 'budget' {
  return bound === 'turns' ? 'limit' : 'budget';
}

/** A standing permission that a person gave. Holds for one requester in one conversation, never for destructive calls. */
export type Grant = WindowGrant | AlwaysGrant;

/** Any call of this tool with no other targets, until it ends. */
interface WindowGrant extends GrantFields {
  readonly kind: 'window';
  /** Undefined where the tool has no word for whom or what it reaches: then all of its calls are meant. */
  readonly targets?: readonly string[] | undefined;
  readonly expiresAt: number;
}

/** Exactly this call, whenever. */
interface AlwaysGrant extends GrantFields {
  readonly kind: 'always';
  readonly hash: string;
}

interface GrantFields {
  readonly id: string;
  readonly conversationId: string;
  /** Whose runs it serves: `telegram:123456`. */
  readonly requester: string;
  readonly toolName: string;
  /** What people read in `/grants`. */
  readonly description: string;
  readonly grantedBy: string;
  readonly createdAt: number;
}
