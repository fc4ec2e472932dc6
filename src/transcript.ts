/**
 * What the model reads of a conversation, and with that the state of its run. It is made from three kinds of rows, each
 * of which is written once: what came in, what the model said, and what became of its calls.
 */
import type { JsonObject, JsonValue } from './lib/json.ts';
import type { AttachmentKind, Quote, SharedText } from './messages.ts';

export interface Transcript {
  /** The oldest first. A message stands behind the last turn that did not see it. */
  readonly entries: readonly TranscriptEntry[];
}

export type TranscriptEntry = UserMessage | DaemonEvent | Turn | Closing;

/** What a person said. */
export interface UserMessage {
  readonly type: 'user';
  /** The sequence of its inbox row: grows with every event of the daemon. */
  readonly seq: number;
  /** `telegram:123456` */
  readonly principal: string;
  readonly name: string;
  readonly text: string;
  /** The platform's name of the message in its chat. */
  readonly messageId?: string;
  /** What it answers or quotes. */
  readonly quote?: Quote;
  /** Words of others that came with it. */
  readonly shared?: readonly SharedText[];
  /** What was sent with it, in its order. */
  readonly attachments?: readonly Attachment[];
}

/** Something that a person sent beside the text, or in place of it. */
export type Attachment = {
  readonly kind: AttachmentKind;
  /** As the sender named it: anything may stand in it. */
  readonly name?: string;
  readonly mediaType?: string;
  /** In bytes. */
  readonly size?: number;
  /** It belongs to the words of others that came with the message. */
  readonly isShared?: boolean;
} & AttachmentState;

/** What has become of it. */
export type AttachmentState =
  /** It is fetched before the model reads of it. */
  | { readonly state: 'pending' }
  | {
      readonly state: 'saved';
      /** Where it stands, relative to the workspace. */
      readonly path: string;
      /** What is said in it. */
      readonly transcript?: string;
      /** Why there is no transcript of it, where there should be one. */
      readonly note?: string;
    }
  /** The note says why. */
  | { readonly state: 'missing'; readonly note: string };

/** What Keyturn itself tells the model, in a form that no user text can imitate. */
export interface DaemonEvent {
  readonly type: 'event';
  readonly seq: number;
  /** Whose run it belongs to. */
  readonly principal: string;
  /** What people call them, where they may not have said anything lately. */
  readonly name?: string;
  readonly text: string;
  /** Whether the model is to be asked because of it, or reads it when it is asked next. */
  readonly wantsAnswer: boolean;
  /** Those of the result that it tells of. */
  readonly pictures?: readonly ResultPicture[];
}

/** One answer of the model. */
export interface Turn {
  readonly type: 'turn';
  readonly id: number;
  readonly runId: string;
  readonly principal: string;
  /** The highest sequence that the request contained. What is newer has not been seen. */
  readonly seenSeq: number;
  readonly parts: readonly TurnPart[];
  /** The calls of its parts, in their order. */
  readonly calls: readonly Call[];
}

/** A run ended without an answer of the model. Nothing up to `seenSeq` waits for one any more. */
export interface Closing {
  readonly type: 'closing';
  readonly id: number;
  readonly seenSeq: number;
  readonly reason: ClosingReason;
  /** What people had seen of an answer that was broken off by it. */
  readonly said?: string;
}

/**
 * Why: a person stopped it · the model failed · nobody decided in time · it took too many turns · it got
 * nowhere · a budget was used up · the model called it complete.
 */
export type ClosingReason = 'stopped' | 'failed' | 'expired' | 'limit' | 'stuck' | 'budget' | 'completed';

export type TurnPart =
  | { readonly type: 'text'; readonly text: string; readonly provider?: JsonObject }
  | { readonly type: 'reasoning'; readonly text: string; readonly provider?: JsonObject }
  | {
      readonly type: 'call';
      readonly callId: string;
      /** The id that the model gave it: unique in the turn only. */
      readonly modelCallId: string;
      readonly name: string;
      readonly arguments: JsonValue;
      readonly provider?: JsonObject;
    };

/** A tool call of a turn, as the journal has it. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonValue;
  readonly state: CallState;
  /** What the model reads. Set when the call is done; before that, only where it was deferred. */
  readonly result?: CallResult;
  /** The run went on without it: the model was told that the result will follow. */
  readonly deferred: boolean;
  /** The operator says that nobody else can have written into its answer. */
  readonly isTrusted?: boolean;
}

/**
 * `ready`: may run, has not begun · `awaiting`: a person has to decide · `begun`: it was about to run, or ran, and no
 * result is known · `done`: it has a result.
 */
export type CallState = 'ready' | 'awaiting' | 'begun' | 'done';

export interface CallResult {
  readonly text: string;
  readonly outcome: CallOutcome;
  /** What a model that sees is shown behind the results of the turn. */
  readonly pictures?: readonly ResultPicture[];
}

/** A picture that a tool has brought. */
export interface ResultPicture {
  /** Where it stands, relative to the workspace. */
  readonly path: string;
}

/**
 * `success`, `error`: it ran · `refused`: a rule forbids it · `denied`: a person did not allow it · `expired`: nobody
 * decided in time · `cancelled`: it was stopped · `unknown`: the process died while it ran · `deferred`: a placeholder ·
 * `completed`: it ran, and the run is over with it.
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

/** A tool as the model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  /** What people call it, where that is another name. */
  readonly displayName?: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

/** The newest turn or closing, if the model was ever asked. */
export function lastTurn(transcript: Transcript): Turn | Closing | undefined {
  return transcript.entries.findLast((entry) => entry.type === 'turn' || entry.type === 'closing');
}

/** The calls that the run waits for: without a result, and not deferred. In the order of the turn. */
export function openCalls(transcript: Transcript): readonly Call[] {
  const last = lastTurn(transcript);
  return last?.type === 'turn' ? last.calls.filter((call) => call.result === undefined) : [];
}

/** What came in after the last request to the model, the oldest first. */
export function unseen(transcript: Transcript): readonly (UserMessage | DaemonEvent)[] {
  const seenSeq = lastTurn(transcript)?.seenSeq ?? 0;
  return transcript.entries.filter(
    (entry): entry is UserMessage | DaemonEvent =>
      (entry.type === 'user' || entry.type === 'event') && entry.seq > seenSeq,
  );
}

/** Whether it is speech that stands for words: a voice message, or a recording that is all that was sent. */
export function isSpeech(attachment: Pick<Attachment, 'kind'>, isAlone: boolean): boolean {
  return attachment.kind === 'voice' || (attachment.kind === 'audio' && isAlone);
}

/** Whether nothing of the message can be read: it was spoken, and could not be made out. Its sender was told so. */
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
    // Without a note nobody has tried to make it out: it is a file like others.
    case 'saved':
      return attachment.transcript === undefined && attachment.note !== undefined;
  }
}
