/* What the page is told of runs: lists, timelines, hits of a search, and figures. Instants are ms since 1970, costs millionths. */

/** A person, as a conversation names them. */
export interface NamedPerson {
  readonly principal: string;
  readonly name: string;
}

/** Where people see a run: of a sub-run, the conversation at the top. */
export interface NamedPlace {
  readonly conversationId: string;
  readonly channel: string;
  readonly kind: 'direct' | 'group';
  /** As people know it, if it has a name. */
  readonly title: string | undefined;
}

/** How a run ended: with an answer, not yet, or without one for this reason. */
export type RunEnd =
  | { readonly end: 'answered' | 'open' }
  | {
      readonly end: 'closed';
      readonly reason: 'stopped' | 'failed' | 'expired' | 'limit' | 'stuck' | 'budget' | 'completed' | 'unknown';
    };

/** A run in a list. */
export interface RunInList {
  readonly id: string;
  readonly person: NamedPerson;
  readonly place: NamedPlace;
  readonly beganAt: number;
  readonly lastAt: number;
  /** The beginning of what began it, in one line. */
  readonly text: string;
  readonly end: RunEnd;
  readonly models: readonly string[];
  readonly turns: number;
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number;
  /** Calls of it that failed, were denied, or that nobody decided about in time. */
  readonly troubles: number;
  readonly isSubRun: boolean;
}

export interface RunPage {
  readonly runs: readonly RunInList[];
  /** Ask for what is before it. Undefined: there is no more. There may be more though few were found. */
  readonly next: number | undefined;
}

/** What the lists can be filtered by. */
export interface ActivityChoices {
  readonly people: readonly NamedPerson[];
  readonly channels: readonly string[];
  readonly tools: readonly string[];
  readonly currency: string;
}

export interface TimelineMessage {
  readonly seq: number;
  readonly at: number;
  /** `event`: the daemon's own notice, such as a task that is due. */
  readonly kind: 'message' | 'event';
  readonly person: NamedPerson;
  readonly text: string;
}

export interface TimelineTurn {
  readonly id: number;
  readonly at: number;
  readonly kind: 'turn' | 'closing';
  /** Of a closing, why it ended; of a turn, why it is not whole. */
  readonly reason: string | undefined;
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  /** From what it could begin at until it was there, in ms. */
  readonly took: number | undefined;
  readonly text: string;
  readonly calls: readonly TimelineCall[];
}

/** Which rule let a call run, asked for it, or refused it. */
export type CallRule =
  | {
      readonly rule:
        | 'question'
        | 'unknown'
        | 'policy-off'
        | 'not-dangerous'
        | 'autonomous'
        | 'allow-rule'
        | 'own-words';
    }
  /** `reason`: half a sentence of markdown, as its card said it. `because`: the rules that asked. */
  | { readonly rule: 'asked'; readonly reason: string; readonly because: readonly string[] }
  | { readonly rule: 'refused' | 'invalid'; readonly said: string }
  | { readonly rule: 'grant'; readonly grant: UsedGrant };

export interface UsedGrant {
  readonly id: string;
  /** `window`: for a while. `always`: until it is revoked. `rule`: for all calls in its scope. */
  readonly kind: 'window' | 'always' | 'rule';
  readonly giver: NamedPerson;
  readonly createdAt: number;
}

export interface CallDecision {
  readonly id: string;
  readonly state: 'pending' | 'approved' | 'denied' | 'answered' | 'expired' | 'cancelled';
  readonly askedAt: number;
  readonly decidedBy: NamedPerson | undefined;
  readonly decidedAt: number | undefined;
}

/** The Rule of Two: without a person, a call never has all three. */
export interface RuleOfTwo {
  /** What strangers may have written was read before it. Undefined: it was not noted. */
  readonly untrusted: boolean | undefined;
  /** What was read, as people know it; the newest of it if it is much. */
  readonly sources: readonly string[];
  /** Files, memory or secrets of the person had been read. Undefined: perhaps, earlier in the conversation. */
  readonly private: boolean | undefined;
  /** It can change something, or reach others. */
  readonly changes: boolean;
}

export interface TimelineCall {
  readonly id: string;
  readonly name: string;
  /** Undefined if it was never valid. */
  readonly category: string | undefined;
  /** Any JSON, as text of several lines. */
  readonly arguments: string;
  /** The hook that changed them. */
  readonly changedBy: string | undefined;
  readonly state: 'ready' | 'awaiting' | 'begun' | 'done';
  readonly outcome: string | undefined;
  /** For the model. The beginning, if it is long. */
  readonly output: string | undefined;
  readonly isOutputCut: boolean;
  readonly begunAt: number | undefined;
  readonly doneAt: number | undefined;
  /** In ms. */
  readonly duration: number | undefined;
  readonly isUnconfined: boolean;
  readonly rule: CallRule;
  readonly decision: CallDecision | undefined;
  readonly ruleOfTwo: RuleOfTwo;
  /** The work that it gave to others. */
  readonly subRun: RunInList | undefined;
}

/** A message to people that the run brought about. */
export interface TimelineDelivery {
  readonly id: string;
  readonly kind: 'reply' | 'for_user' | 'card' | 'notice' | 'status';
  readonly at: number;
  readonly place: NamedPlace;
  /** `awaited`: it is shown when somebody opens the conversation on a device, or here. */
  readonly state: 'sent' | 'sending' | 'awaited' | 'retried' | 'failed' | 'dropped';
  readonly deliveredAt: number | undefined;
  readonly failure: string | undefined;
  /** Its beginning, if it is long. */
  readonly markdown: string;
  readonly isCut: boolean;
}

export interface Timeline {
  readonly run: RunInList;
  /** Of a sub-run: the run and the call that it works for. */
  readonly parent: { readonly runId: string; readonly callId: string } | undefined;
  readonly messages: readonly TimelineMessage[];
  readonly turns: readonly TimelineTurn[];
  readonly deliveries: readonly TimelineDelivery[];
  readonly currency: string;
  /** There is more than is told. */
  readonly isCut: boolean;
}

export interface CallOutput {
  readonly output: string;
}

/** A place of a search where something was found. */
export interface Hit {
  readonly runId: string | undefined;
  /** Within the timeline: `message-5`, `turn-7`, or the id of a call. */
  readonly anchor: string;
  readonly kind: 'message' | 'answer' | 'arguments' | 'output';
  readonly at: number;
  readonly place: NamedPlace;
  /** Who said it; the tool of a call; the model. */
  readonly by: string;
  /** What stands around it. */
  readonly text: string;
  /** Where it is found in the text: pairs of beginning and end, in UTF-16 code units. */
  readonly found: readonly (readonly [number, number])[];
}

export interface HitPage {
  readonly hits: readonly Hit[];
  /** Ask for what is before it. Undefined: all was searched. */
  readonly next: string | undefined;
  /** Everything since then was searched. */
  readonly searchedTo: number | undefined;
}

export interface DayFigures {
  /** `2026-03-04`, by the clock of the person. */
  readonly day: string;
  readonly runs: number;
  /** Of all runs of the day that ended: from what began it to the last answer, in ms. */
  readonly medianLatency: number | undefined;
  readonly slowLatency: number | undefined;
}

export interface ModelFigures {
  /** As it is charged. */
  readonly day: string;
  readonly model: string;
  readonly tokens: number;
  readonly cost: number;
}

export interface ToolFigures {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly denied: number;
  readonly refused: number;
  readonly expired: number;
}

/** How what needed permission was decided. */
export interface ApprovalFigures {
  readonly asked: number;
  readonly approved: number;
  readonly denied: number;
  readonly expired: number;
  readonly cancelled: number;
  readonly pending: number;
  /** Calls that ran without a question because a person had permitted them before. */
  readonly byGrant: number;
}

export interface Figures {
  readonly from: number;
  readonly currency: string;
  readonly days: readonly DayFigures[];
  readonly models: readonly ModelFigures[];
  readonly tools: readonly ToolFigures[];
  readonly approvals: ApprovalFigures;
  /** There was more than is counted: the oldest is left out. */
  readonly isCut: boolean;
}
