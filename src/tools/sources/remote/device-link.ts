import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { FilePiece } from './file-parts.ts';

/** A device as it is connected now: one socket of one paired device. */
export interface DeviceLink {
  /** Another one for each socket. */
  readonly connection: string;
  /** The paired device, and what its owner calls it. */
  readonly device: { readonly id: string; readonly name: string };
  /** The account under which the device was paired: its tools belong to the person behind it. */
  readonly principal: string;
  /** False if nothing can be sent any more, or too much waits to be sent. */
  send(frame: DeviceFrame): boolean;
}

/** What a device is sent about its tools. Nothing else of a conversation reaches it: no ids of chats, paths or secrets. */
export type DeviceFrame =
  | {
      readonly type: 'tool_call_request';
      /** Known to this socket alone, and used once. */
      readonly id: string;
      readonly name: string;
      readonly args: JsonObject;
      readonly timeout_ms: number;
      /** The call that it belongs to, as `tool_call` frames name it. */
      readonly tool_call_id: string;
    }
  | {
      readonly type: 'tool_call_cancelled';
      readonly id: string;
      /** Nobody waits any more: its time is over · its person, or we, have ended it. */
      readonly reason: 'timeout' | 'aborted';
    };

/** What came of an offer of tools. */
export interface ToolsOffered {
  /** How many entries the offer had. */
  readonly count: number;
  /** How many tools the socket has on offer now. */
  readonly registered: number;
  readonly accepted: readonly string[];
  readonly rejected: readonly RejectedTool[];
}

export interface RejectedTool {
  readonly index: number;
  readonly name?: string;
  readonly code: 'INVALID_NAME' | 'INVALID_SCHEMA' | 'INVALID_SPEC' | 'NAME_RESERVED' | 'NOT_ALLOWED' | 'TOO_MANY';
  readonly message: string;
}

/** What a device says to a call: `output` is text, or any JSON. */
export interface DeviceResult {
  readonly id: string;
  readonly success: boolean;
  readonly output: JsonValue;
  readonly error?: string;
  /** What comes beside the output: texts, pictures and files, as the device has put them. */
  readonly content?: readonly JsonValue[];
}

/** A piece of a file of a result, which comes after the last piece. */
export interface ResultChunk extends FilePiece {
  /** That of the call. */
  readonly id: string;
}

/**
 * What became of a result: it counts · the call is over by a timeout or an abort · no such call was ever sent to this
 * socket · it was answered before · it is none that can be taken.
 */
export type ResultStatus = 'accepted' | 'late' | 'unknown' | 'duplicate' | 'invalid';

/** The tools that devices offer, as the door sees them. Nothing here waits: each is done when it returns. */
export interface DeviceTools {
  attach(link: DeviceLink): void;
  /** Takes what is valid of an offer, beside what the socket has on offer already. */
  offer(connection: string, specs: readonly JsonValue[]): ToolsOffered;
  withdraw(
    connection: string,
    names: readonly string[],
  ): { readonly removed: readonly string[]; readonly registered: number };
  offered(
    connection: string,
  ): readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[];
  settle(connection: string, result: DeviceResult): ResultStatus;
  /** Takes a piece of a file. The device need be told of it only if it is not accepted. */
  chunk(connection: string, chunk: ResultChunk): ResultStatus;
  /** The call still goes on: it is shown, and its time may begin anew, up to the most that a call may take. */
  progress(connection: string, id: string, message: string): void;
  /** The socket is gone: its tools with it, in this instant. */
  detach(connection: string): void;
}
