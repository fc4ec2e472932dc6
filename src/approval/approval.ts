import type { Conversation, OutboundMessage } from '../contract.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ToolCategory } from '../tools/category.ts';
import type { KeptFile } from '../tools/kept-file.ts';
import type { Extension } from './extension.ts';
import type { Grant } from './grants.ts';

/** `answered`: it was a question about something else than a permission. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'answered' | 'expired' | 'cancelled';

/**
 * A question to a person: may this call run? Or, where `question` is set, whatever the model wants to know of the requester.
 * Where `extension` is set, a run asks whether it may go on. Stands until somebody decides, it expires, or it is called off.
 */
export interface Approval {
  /** Short enough to type. */
  readonly id: string;
  /** Missing where a run asks to go on, or a call while it runs. */
  readonly callId?: string;
  readonly conversationId: string;
  /** The sub-run that waits for it, where that is not the conversation. */
  readonly runsIn?: string;
  /** Whose run made the call: `telegram:123456`. */
  readonly requester: string;
  readonly requesterName: string;
  readonly toolName: string;
  /** The one line that says what will happen, as markdown. */
  readonly description: string;
  /** What was approved: see `callHash`. */
  readonly hash: string;
  /** Whether a standing permission may come with the decision. */
  readonly grantable: boolean;
  readonly state: ApprovalState;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** What the card says of a call, for programs that make cards of their own. */
  readonly asked?: AskedCall;
  /** What the model asks the requester: his answer is the call's result, and no permission. */
  readonly question?: AskedQuestion;
  /** The bound that a run asks to go beyond. */
  readonly extension?: Extension;
  /** Where its cards stand: the conversation, or where it was forwarded to. Only there can it be decided. */
  readonly places: readonly string[];
}

/** A call that a person is to decide about. */
export interface AskedCall {
  readonly category: ToolCategory;
  /** As they will run. */
  readonly arguments: JsonObject;
  /** Why it is asked for, as half a sentence of markdown. */
  readonly reason: string;
}

export interface AskedQuestion {
  /** Markdown. */
  readonly text: string;
  readonly options: readonly string[];
  readonly wantsText?: boolean;
  /** The call that asks while it runs: the answer is for its tool, and does not end it. */
  readonly duringCall?: string;
}

/** What the requester said to a question, with everything that it changes. */
export interface AnswerDraft {
  readonly origin: Origin;
  readonly approval: Approval;
  /** What the card shows from now on. */
  readonly outcome: string;
  /** What the model reads. */
  readonly result: string;
  readonly at: number;
}

/** A message as it is written down: whole, with all its files. */
export interface StoredMessage extends Omit<OutboundMessage, 'file'> {
  /** They were kept for the id of this message. Shown behind the text, in their order. */
  readonly files?: readonly KeptFile[];
}

/** A message that is written down before it is sent. */
export interface OutboxDraft {
  readonly conversationId: string;
  readonly message: StoredMessage;
}

/** An approval that is about to be asked for, with the cards that ask. */
export interface ApprovalDraft {
  readonly approval: Approval;
  readonly cards: readonly OutboxDraft[];
}

/** What somebody wants to become of an approval. */
export type Choice =
  | { readonly type: 'once' }
  /** All calls of the tool, for a while. */
  | { readonly type: 'window' }
  /** Exactly this call, always. */
  | { readonly type: 'always' }
  | { readonly type: 'deny'; readonly reason?: string };

/** The event that brings a decision or a command: its key makes a second delivery harmless. */
export interface Origin {
  readonly key: string;
  /** Set where the answer is for this person alone: see `InboundMessage`. */
  readonly privateTo?: string;
  readonly conversation: Conversation;
  readonly conversationId: string;
  readonly principal: string;
  readonly name: string;
  /** The groups of people that the platform counts him among there. */
  readonly roles?: readonly string[];
}

/** A decision by somebody who may decide, with everything that it changes. */
export interface Decision {
  readonly origin: Origin;
  readonly approval: Approval;
  readonly approved: boolean;
  readonly grant?: Grant;
  /** What the cards show from now on. */
  readonly outcome: string;
  /** What the model reads if the call will not run. */
  readonly result: string;
  readonly reason?: string;
  readonly at: number;
}

/** `decided`: this decision counts · `late`: another came before, or the time was over · `repeated`: the event was seen. */
export type DecisionResult = 'decided' | 'late' | 'repeated';

/** What ended without a decision, by conversation. */
export interface Ending {
  readonly approval: Approval;
  readonly outcome: string;
  readonly result: string;
  /** What is said in the conversation beside the card. */
  readonly notice?: OutboxDraft;
}

/** Where approvals and grants are kept. Each method is one transaction. */
export interface ApprovalStore {
  find(id: string): Promise<Approval | undefined>;
  /** The pending ones, the oldest first; of all conversations if none is named. */
  pending(conversationId?: string): Promise<readonly Approval[]>;
  /** Changes a pending approval, its call, its cards and the audit together, or nothing. */
  decide(decision: Decision): Promise<DecisionResult>;
  /** Ends a pending question with its call, its card and the audit, or changes nothing. */
  answer(answer: AnswerDraft): Promise<DecisionResult>;
  /** Stores a question of a call that runs, with its card. */
  ask(question: ApprovalDraft): Promise<void>;
  /** Ends a question that nobody waits for any more, with its card and the audit. Changes nothing if it is not pending. */
  callOff(question: Approval, outcome: string, at: number): Promise<void>;
  /** Ends those of the approvals that are still pending; tells which conversations have to go on. */
  expire(endings: readonly Ending[], at: number): Promise<readonly string[]>;
  /** Stores a reminder for each, once. */
  remind(reminders: readonly { readonly approvalId: string; readonly draft: OutboxDraft }[], at: number): Promise<void>;
  /** Pending approvals that nobody was reminded of. */
  unreminded(): Promise<readonly Approval[]>;
  /** Grants that hold now: of one requester in one conversation. */
  grants(conversationId: string, requester: string, now: number): Promise<readonly Grant[]>;
  /** How many cards of the approval can be pressed, now or soon. */
  standingCards(approvalId: string): Promise<number>;
  /** The people who have spoken in the conversation. */
  participants(conversationId: string): Promise<readonly string[]>;
  /** The direct conversations of these people. */
  directConversations(principals: readonly string[]): Promise<readonly string[]>;
  /** Those of the conversations that were ever talked in: only there can something be shown. */
  places(
    conversationIds: readonly string[],
  ): Promise<readonly { readonly id: string; readonly conversation: Conversation }[]>;
}
