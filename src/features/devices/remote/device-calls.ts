import { randomUUID } from 'node:crypto';
import type { Device } from '../../../conversation/access/access.ts';
import { type Clock, onAbort, untilAborted } from '../../../lib/clock.ts';
import { isDeeperThan, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { signal } from '../../../lib/live.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { Remembered } from '../../../lib/remembered.ts';
import { deepestArguments } from '../../../tools/arguments.ts';
import type { ToolRegistration } from '../../../tools/registry.ts';
import type { ResultFile } from '../../../tools/sources/keep-files.ts';
import type { ToolCategory, ToolContext } from '../../../tools/tool.ts';
import { type FileParts, type FilePiece, fileParts, notWhole, tooLarge } from './file-parts.ts';

/*
 * A call of a device's tool. `deviceCalls` finds a socket of the device that offers the tool, or waits for one.
 * `ask` of a connection sends the request under a one-time id and takes that socket's replies: chunks and progress
 * renew the timeout, a result ends the call. A timeout, a stop or the end of the socket ends it too. If the device
 * disconnects, only an idempotent tool is retried.
 */

/** One socket of a paired device. */
export interface DeviceLink {
  /** Its tools belong to the person who paired it. */
  readonly device: Pick<Device, 'id' | 'name' | 'principal'>;
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

/** A tool as a device described it, cleaned for models. */
export interface ToolSpec {
  /** The device's name for it. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** Hash of the whole description: another fingerprint means another tool. */
  readonly fingerprint: string;
}

/** A tool of a device, with the operator's settings for it. */
export interface DeviceTool extends Pick<DeviceLink, 'device'> {
  readonly spec: ToolSpec;
  readonly category: ToolCategory;
  /** How long the device may be silent, in ms. */
  readonly timeout: number;
  /** Whether it may be retried after an unknown outcome. */
  readonly isIdempotent: boolean;
}

export interface OfferedTool extends DeviceTool {
  /** Increases with each offered tool. */
  readonly order: number;
  /** The tool under the name that its person's chats use. Returns the same object for the same name. */
  readonly registeredAs: (name: string) => ToolRegistration;
}

/** A call of a device's tool. Any socket of the device that offers the tool may serve it. */
export interface WantedCall extends Pick<ToolContext, 'callId' | 'signal' | 'progress'> {
  readonly tool: DeviceTool;
  readonly args: JsonObject;
}

/** Why a call ended without an answer. */
type Interruption = 'timed-out' | 'stopped';

/** The outcome of a call on the device. */
export type DeviceOutcome =
  | DeviceAnswer
  /** Its answer is malformed. */
  | { readonly type: 'invalid'; readonly why: string }
  | { readonly type: Interruption }
  /** The device disconnected during the call. */
  | { readonly type: 'lost' }
  /** No device was asked. */
  | { readonly type: 'absent' }
  /** The device has changed the tool since, and was not asked again. */
  | { readonly type: 'changed'; readonly wasAsked: boolean };

export interface DeviceAnswer {
  readonly type: 'answered';
  readonly succeeded: boolean;
  readonly parts: readonly (string | ResultFile)[];
}

/** Upper bound for a call, whatever its progress, in ms. */
const longestCall = 600_000;

/** Calls tools of devices: once, or until answered if idempotent. `socketsOf`: a device's sockets, newest first. */
export function deviceCalls(clock: Clock, socketsOf: (deviceId: string) => readonly DeviceConnection[]) {
  const offers = signal<string>();

  async function attempts(wanted: WantedCall, patience: Patience): Promise<DeviceOutcome> {
    const { device, spec, isIdempotent } = wanted.tool;
    const { interruption } = patience;
    let wasAsked = false;
    while (!interruption.aborted) {
      const offering = socketsOf(device.id).filter(({ tools }) => tools.has(spec.name));
      const same = offering.filter(({ tools }) => tools.get(spec.name)?.spec.fingerprint === spec.fingerprint);
      if (same.length === 0 && offering.length > 0) return { type: 'changed', wasAsked };
      let asked: Promise<DeviceOutcome> | undefined;
      for (const socket of same) asked ??= socket.ask(wanted, patience);
      const outcome = await (asked ?? whenOffered(device.id, interruption));
      wasAsked ||= asked !== undefined;
      if (outcome !== undefined && (outcome.type !== 'lost' || !isIdempotent)) return outcome;
    }
    return wasAsked ? { type: interruptionOf(interruption) } : { type: 'absent' };
  }

  /** Resolves when the device offers tools, or on interruption. */
  async function whenOffered(deviceId: string, interruption: AbortSignal): Promise<undefined> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unlisten = offers.listen((id) => id === deviceId && resolve());
    await untilAborted(promise, interruption);
    unlisten();
  }

  return {
    /** Waits for an absent device as long as the call may take. Never rejects. */
    async run(wanted: WantedCall): Promise<DeviceOutcome> {
      const patience = startPatience(clock, wanted.tool.timeout, wanted.signal);
      try {
        return await attempts(wanted, patience);
      } finally {
        patience.stop();
      }
    },

    /** The device has offered tools: wakes its waiting calls. */
    offered: offers.tell,
  };
}

function interruptionOf({ reason }: AbortSignal): Interruption {
  return reason === 'timed-out' ? 'timed-out' : 'stopped';
}

export interface Patience {
  /** Aborts when the time is over, or with the call. */
  readonly interruption: AbortSignal;
  /** Time left, in ms. */
  left(): number;
  /** Restarts the timeout. */
  renew(): void;
  stop(): void;
}

/** A timeout that each sign of life renews, up to `longestCall` in total. `stopped`: the signal of the call. */
function startPatience(clock: Clock, timeout: number, stopped: AbortSignal): Patience {
  const over = new AbortController();
  const last = clock.now() + longestCall;
  let until = 0;
  let cancel = (): void => {};
  const left = (): number => Math.max(0, until - clock.now());
  const renew = (): void => {
    cancel();
    until = Math.min(clock.now() + timeout, last);
    cancel = clock.after(left(), () => over.abort('timed-out'));
  };
  // The runner aborts a call whose time is up with a `TimeoutError`.
  const unlisten = onAbort(stopped, () =>
    over.abort(stopped.reason?.name === 'TimeoutError' ? 'timed-out' : 'stopped'),
  );
  renew();
  return {
    interruption: over.signal,
    left,
    renew,
    stop() {
      unlisten();
      cancel();
    },
  };
}

interface Pending {
  readonly parts: FileParts;
  readonly patience: Patience;
  readonly end: (outcome: DeviceOutcome) => void;
  readonly progress: (status: string) => void;
}

/** Ended calls whose outcome is remembered, to tell late and duplicate results apart. */
const rememberedCalls = 256;
const longestProgress = 200;

export type DeviceConnection = ReturnType<typeof createDeviceConnection>;

/** One socket of a device: its offered tools and its open calls. `maxBytes`: per result. */
export function createDeviceConnection(link: DeviceLink, maxBytes: number) {
  /** By the device's names, in order of offer. */
  const tools = new Map<string, OfferedTool>();
  const calls = new Map<string, Pending>();
  const ended = new Remembered<string, ResultStatus>(rememberedCalls);

  const statusOf = (id: string): ResultStatus => ended.get(id) ?? 'unknown';

  return {
    link,
    tools,

    /** Sends a call. Undefined if the socket cannot send. */
    ask({ tool, args, callId, progress }: WantedCall, patience: Patience): Promise<DeviceOutcome> | undefined {
      const { interruption } = patience;
      const id = randomUUID();
      const { promise, resolve } = Promise.withResolvers<DeviceOutcome>();
      const interrupt = (): void => {
        const why = interruptionOf(interruption);
        end({ type: why });
        link.send({ type: 'tool_call_cancelled', id, reason: why === 'timed-out' ? 'timeout' : 'aborted' });
      };
      const end = (outcome: DeviceOutcome): void => {
        interruption.removeEventListener('abort', interrupt);
        calls.delete(id);
        ended.set(id, outcome.type === 'answered' || outcome.type === 'invalid' ? 'duplicate' : 'late');
        resolve(outcome);
      };
      calls.set(id, { parts: fileParts(maxBytes), patience, end, progress });
      const request = { id, name: tool.spec.name, args, timeout_ms: patience.left(), tool_call_id: callId };
      if (!link.send({ type: 'tool_call_request', ...request })) {
        calls.delete(id);
        return undefined;
      }
      interruption.addEventListener('abort', interrupt, { once: true });
      return promise;
    },

    settle(result: DeviceResult): ResultStatus {
      const call = calls.get(result.id);
      if (call === undefined) return statusOf(result.id);
      const outcome = readAnswer(result, call.parts, maxBytes);
      call.end(outcome);
      return outcome.type === 'answered' ? 'accepted' : 'invalid';
    },

    /** Adds a piece of a file. The device gets a reply only if it is refused. */
    chunk(id: string, piece: FilePiece): ResultStatus {
      const call = calls.get(id);
      if (call === undefined) return statusOf(id);
      const fault = call.parts.add(piece);
      if (fault === undefined) {
        call.patience.renew();
        return 'accepted';
      }
      call.end(invalid(fault));
      link.send({ type: 'tool_call_cancelled', id, reason: 'aborted' });
      return 'invalid';
    },

    /** Shows progress of a call and renews its timeout. */
    progress(id: string, message: string): void {
      const call = calls.get(id);
      if (call === undefined) return;
      call.patience.renew();
      const words = oneLine(message.slice(0, 10 * longestProgress).toWellFormed(), longestProgress);
      if (words !== '') call.progress(words);
    },

    withdraw(names: readonly string[]): { readonly removed: readonly string[]; readonly registered: number } {
      const removed = [...new Set(names)].filter((name) => tools.delete(name));
      return { removed, registered: tools.size };
    },

    offered() {
      const specs = [...tools.values()].map(({ spec }) => spec);
      return specs.map(({ name, description, parameters }) => ({ name, description, parameters }));
    },

    close(): void {
      for (const call of [...calls.values()]) call.end({ type: 'lost' });
    },
  };
}

const mostItems = 50;
const fileTypes: readonly JsonValue[] = ['image', 'audio', 'file'];

/** Reads a result and its earlier `files`. */
function readAnswer(result: DeviceResult, files: FileParts, maxBytes: number) {
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
  return { type: 'answered', succeeded: success, parts } as const;
}

/** `why`: half a sentence. */
function invalid(why: string) {
  return { type: 'invalid', why } as const;
}

function textOf(output: JsonValue): string {
  if (output === null) return '';
  return typeof output === 'string' ? output.toWellFormed() : JSON.stringify(output, null, 2);
}
