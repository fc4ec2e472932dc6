import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import { isDeeperThan, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { Remembered } from '../../../lib/remembered.ts';
import { deepestArguments } from '../../../tools/arguments.ts';
import type { ToolRegistration } from '../../../tools/registry.ts';
import type { ToolCategory, ToolContext } from '../../../tools/tool.ts';
import { type FileParts, type FilePiece, fileParts, type SentFile, tooLarge } from './file-parts.ts';

/*
 * A call of a device's tool. `deviceCalls` finds a socket of the device that offers the tool, or waits for one.
 * `DeviceConnection.ask` sends the request under a one-time id and takes that socket's replies: chunks and progress
 * renew the timeout, a result ends the call. A timeout, a stop or the end of the socket ends it too. If the device
 * disconnects, only an idempotent tool is retried.
 */

/** One socket of a paired device. */
export interface DeviceLink {
  /** Unique per socket. */
  readonly connection: string;
  /** The paired device and the name its owner gave it. */
  readonly device: { readonly id: string; readonly name: string };
  /** The account that paired the device: its tools belong to that person. */
  readonly principal: string;
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

export interface OfferedTool {
  readonly spec: ToolSpec;
  /** Increases with each offered tool. */
  readonly order: number;
  /** The tool under the name that its person's chats use. Returns the same object for the same name. */
  readonly registeredAs: (name: string) => ToolRegistration;
}

/** An offered tool, its device, and the operator's settings for it. */
export interface DeviceTool extends Pick<DeviceLink, 'device'> {
  readonly spec: ToolSpec;
  readonly category: ToolCategory;
  /** How long the device may be silent, in ms. */
  readonly timeout: number;
  /** Whether it may be retried after an unknown outcome. */
  readonly isIdempotent: boolean;
}

/** A call of a device's tool. Any socket of the device that offers the tool may serve it. */
interface WantedCall extends Pick<ToolContext, 'callId' | 'signal' | 'progress'> {
  readonly tool: DeviceTool;
  readonly args: JsonObject;
}

/** Why a call ended without an answer. */
type Interruption = 'timed-out' | 'stopped';

/** The outcome of a call on the device. */
export type DeviceOutcome =
  | { readonly type: 'answered'; readonly answer: DeviceAnswer }
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
  readonly succeeded: boolean;
  readonly parts: readonly (string | SentFile)[];
}

/** Upper bound for a call, whatever its progress, in ms. */
const longestCall = 600_000;

/** Calls tools of devices: once, or until answered if idempotent. `socketsOf`: a device's sockets, newest first. */
export function deviceCalls(clock: Clock, socketsOf: (deviceId: string) => readonly DeviceConnection[]) {
  /** Calls that wait for their device to offer tools. */
  const waiting = new Map<string, Set<() => void>>();

  async function attempts(wanted: WantedCall, patience: Patience, interruption: AbortSignal): Promise<DeviceOutcome> {
    const { device, spec, isIdempotent } = wanted.tool;
    let wasAsked = false;
    while (!interruption.aborted) {
      const offering = socketsOf(device.id).filter(({ tools }) => tools.has(spec.name));
      const same = offering.filter(({ tools }) => tools.get(spec.name)?.spec.fingerprint === spec.fingerprint);
      if (same.length === 0 && offering.length > 0) return { type: 'changed', wasAsked };
      let asked: Promise<DeviceOutcome> | undefined;
      for (const socket of same) asked ??= socket.ask(wanted, patience, interruption);
      if (asked === undefined) {
        await whenOffered(device.id, interruption);
        continue;
      }
      wasAsked = true;
      const outcome = await asked;
      if (outcome.type !== 'lost' || !isIdempotent) return outcome;
    }
    return wasAsked ? { type: interruptionOf(interruption) } : { type: 'absent' };
  }

  /** Resolves when the device offers tools, or on interruption. */
  function whenOffered(deviceId: string, interruption: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const others = waiting.get(deviceId) ?? new Set();
      const goOn = (): void => {
        others.delete(goOn);
        if (others.size === 0) waiting.delete(deviceId);
        interruption.removeEventListener('abort', goOn);
        resolve();
      };
      waiting.set(deviceId, others.add(goOn));
      interruption.addEventListener('abort', goOn, { once: true });
    });
  }

  return {
    /** Waits for an absent device as long as the call may take. Never rejects. */
    async run(wanted: WantedCall): Promise<DeviceOutcome> {
      const interruption = new AbortController();
      const { tool, signal } = wanted;
      // The runner aborts a call whose time is up with a `TimeoutError`.
      const stop = (): void => interruption.abort(signal.reason?.name === 'TimeoutError' ? 'timed-out' : 'stopped');
      const patience = startPatience(clock, tool.timeout, () => interruption.abort('timed-out'));
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      try {
        return await attempts(wanted, patience, interruption.signal);
      } finally {
        signal.removeEventListener('abort', stop);
        patience.stop();
      }
    },

    /** The device has offered tools: wakes its waiting calls. */
    offered(deviceId: string): void {
      for (const goOn of waiting.get(deviceId) ?? []) goOn();
    },
  };
}

function interruptionOf({ reason }: AbortSignal): Interruption {
  return reason === 'timed-out' ? 'timed-out' : 'stopped';
}

type Patience = ReturnType<typeof startPatience>;

/** A timeout that each sign of life renews, up to `longestCall` in total. */
function startPatience(clock: Clock, timeout: number, over: () => void) {
  const last = clock.now() + longestCall;
  let until = 0;
  let cancel = (): void => {};
  const left = (): number => Math.max(0, until - clock.now());
  const renew = (): void => {
    cancel();
    until = Math.min(clock.now() + timeout, last);
    cancel = clock.after(left(), over);
  };
  renew();
  return {
    /** Time left, in ms. */
    left,
    /** Restarts the timeout. */
    renew,
    stop: () => cancel(),
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

/** One socket of a device: its offered tools and its open calls. */
export class DeviceConnection {
  readonly link: DeviceLink;
  /** By the device's names, in order of offer. */
  readonly tools = new Map<string, OfferedTool>();
  readonly #maxBytes: number;
  readonly #calls = new Map<string, Pending>();
  readonly #ended = new Remembered<string, 'answered' | 'over'>(rememberedCalls);

  /** `maxBytes`: per result. */
  constructor(link: DeviceLink, maxBytes: number) {
    this.link = link;
    this.#maxBytes = maxBytes;
  }

  /** Sends a call; the signal aborts it with an `Interruption`. Undefined if the socket cannot send. */
  ask(
    { tool, args, callId, progress }: WantedCall,
    patience: Patience,
    interruption: AbortSignal,
  ): Promise<DeviceOutcome> | undefined {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<DeviceOutcome>();
    const interrupt = (): void => {
      const why = interruptionOf(interruption);
      end({ type: why });
      this.link.send({ type: 'tool_call_cancelled', id, reason: why === 'timed-out' ? 'timeout' : 'aborted' });
    };
    const end = (outcome: DeviceOutcome): void => {
      interruption.removeEventListener('abort', interrupt);
      this.#calls.delete(id);
      this.#ended.set(id, outcome.type === 'answered' || outcome.type === 'invalid' ? 'answered' : 'over');
      resolve(outcome);
    };
    this.#calls.set(id, { parts: fileParts(this.#maxBytes), patience, end, progress });
    const request = { id, name: tool.spec.name, args, timeout_ms: patience.left(), tool_call_id: callId };
    if (!this.link.send({ type: 'tool_call_request', ...request })) {
      this.#calls.delete(id);
      return undefined;
    }
    interruption.addEventListener('abort', interrupt, { once: true });
    return promise;
  }

  settle(result: DeviceResult): ResultStatus {
    const call = this.#calls.get(result.id);
    if (call === undefined) return this.#statusOf(result.id);
    const answer = readAnswer(result, call.parts, this.#maxBytes);
    if (typeof answer === 'string') {
      call.end({ type: 'invalid', why: answer });
      return 'invalid';
    }
    call.end({ type: 'answered', answer });
    return 'accepted';
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
    call.end({ type: 'invalid', why: fault });
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

  offered() {
    const specs = [...this.tools.values()].map(({ spec }) => spec);
    return specs.map(({ name, description, parameters }) => ({ name, description, parameters }));
  }

  close(): void {
    for (const call of [...this.#calls.values()]) call.end({ type: 'lost' });
  }

  #statusOf(id: string): ResultStatus {
    const ended = this.#ended.get(id);
    if (ended === undefined) return 'unknown';
    return ended === 'answered' ? 'duplicate' : 'late';
  }
}

const mostItems = 50;

/** Reads a result and its earlier `files`, or returns why it is invalid, as half a sentence. */
function readAnswer(result: DeviceResult, files: FileParts, maxBytes: number): DeviceAnswer | string {
  const { success, output, error, content = [] } = result;
  if (isDeeperThan(output, deepestArguments)) return 'its output is nested too deeply';
  if (content.length > mostItems) return `its content has more than ${mostItems} items`;
  const said = textOf(output);
  // Old clients repeat the error as output.
  const words = success || error === undefined ? [said] : said === error ? [error] : [error, said];
  const parts: (string | SentFile)[] = words.filter((text) => text.trim() !== '');
  for (const item of content) {
    const part = itemOf(item, files);
    if ('fault' in part) return part.fault;
    parts.push(part.value);
  }
  const size = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  return size > maxBytes ? tooLarge(maxBytes) : { succeeded: success, parts };
}

function textOf(output: JsonValue): string {
  if (output === null) return '';
  return typeof output === 'string' ? output.toWellFormed() : JSON.stringify(output, null, 2);
}

function itemOf(item: JsonValue, files: FileParts): { readonly value: string | SentFile } | { readonly fault: string } {
  if (!isJsonObject(item)) return { fault: 'its content holds something that is no object' };
  const { type, text } = item;
  if (type === 'text' && typeof text === 'string') return { value: text.toWellFormed() };
  if (type !== 'image' && type !== 'audio' && type !== 'file')
    return { fault: 'its content holds something that is neither text, image, audio nor file' };
  const file = files.fileOf(item);
  return file === undefined ? { fault: 'a file of it is missing, not whole, or no base64' } : { value: file };
}

function sizeOf(part: string | SentFile): number {
  return typeof part === 'string' ? Buffer.byteLength(part) : part.bytes.length;
}
