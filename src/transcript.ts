/**
 * The transcript of a conversation: what the model reads, and the state of its run. It is built from three kinds of
 * append-once rows: incoming messages, the model's turns, and the results of its calls.
 */
import type { JsonObject, JsonValue } from './lib/json.ts';
import type { AttachmentKind, Quote, SharedText } from './messages.ts';

export interface Transcript {
  /** Oldest first. A message follows the last turn that did not see it. */
  readonly entries: readonly TranscriptEntry[];
}

export type TranscriptEntry = UserMessage | DaemonEvent | Turn | Closing;

export interface UserMessage {
  readonly type: 'user';
  /** The sequence of its inbox row. Increases with every event of the daemon. */
  readonly seq: number;
  /** `telegram:123456` */
  readonly principal: string;
  readonly name: string;
  /** Set if another program wrote it. */
  readonly isByProgram?: true | undefined;
  readonly text: string;
  /** When it was sent, and received. */
  readonly sentAt?: number;
  readonly receivedAt?: number;
  /** The message id that the platform uses in this chat. */
  readonly messageId?: string;
  /** The message that it answers or quotes. */
  readonly quote?: QuotedMessage;
  /** Content by other authors that came with it. */
  readonly shared?: readonly SharedText[];
  /** In the order they were sent. */
  readonly attachments?: readonly Attachment[];
}

/** A message that was answered, with its files. */
export interface QuotedMessage extends Quote {
  readonly attachments?: readonly Attachment[];
}

/** A file sent with a text or without one. */
export type Attachment = {
  readonly kind: AttachmentKind;
  /** The sender's name for it. Untrusted. */
  readonly name?: string;
  readonly mediaType?: string;
  /** In bytes. */
  readonly size?: number;
  /** It belongs to the shared content, not to the sender. */
  readonly isShared?: boolean;
} & AttachmentState;

export type AttachmentState =
  /** It is fetched before the model reads the message. */
  | { readonly state: 'pending' }
  | {
      readonly state: 'saved';
      /** Relative to the workspace. */
      readonly path: string;
      /** The transcribed speech. */
      readonly transcript?: string;
      /** Why the transcription failed. */
      readonly note?: string;
    }
  /** The note gives the reason. */
  | { readonly state: 'missing'; readonly note: string };

/** A notice from Keyturn to the model, in a form that user text cannot imitate. */
export interface DaemonEvent {
  readonly type: 'event';
  readonly seq: number;
  /** The person whose run it belongs to. */
  readonly principal: string;
  /** Their display name, for people who may have no recent message. */
  readonly name?: string;
  readonly text: string;
  /** True: the model is asked now. False: the model reads it with the next request. */
  readonly wantsAnswer: boolean;
  /** The pictures of the result it reports. */
  readonly pictures?: readonly ResultPicture[];
  /** The person has called this tool by hand: the call stands in place of an answer of the model. */
  readonly handCall?: HandCall | undefined;
}

/** A call that a person has written themselves. */
export interface HandCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** One answer of the model. */
export interface Turn {
  readonly type: 'turn';
  readonly id: number;
  readonly runId: string;
  readonly principal: string;
  /** The highest sequence in the request. Newer entries are unseen. */
  readonly seenSeq: number;
  readonly parts: readonly TurnPart[];
  /** The calls of `parts`, in order. */
  readonly calls: readonly Call[];
  /** Set if the answer looks complete, but is not. */
  readonly ending?: AnswerEnding;
}

/** `cut`: the model reached its limit of tokens · `withheld`: its provider held back the rest for its content. */
export type AnswerEnding = 'cut' | 'withheld';

/** The end of a run without an answer. Everything up to `seenSeq` counts as handled. */
export interface Closing {
  readonly type: 'closing';
  readonly id: number;
  readonly seenSeq: number;
  readonly reason: ClosingReason;
  /** The part of the broken-off answer that people saw. */
  readonly said?: string;
}

/**
 * A person stopped it · the model failed · nobody decided in time · too many turns · no progress · a budget was used up
 * · the model declared the work complete.
 */
export type ClosingReason = 'stopped' | 'failed' | 'expired' | 'limit' | 'stuck' | 'budget' | 'completed';

export type TurnPart =
  | { readonly type: 'text'; readonly text: string; readonly provider?: JsonObject }
  | { readonly type: 'reasoning'; readonly text: string; readonly provider?: JsonObject }
  | {
      readonly type: 'call';
      readonly callId: string;
      /** The model's own id. Unique within the turn only. */
      readonly modelCallId: string;
      readonly name: string;
      readonly arguments: JsonValue;
      readonly provider?: JsonObject;
    };

/** A tool call as stored in the journal. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
  readonly state: CallState;
  /** The text for the model. Set once the call is done, or earlier if the call was deferred. */
  readonly result?: CallResult;
  /** The run continued without it, and the model was told that the result will follow. */
  readonly deferred: boolean;
  /** The operator declared that no third party can have written into its result. */
  readonly isTrusted?: boolean;
}

/**
 * `ready`: may run, has not begun · `awaiting`: a person must decide · `begun`: about to run, or ran, without a known
 * result · `done`: has a result.
 */
export type CallState = 'ready' | 'awaiting' | 'begun' | 'done';

export interface CallResult {
  readonly text: string;
  readonly outcome: CallOutcome;
  /** Shown to vision models after the results of the turn. */
  readonly pictures?: readonly ResultPicture[];
}

/** A picture returned by a tool. */
export interface ResultPicture {
  /** Relative to the workspace. */
  readonly path: string;
}

/**
 * `success`, `error`: it ran · `refused`: a rule forbids it · `denied`: a person refused it · `expired`: nobody decided
 * in time · `cancelled`: it was stopped · `unknown`: the process died while it ran · `deferred`: a placeholder ·
 * `completed`: it ran and ended the run.
 */
export type CallOutcome =
  | 'success'
  | 'error'
  | 'refused'
  | 'denied'
  | 'expired'
  | 'cancelled'
  | 'unknown'
  | 'deferred'
  | 'completed';

/** A tool as described to the model. */
export interface ToolDefinition {
  readonly name: string;
  /** The name that people know it by, if different. */
  readonly displayName?: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

/** Replaces the oldest part of a conversation in requests. */
export interface Summary {
  readonly id: number;
  readonly text: string;
  /** The newest turn it covers. */
  readonly upToTurn: number;
  /** The newest inbox sequence it covers. */
  readonly upToSeq: number;
  /** Covered calls that still wait for a person. */
  readonly waiting: readonly WaitingCall[];
  /** What people said in it that outlives it word for word, the oldest first. */
  readonly kept: readonly KeptWords[];
}

/** A person's own words, as they last edited them. */
export interface KeptWords {
  /** The sequence of the message. */
  readonly seq: number;
  readonly principal: string;
  readonly name: string;
  readonly text: string;
}

export interface WaitingCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
}

/** The newest turn or closing; undefined if the model was never asked. */
export function lastTurn(transcript: Transcript): Turn | Closing | undefined {
  return transcript.entries.findLast((entry) => entry.type === 'turn' || entry.type === 'closing');
}

/** The calls that the run waits for: no result yet, not deferred. In the order of the turn. */
export function openCalls(transcript: Transcript): readonly Call[] {
  const last = lastTurn(transcript);
  return last?.type === 'turn' ? last.calls.filter((call) => call.result === undefined) : [];
}

/** Everything that arrived after the last request to the model, oldest first. */
export function unseen(transcript: Transcript): readonly (UserMessage | DaemonEvent)[] {
  const seenSeq = lastTurn(transcript)?.seenSeq ?? 0;
  return transcript.entries.filter(
    (entry): entry is UserMessage | DaemonEvent =>
      (entry.type === 'user' || entry.type === 'event') && entry.seq > seenSeq,
  );
}

/** Whether the attachment is speech in place of text: a voice message, or a recording sent on its own. */
export function isSpeech(attachment: Pick<Attachment, 'kind'>, isAlone: boolean): boolean {
  return attachment.kind === 'voice' || (attachment.kind === 'audio' && isAlone);
}

/** Whether the message has no readable content: it was spoken, and no transcript exists. Its sender has been told. */
export function isUnheard({ text, shared = [], attachments = [] }: UserMessage): boolean {
  if ([text, ...shared.map((one) => one.text)].some((words) => words.trim() !== '')) return false;
  if (attachments.length === 0) return false;
  const isAlone = attachments.length === 1;
  return attachments.every((attachment) => isSpeech(attachment, isAlone) && isLost(attachment));
}

function isLost(attachment: Attachment): boolean {
  switch (attachment.state) {
    case 'pending':
      return false;
    case 'missing':
      return true;
    // Without a note, nobody tried to transcribe it: it is an ordinary file.
    case 'saved':
      return attachment.transcript === undefined && attachment.note !== undefined;
  }
}
