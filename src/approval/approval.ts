/* The stored form of approvals, decisions and saved permissions. */

import type { JsonObject } from '../lib/json.ts';
import type { Language } from '../lib/words.ts';
import type { ToolCategory } from '../tools/tool.ts';
import type { Danger } from './asking/danger.ts';
import type { RuledCall, RuleOffer, RuleScope } from './rules/rule.ts';

/** `answered`: the approval was a question, not a permission. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'answered' | 'expired' | 'cancelled';

/**
 * A request to a person: may this call run, what does the model want to know, or may this run go on? Pending until
 * somebody decides, it expires, or it is cancelled.
 */
export type Approval = PermissionApproval | QuestionApproval | ExtensionApproval;

interface ApprovalFields {
  /** Short enough to type. */
  readonly id: string;
  readonly conversationId: string;
  /** The sub-run that waits for it, if not the conversation itself. */
  readonly runsIn?: string;
  /** The person whose run made the call: `telegram:123456`. */
  readonly requester: string;
  readonly requesterName: string;
  readonly toolName: string;
  /** One line of markdown that says what will happen. */
  readonly description: string;
  /** The same in other languages, where it differs. */
  readonly otherwise?: Partial<Readonly<Record<Language, string>>> | undefined;
  readonly state: ApprovalState;
  readonly createdAt: number;
  /** Counts from when a card was shown. Until then, only the length of the period is meaningful. */
  readonly expiresAt: number;
  /** When its first card was shown. */
  readonly shownAt?: number;
  readonly remindedAt?: number;
  /** The conversations with its cards: its own, or those it was forwarded to. It can be decided only there. */
  readonly cardConversationIds: readonly string[];
}

/** May this call run? */
export interface PermissionApproval extends ApprovalFields {
  readonly type: 'permission';
  /** The first of the calls on the card. */
  readonly callId: string;
  /** Identifies what was approved: see `callHash`. */
  readonly hash: string;
  /** Whether a saved permission may be given. */
  readonly grantable: boolean;
  /** What a lasting rule about such calls would name. */
  readonly ruled?: RuledCall | undefined;
  /** The card's data, for programs that render their own cards. Missing in rows of old versions. */
  readonly asked?: AskedCall;
}

/** A question by the model or a running call. The answer is the call's result and permits nothing. */
export interface QuestionApproval extends ApprovalFields {
  readonly type: 'question';
  /** Undefined if a call asks while it runs. */
  readonly callId?: string;
  readonly hash: string;
  readonly question: AskedQuestion;
}

/** A run asks to exceed one of its bounds. */
export interface ExtensionApproval extends ApprovalFields {
  readonly type: 'extension';
  readonly extension: Extension;
}

/** A call that needs a decision. */
export interface AskedCall {
  readonly category: ToolCategory;
  /** As they will run. */
  readonly arguments: JsonObject;
  /** Why it is asked for: half a sentence of markdown. */
  readonly reason: string;
  /** The rules that ask: of all its calls. */
  readonly because?: readonly AskReason['because'][] | undefined;
  /** The untrusted sources that the conversation had read by then. */
  readonly readBefore?: readonly string[];
  /** The number of untrusted reads by then. */
  readonly reads?: number | undefined;
  /** The targets, if the tool declares any. */
  readonly targets?: readonly string[] | undefined;
  /** What people call the target if it is one. Only shown. */
  readonly targetName?: string | undefined;
  /** Why its card looks like no other. */
  readonly danger?: Danger | undefined;
  /** The rule that the card offers. */
  readonly offer?: RuleOffer | undefined;
  /** Other calls of the same turn on the same card. One decision covers them all. */
  readonly others?: readonly { readonly callId: string; readonly hash: string }[];
}

/** Why a call is asked for, for `approvalWords.reason`. `sources`: the newest as they are stored, and how many more there are. */
export type AskReason =
  | { readonly because: 'tainted' | 'could-leak'; readonly sources: readonly string[]; readonly more: number }
  | { readonly because: 'destructive' | 'unreadable' | 'unconfined' | 'every-call' }
  | { readonly because: 'required' | 'dangerous-tool'; readonly tool: string }
  | { readonly because: 'dangerous-category'; readonly category: ToolCategory };

/** Whether the approval covers a call with this hash. */
export function asksFor(approval: Approval, hash: string): boolean {
  if (approval.type === 'extension') return false;
  const others = approval.type === 'permission' ? (approval.asked?.others ?? []) : [];
  return approval.hash === hash || others.some((other) => other.hash === hash);
}

/** Whether a yes is not enough: it is about several calls, about what may be destroyed, or not known well enough. */
export function needsButtons(approval: Approval): boolean {
  if (approval.type !== 'permission') return false;
  const { category, danger, others = [] } = approval.asked ?? {};
  return category === undefined || category === 'destructive' || danger !== undefined || others.length > 0;
}

/** Whether it may destroy something, or its card looks like no other. */
export function isDangerous(approval: Approval): boolean {
  if (approval.type !== 'permission') return false;
  const { category, danger } = approval.asked ?? {};
  return category === 'destructive' || danger !== undefined;
}

export interface AskedQuestion {
  /** Markdown. */
  readonly text: string;
  readonly options: readonly string[];
  readonly wantsText?: boolean;
  /** The running call that asks. The answer goes to its tool and does not end it. */
  readonly duringCall?: string;
}

/** A person's decision. */
export type Choice =
  | { readonly type: 'once' }
  /** All calls of the tool with the same targets, for a while. */
  | { readonly type: 'window' }
  /** Exactly this call, always. */
  | { readonly type: 'always' }
  | { readonly type: 'deny'; readonly reason?: string };

/** The bounds of a run: its turns, or the spending of the run, of its person per day, or of all people per day. */
export type BoundName =
  | 'turns'
  | 'tokens-per-run'
  | 'cost-per-run'
  | 'tokens-per-person'
  | 'cost-per-person'
  | 'tokens-per-day'
  | 'cost-per-day';

/** Permits one run to exceed one of its bounds. */
export interface Extension {
  readonly runId: string;
  readonly bound: BoundName;
  /** The new limit for the run itself, whatever others spend: turns, tokens, or money in millionths. */
  readonly until: number;
  /** The last sequence of its next request. If the run may not go on, everything up to here counts as handled. */
  readonly seenSeq: number;
}

/** The closing reason of a run that may not go on. */
export function closingReasonOf({ bound }: Extension): 'limit' | 'budget' {
  return bound === 'turns' ? 'limit' : 'budget';
}

/** A saved permission for one requester in one conversation. Never covers destructive calls. */
export type Grant = WindowGrant | AlwaysGrant | RuleGrant;

/** Covers calls of this tool within these targets, until it expires. */
interface WindowGrant extends GrantFields {
  readonly kind: 'window';
  /** Undefined if the tool declares no targets: all of its calls are covered. */
  readonly targets?: readonly string[] | undefined;
  readonly expiresAt: number;
}

/** Covers exactly this call, without expiry. */
interface AlwaysGrant extends GrantFields {
  readonly kind: 'always';
  readonly hash: string;
}

/** Covers what its scope says, as long as the tool is the same, without expiry. Given after many equal approvals. */
export interface RuleGrant extends GrantFields {
  readonly kind: 'rule';
  /** See `RuledCall`. */
  readonly tool: string;
  readonly scope: RuleScope;
}

interface GrantFields {
  readonly id: string;
  readonly conversationId: string;
  /** The person whose runs it serves: `telegram:123456`. */
  readonly requester: string;
  readonly toolName: string;
  /** Shown in `/grants`. */
  readonly description: string;
  readonly grantedBy: string;
  readonly createdAt: number;
  /** How many calls it has let run. */
  readonly uses?: number;
}
