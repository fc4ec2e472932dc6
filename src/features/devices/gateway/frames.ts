import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import type { DeviceFrame, DeviceResult } from '../remote/device-connection.ts';
import type { FilePiece } from '../remote/file-parts.ts';
import type { ShownFile } from './tables.ts';

// The protocol of docs/gateway-protocol.md: parses client frames and types server frames. Keys on the wire are snake_case.

/** A parsed client frame. `result` is a `tool_result` or `tool_error`; `fault` is a frame that cannot be parsed. */
export type ClientFrame = {
  readonly [Type in keyof ClientFrames]: Readonly<{ type: Type } & ClientFrames[Type]>;
}[keyof ClientFrames];
export type FrameOf<Type extends ClientFrame['type']> = Extract<ClientFrame, { readonly type: Type }>;

interface ClientFrames {
  connect: {
    sessionId: string | undefined;
    /** The newest frame that it has, by its number. */
    lastSeq: number | undefined;
    deviceName: string | undefined;
    capabilities: readonly string[];
  };
  message: { content: string; messageId: string | undefined; attachments: readonly JsonValue[] };
  message_chunk: { piece: FilePiece };
  abort: Nothing;
  regenerate: Nothing;
  get_registered_tools: Nothing;
  ping: Nothing;
  register_tools: { tools: readonly JsonValue[] };
  unregister_tools: { names: readonly string[] };
  result: { result: DeviceResult };
  tool_result_chunk: { id: string; piece: FilePiece };
  tool_progress: { id: string; message: string };
  approval_response: { id: string; actionId: string; reason: string | undefined };
  /** Of another feature, if one knows it. */
  other: { name: string; frame: JsonObject };
  fault: { code: FaultCode; message: string; messageId: string | undefined };
}

type FaultCode = 'INVALID_JSON' | 'EMPTY_CONTENT' | 'INVALID_RESULT' | 'INVALID_FRAME';

/** Parses a text frame. The message of a `fault` is for the client's developer. */
export function readFrame(text: string): ClientFrame {
  const frame = parseJson(text);
  if (!isJsonObject(frame)) return fault('INVALID_JSON', 'A frame is one JSON object.');
  const id = textOf(frame.id) ?? '';
  const piece = pieceOf(frame);
  switch (frame.type) {
    case 'connect':
      return {
        type: 'connect',
        sessionId: textOf(frame.session_id) || undefined,
        lastSeq: Number.isSafeInteger(frame.last_seq) ? Number(frame.last_seq) : undefined,
        deviceName: textOf(frame.device_name),
        capabilities: textsOf(frame.capabilities),
      };
    case 'message':
      return readMessage(frame);
    case 'message_chunk':
      if (piece !== undefined) return { type: 'message_chunk', piece };
      return fault('INVALID_FRAME', 'A chunk needs "part", "index" from 0 on, and "data" in base64.');
    case 'abort':
    case 'regenerate':
    case 'get_registered_tools':
    case 'ping':
      return { type: frame.type };
    case 'register_tools':
      if (!isList(frame.tools)) return fault('INVALID_FRAME', 'register_tools needs "tools", a list.');
      return { type: 'register_tools', tools: frame.tools };
    case 'unregister_tools':
      return { type: 'unregister_tools', names: textsOf(frame.names) };
    case 'tool_result':
    case 'tool_error':
      if (id !== '') return { type: 'result', result: resultOf(id, frame) };
      return fault('INVALID_RESULT', 'A result needs the "id" of its call.');
    case 'tool_result_chunk':
      if (id !== '' && piece !== undefined) return { type: 'tool_result_chunk', id, piece };
      return fault('INVALID_RESULT', 'A chunk needs "id", "part", "index" from 0 on, and "data" in base64.');
    case 'tool_progress':
      return { type: 'tool_progress', id, message: textOf(frame.message) ?? '' };
    case 'approval_response':
      return readDecision(id, frame);
    default:
      return { type: 'other', name: textOf(frame.type) ?? '', frame };
  }
}

function readMessage({ content: said, message_id: id, attachments = [] }: JsonObject): ClientFrame {
  const content = textOf(said)?.toWellFormed() ?? '';
  const messageId = textOf(id);
  if (messageId !== undefined && !/^[\w.-]{1,100}$/.test(messageId))
    return fault('INVALID_FRAME', '"message_id" is 1 to 100 letters, digits, ".", "_" or "-".');
  if (!isList(attachments)) return fault('INVALID_FRAME', '"attachments" is a list.', messageId);
  if (content.trim() === '' && attachments.length === 0)
    return fault('EMPTY_CONTENT', 'A message needs "content", a text, or "attachments".', messageId);
  return { type: 'message', content, messageId, attachments };
}

const verbs: Readonly<Record<string, string>> = { allow: 'a', window: 'w', always: 's', deny: 'd' };

function readDecision(id: string, frame: JsonObject): ClientFrame {
  const [choice, decision = '', reason] = [frame.choice, frame.decision, frame.reason].map(textOf);
  if (id === '') return fault('INVALID_FRAME', 'approval_response needs the "id" of what is answered.');
  const verb = Object.hasOwn(verbs, decision) ? verbs[decision] : undefined;
  if (choice === undefined && verb === undefined)
    return fault('INVALID_FRAME', 'approval_response needs "choice", or "decision": allow, window, always or deny.');
  const actionId = choice ?? `ap:${id}:${verb === 'd' && reason !== undefined ? 'r' : verb}`;
  return { type: 'approval_response', id, actionId, reason };
}

/** Reads a `tool_result` (a success by default) or `tool_error` (never a success). */
function resultOf(id: string, { type, output, success, error, content }: JsonObject): DeviceResult {
  const reason = textOf(error);
  if (type === 'tool_error') {
    const words = reason ?? 'Unknown error';
    return { id, success: false, output: words, error: words };
  }
  const items = isList(content) ? content : undefined;
  return { id, success: success !== false, output: output ?? '', error: reason, content: items };
}

function pieceOf({ part, index, data, last }: JsonObject): FilePiece | undefined {
  if (typeof part !== 'string' || typeof data !== 'string') return undefined;
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0) return undefined;
  return { part, index, data, last: last === true };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return isList(value) ? value.filter((one) => typeof one === 'string') : [];
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function fault(code: FaultCode, message: string, messageId?: string): ClientFrame {
  return { type: 'fault', code, message, messageId };
}

/** A frame that shows the chat. It gets a number when it is published. */
export type ChatFrame = {
  readonly [Type in keyof ChatFrames]: Readonly<{ type: Type } & ChatFrames[Type]>;
}[keyof ChatFrames];
type Nothing = Readonly<Record<never, never>>;

interface ChatFrames {
  /** Starts a turn. Frames with the same `turn_id` belong to it, up to `done`, `aborted` or `error`. */
  turn_start: Nothing;
  chunk: { content: string };
  thinking: { content: string };
  /** Clears the text of this turn that was shown so far. */
  chunk_reset: Nothing;
  /** `waiting`: the turn continues after a person has decided. */
  done: { full_response: string; waiting?: true | undefined };
  aborted: Nothing;
  error: { code: string; message: string };
  tool_call: { id: string; name: string; args: JsonObject };
  tool_result: { id: string; name: string; output: string; success: boolean };
  tool_status: { id: string; name: string; state: string; tip: string | undefined; duration_ms: number | undefined };
  /** A file for the person. Its bytes can be fetched at `path` for a while. */
  file: { id: string; name: string; media_type: string; size: number; path: string };
  /** A question to the person. The client sends back one of its choices unchanged. */
  approval_request: ApprovalRequest;
  approval_resolved: { id: string; message: string };
}

/** The facts of a file, as frames and lists show them. */
export function fileFacts({ id, sessionId, name, mediaType, size }: ShownFile) {
  return { id, name, media_type: mediaType, size, path: `/api/sessions/${sessionId}/files/${id}` };
}

/** Optional fields are left out if the approval is no longer stored. */
export interface ApprovalRequest {
  readonly id: string;
  /** May a call run · an answer to a question · may a run continue past a limit. */
  readonly kind?: 'call' | 'question' | 'extension' | undefined;
  /** The tool to run, or the tool that asks. */
  readonly tool: string;
  /** The category of the tool. This and the next two exist only for a call. */
  readonly category?: string | undefined;
  /** All arguments of the call, with hidden characters revealed. */
  readonly arguments?: JsonObject | undefined;
  /** Why approval is needed, as half a sentence of markdown. */
  readonly reason?: string | undefined;
  /** The effect of the call, as one line of markdown. */
  readonly description?: string | undefined;
  /** The name of the person who started the run. */
  readonly requester?: string | undefined;
  /** The whole card, as markdown. */
  readonly message: string;
  readonly choices: readonly Readonly<{ id: string; label: string; style: string; asks: string | undefined }>[];
  readonly expires_ms?: number | undefined;
}

/** A frame of the chat with its number. */
export type ShownFrame = ChatFrame & { readonly seq: number; readonly turn_id?: string | undefined };

/** A frame to one socket: the chat, a call of its tool, or an answer to one of its frames. */
export type ServerFrame = ShownFrame | DeviceFrame | AnswerFrame;
type AnswerFrame = { readonly type: string } & Readonly<Record<string, unknown>>;
