import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import type { DeviceResult, ResultChunk } from '../tools/sources/remote/device-link.ts';
import type { FilePiece } from '../tools/sources/remote/file-parts.ts';
import { chunkOf, pieceOf, resultOf } from './tool-result.ts';

/** What a client says. */
export type ClientFrame =
  | {
      readonly type: 'connect';
      readonly sessionId?: string;
      readonly lastSeq?: number;
      readonly deviceName?: string;
      readonly capabilities: readonly string[];
    }
  | {
      readonly type: 'message';
      readonly content: string;
      readonly messageId?: string;
      readonly attachments: readonly JsonValue[];
    }
  | { readonly type: 'message_chunk'; readonly piece: FilePiece }
  | { readonly type: 'abort' }
  | { readonly type: 'regenerate' }
  | { readonly type: 'register_tools'; readonly tools: readonly JsonValue[] }
  | { readonly type: 'unregister_tools'; readonly names: readonly string[] }
  | { readonly type: 'get_registered_tools' }
  | { readonly type: 'result'; readonly result: DeviceResult }
  | { readonly type: 'tool_result_chunk'; readonly chunk: ResultChunk }
  | { readonly type: 'tool_progress'; readonly id: string; readonly message: string }
  | { readonly type: 'approval_response'; readonly id: string; readonly actionId: string; readonly reason?: string }
  | { readonly type: 'ping' }
  | {
      readonly type: 'fault';
      readonly code: FaultCode;
      readonly message: string;
      /** Set where it is about a message that has a name. */
      readonly messageId?: string;
    };

export type FaultCode = 'INVALID_JSON' | 'UNKNOWN_MESSAGE_TYPE' | 'EMPTY_CONTENT' | 'INVALID_RESULT' | 'INVALID_FRAME';

/** Reads a text frame. What it can't read is a `fault`, in words for whoever writes the client. */
export function readFrame(text: string): ClientFrame {
  const frame = parseJson(text);
  if (!isJsonObject(frame)) return fault('INVALID_JSON', 'A frame is one JSON object.');
  switch (frame.type) {
    case 'connect':
      return readConnect(frame);
    case 'message':
      return readMessage(frame);
    case 'message_chunk':
      return readMessageChunk(frame);
    case 'abort':
    case 'regenerate':
    case 'get_registered_tools':
    case 'ping':
      return { type: frame.type };
    case 'register_tools':
      if (!Array.isArray(frame.tools)) return fault('INVALID_FRAME', 'register_tools needs "tools", a list.');
      return { type: 'register_tools', tools: [...frame.tools] };
    case 'unregister_tools':
      return { type: 'unregister_tools', names: textsOf(frame.names) };
    case 'tool_result':
    case 'tool_error':
      return readResult(frame);
    case 'tool_result_chunk':
      return readChunk(frame);
    case 'tool_progress':
      return { type: 'tool_progress', id: textOf(frame.id) ?? '', message: textOf(frame.message) ?? '' };
    case 'approval_response':
      return readDecision(frame);
    default:
      return fault('UNKNOWN_MESSAGE_TYPE', 'No frame of this type is known.');
  }
}

function readConnect(frame: JsonObject): ClientFrame {
  const sessionId = textOf(frame.session_id);
  const deviceName = textOf(frame.device_name);
  const lastSeq = Number.isSafeInteger(frame.last_seq) ? Number(frame.last_seq) : undefined;
  return {
    type: 'connect',
    capabilities: textsOf(frame.capabilities),
    ...(sessionId === undefined || sessionId === '' ? {} : { sessionId }),
    ...(lastSeq === undefined ? {} : { lastSeq }),
    ...(deviceName === undefined ? {} : { deviceName }),
  };
}

function readMessage({ content: said, message_id: id, attachments = [] }: JsonObject): ClientFrame {
  const content = textOf(said)?.toWellFormed() ?? '';
  const messageId = textOf(id);
  if (messageId !== undefined && !/^[\w.-]{1,100}$/.test(messageId))
    return fault('INVALID_FRAME', '"message_id" is 1 to 100 letters, digits, ".", "_" or "-".');
  const named = messageId === undefined ? {} : { messageId };
  if (!Array.isArray(attachments)) return { ...fault('INVALID_FRAME', '"attachments" is a list.'), ...named };
  if (content.trim() === '' && attachments.length === 0)
    return { ...fault('EMPTY_CONTENT', 'A message needs "content", a text, or "attachments".'), ...named };
  return { type: 'message', content, attachments: [...attachments], ...named };
}

function readMessageChunk(frame: JsonObject): ClientFrame {
  const piece = pieceOf(frame);
  if (piece !== undefined) return { type: 'message_chunk', piece };
  return fault('INVALID_FRAME', 'A chunk needs "part", "index" from 0 on, and "data" in base64.');
}

function readResult(frame: JsonObject): ClientFrame {
  const result = resultOf(frame);
  return result === undefined
    ? fault('INVALID_RESULT', 'A result needs the "id" of its call.')
    : { type: 'result', result };
}

function readChunk(frame: JsonObject): ClientFrame {
  const chunk = chunkOf(frame);
  if (chunk !== undefined) return { type: 'tool_result_chunk', chunk };
  return fault('INVALID_RESULT', 'A chunk needs "id", "part", "index" from 0 on, and "data" in base64.');
}

const verbs: Readonly<Record<string, string>> = { allow: 'a', window: 'w', always: 's', deny: 'd' };

function readDecision(frame: JsonObject): ClientFrame {
  const [id = '', choice, decision = '', reason] = [frame.id, frame.choice, frame.decision, frame.reason].map(textOf);
  if (id === '') return fault('INVALID_FRAME', 'approval_response needs the "id" of what is answered.');
  const verb = Object.hasOwn(verbs, decision) ? verbs[decision] : undefined;
  if (choice === undefined && verb === undefined)
    return fault('INVALID_FRAME', 'approval_response needs "choice", or "decision": allow, window, always or deny.');
  const actionId = choice ?? `ap:${id}:${verb === 'd' && reason !== undefined ? 'r' : verb}`;
  return { type: 'approval_response', id, actionId, ...(reason === undefined ? {} : { reason }) };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function fault(code: FaultCode, message: string) {
  return { type: 'fault', code, message } as const;
}
