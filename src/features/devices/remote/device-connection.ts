import { randomUUID } from 'node:crypto';
import { isDeeperThan, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { Remembered } from '../../../lib/remembered.ts';
import { deepestArguments } from '../../../tools/arguments.ts';
import type { ResultFile } from '../../../tools/sources/keep-files.ts';
import type {
  DeviceAnswer,
  DeviceOutcome,
  DeviceTool,
  InvalidAnswer,
  OfferedTool,
  Patience,
  ToolSpec,
  WantedCall,
} from './device-call.ts';
import { FileParts, type FilePiece, notWhole, tooLarge } from './file-parts.ts';

/** One socket of a paired device. */
export interface DeviceLink extends Pick<DeviceTool, 'device'> {
  /** Returns false if the socket is closed or its send buffer is full. */
  send(frame: DeviceFrame): boolean;
}

/** What a device is sent about its tools. It gets nothing else of a conversation: no chat ids, paths or secrets. */
export type DeviceFrame =
  | {
      readonly type: 'tool_call_request';
      /** Used once, and known only to this socket. */
      readonly id: string;
      readonly name: string;
      readonly args: JsonObject;
      readonly timeout_ms: number;
      /** The call's id in `tool_call` frames. */
      readonly tool_call_id: string;
    }
  | { readonly type: 'tool_call_cancelled'; readonly id: string; readonly reason: 'timeout' | 'aborted' };

/** A device's result: `output` is text or any JSON; `content` holds additional texts, pictures and files. */
export interface DeviceResult {
  readonly id: string;
  readonly success: boolean;
  readonly output: JsonValue;
  readonly error?: string | undefined;
  readonly content?: readonly JsonValue[] | undefined;
}

/**
 * `late`: the call timed out or was aborted · `unknown`: this socket was never sent that call · `duplicate`: answered
 * before · `invalid`: the result is malformed.
 */
export type ResultStatus = 'accepted' | 'late' | 'unknown' | 'duplicate' | 'invalid';

/** Ended calls whose outcome is remembered, to tell late and duplicate results apart. */
const rememberedCalls = 256;
const longestProgress = 200;

interface Pending {
  readonly id: string;
  readonly parts: FileParts;
  readonly patience: Patience;
  readonly progress: (status: string) => void;
  readonly resolve: (outcome: DeviceOutcome) => void;
  readonly interrupt: () => void;
}

/** One socket of a device: its offered tools and its open calls. */
export class DeviceConnection {
  readonly link: DeviceLink;
  /** By the device's names, in order of offer. */
  readonly tools = new Map<string, OfferedTool>();
  readonly #maxBytes: number;
  readonly #calls = new Map<string, Pending>();
  readonly #ended = new Remembered<string, ResultStatus>(rememberedCalls);

  /** `maxBytes`: per result. */
  constructor(link: DeviceLink, maxBytes: number) {
    this.link = link;
    this.#maxBytes = maxBytes;
  }

  /** Sends a call. Undefined if the socket cannot send. */
  ask({ tool, args, callId, progress }: WantedCall, patience: Patience): Promise<DeviceOutcome> | undefined {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<DeviceOutcome>();
    const parts = new FileParts(this.#maxBytes);
    const call: Pending = { id, parts, patience, progress, resolve, interrupt: () => this.#interrupt(call) };
    this.#calls.set(id, call);
    const request = { id, name: tool.spec.name, args, timeout_ms: patience.left(), tool_call_id: callId };
    if (!this.link.send({ type: 'tool_call_request', ...request })) {
      this.#calls.delete(id);
      return undefined;
    }
    patience.interruption.addEventListener('abort', call.interrupt, { once: true });
    return promise;
  }

  settle(result: DeviceResult): ResultStatus {
    const call = this.#calls.get(result.id);
    if (call === undefined) return this.#statusOf(result.id);
    const outcome = readAnswer(result, call.parts, this.#maxBytes);
    this.#end(call, outcome);
    return outcome.type === 'answered' ? 'accepted' : 'invalid';
  }

  /** Adds a piece of a file. The device gets a reply only if it is refused. */
  chunk(id: string, piece: FilePiece): ResultStatus {
    const call = this.#calls.get(id);
    if (call === undefined) return this.#statusOf(id);
    const fault = call.parts.add(piece);
    if (fault === undefined) {
      call.patience.renew();
      return 'accepted';
    }
    this.#end(call, invalid(fault));
    this.link.send({ type: 'tool_call_cancelled', id, reason: 'aborted' });
    return 'invalid';
  }

  /** Shows progress of a call and renews its timeout. */
  progress(id: string, message: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    call.patience.renew();
    const words = oneLine(message.slice(0, 10 * longestProgress).toWellFormed(), longestProgress);
    if (words !== '') call.progress(words);
  }

  withdraw(names: readonly string[]): { readonly removed: readonly string[]; readonly registered: number } {
    const removed = [...new Set(names)].filter((name) => this.tools.delete(name));
    return { removed, registered: this.tools.size };
  }

  offered(): readonly Pick<ToolSpec, 'name' | 'description' | 'parameters'>[] {
    const specs = [...this.tools.values()].map(({ spec }) => spec);
    return specs.map(({ name, description, parameters }) => ({ name, description, parameters }));
  }

  close(): void {
    for (const call of [...this.#calls.values()]) this.#end(call, { type: 'lost' });
  }

  #interrupt(call: Pending): void {
    const why = call.patience.whyInterrupted;
    this.#end(call, { type: why });
    const reason = why === 'timed-out' ? 'timeout' : 'aborted';
    this.link.send({ type: 'tool_call_cancelled', id: call.id, reason });
  }

  #end({ id, patience, interrupt, resolve }: Pending, outcome: DeviceOutcome): void {
    patience.interruption.removeEventListener('abort', interrupt);
    this.#calls.delete(id);
    this.#ended.set(id, outcome.type === 'answered' || outcome.type === 'invalid' ? 'duplicate' : 'late');
    resolve(outcome);
  }

  #statusOf(id: string): ResultStatus {
    return this.#ended.get(id) ?? 'unknown';
  }
}

const mostItems = 50;
const fileTypes: readonly JsonValue[] = ['image', 'audio', 'file'];

/** Reads a result and its earlier `files`. */
function readAnswer(result: DeviceResult, files: FileParts, maxBytes: number): DeviceAnswer | InvalidAnswer {
  const { success, output, error, content = [] } = result;
  if (isDeeperThan(output, deepestArguments)) return invalid('its output is nested too deeply');
  if (content.length > mostItems) return invalid(`its content has more than ${mostItems} items`);
  const said = textOf(output);
  // Old clients repeat the error as output.
  const words = success || error === undefined ? [said] : said === error ? [error] : [error, said];
  const parts: (string | ResultFile)[] = words.filter((text) => text.trim() !== '');
  for (const item of content) {
    if (!isJsonObject(item)) return invalid('its content holds something that is no object');
    const { type = '', text, media_type: mediaType, name } = item;
    const isText = type === 'text' && typeof text === 'string';
    if (!isText && !fileTypes.includes(type))
      return invalid('its content holds something that is neither text, image, audio nor file');
    const bytes = isText ? undefined : files.bytesOf(item);
    if (isText) parts.push(text.toWellFormed());
    else if (bytes === undefined) return invalid(notWhole);
    else
      parts.push({
        name: typeof name === 'string' && name !== '' ? name : String(type),
        mediaType: typeof mediaType === 'string' ? mediaType : 'application/octet-stream',
        bytes,
      });
  }
  const sizes = parts.map((part) => (typeof part === 'string' ? Buffer.byteLength(part) : part.bytes.length));
  if (sizes.reduce((sum, size) => sum + size, 0) > maxBytes) return invalid(tooLarge(maxBytes));
  return { type: 'answered', succeeded: success, parts };
}

function invalid(why: string): InvalidAnswer {
  return { type: 'invalid', why };
}

function textOf(output: JsonValue): string {
  if (output === null) return '';
  return typeof output === 'string' ? output.toWellFormed() : JSON.stringify(output, null, 2);
}
