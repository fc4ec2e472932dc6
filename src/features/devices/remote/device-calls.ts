import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { Remembered } from '../../../lib/remembered.ts';
import { deepestArguments, isDeeperThan } from '../../../tools/json-schema.ts';
import type { ToolRegistration } from '../../../tools/registry.ts';
import { type FileParts, type FilePiece, fileParts, type SentFile, tooLarge } from './file-parts.ts';

/*
 * A call of a device's tool: `deviceCalls` finds a socket of the device that offers the tool, or waits for one, and has
 * it asked. `DeviceConnection.ask` sends the request under an id that is used once, and takes what that socket answers:
 * chunks of files and progress renew the time of the call, a result ends it. A timeout, a stop or the end of the socket
 * end it as well. Where a device went away, only an idempotent tool is asked again.
 */

/** A device as it is connected now: one socket of one paired device. */
export interface DeviceLink {
  /** Different for each socket. */
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
  | { readonly type: 'tool_call_cancelled'; readonly id: string; readonly reason: 'timeout' | 'aborted' };

/** What a device says to a call: `output` is text, or any JSON; `content` are texts, pictures and files beside it. */
export interface DeviceResult {
  readonly id: string;
  readonly success: boolean;
  readonly output: JsonValue;
  readonly error?: string | undefined;
  readonly content?: readonly JsonValue[] | undefined;
}

/**
 * What became of a result: it counts · the call is over by a timeout or an abort · no such call was ever sent to this
 * socket · it was answered before · it cannot be taken.
 */
export type ResultStatus = 'accepted' | 'late' | 'unknown' | 'duplicate' | 'invalid';

/** A tool as a device has described it, fit to be shown to a model. */
export interface ToolSpec {
  /** The device's name of it. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** Of all that the device says of it: with another fingerprint it is another tool. */
  readonly fingerprint: string;
}

export interface OfferedTool {
  readonly spec: ToolSpec;
  /** Grows with each tool that is offered. */
  readonly order: number;
  /** As it is called where the person is: the same object for the same name. */
  readonly registeredAs: (name: string) => ToolRegistration;
}

/** A call of a device's tool. Any socket of the device that has the tool may be asked. */
export interface WantedCall {
  readonly device: { readonly id: string; readonly name: string };
  /** The device's name of it. */
  readonly tool: string;
  /** The definition that is called: see `ToolSpec`. */
  readonly fingerprint: string;
  readonly args: JsonObject;
  readonly callId: string;
  /** How long it may give no sign of life, in milliseconds. */
  readonly timeout: number;
  /** It may be asked again where nobody knows what came of it. */
  readonly isIdempotent: boolean;
  readonly signal: AbortSignal;
  progress(status: string): void;
}

/** Why a call that was asked is over without an answer. */
type Interruption = 'timed-out' | 'stopped';

/** What became of a call, as far as its device goes. */
export type DeviceOutcome =
  | { readonly type: 'answered'; readonly answer: DeviceAnswer }
  /** Its answer cannot be taken. */
  | { readonly type: 'invalid'; readonly why: string }
  | { readonly type: Interruption }
  /** The device went away while it worked on it. */
  | { readonly type: 'lost' }
  /** It was never asked. */
  | { readonly type: 'absent' }
  /** The device has defined the tool differently since, and was not asked again. */
  | { readonly type: 'changed'; readonly wasAsked: boolean };

export interface DeviceAnswer {
  readonly succeeded: boolean;
  readonly parts: readonly (string | SentFile)[];
}

/** No call takes longer, however many signs of life it gives, in milliseconds. */
const longestCall = 600_000;

/**
 * Has devices called: each call of ours is asked once, or until there is an answer where that does no harm. `socketsOf`: the
 * sockets that a device has now, the newest first.
 */
export function deviceCalls(clock: Clock, socketsOf: (deviceId: string) => readonly DeviceConnection[]) {
  /** The calls that wait for a device to offer its tools. */
  const waiting = new Map<string, Set<() => void>>();

  async function attempts(wanted: WantedCall, patience: Patience, interruption: AbortSignal): Promise<DeviceOutcome> {
    let wasAsked = false;
    while (!interruption.aborted) {
      const offering = socketsOf(wanted.device.id).filter(({ tools }) => tools.has(wanted.tool));
      const same = offering.filter(({ tools }) => tools.get(wanted.tool)?.spec.fingerprint === wanted.fingerprint);
      if (same.length === 0 && offering.length > 0) return { type: 'changed', wasAsked };
      const asked = firstOf(same, (socket) => socket.ask(wanted, patience, interruption));
      if (asked === undefined) {
        await whenOffered(wanted.device.id, interruption);
        continue;
      }
      wasAsked = true;
      const outcome = await asked;
      if (outcome.type !== 'lost' || !wanted.isIdempotent) return outcome;
    }
    return wasAsked ? { type: interruptionOf(interruption) } : { type: 'absent' };
  }

  /** Resolves when the device offers something, or with the interruption. */
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
    /** A device that is not there is waited for, as long as the call may take. Never rejects. */
    async run(wanted: WantedCall): Promise<DeviceOutcome> {
      const interruption = new AbortController();
      const { timeout, signal } = wanted;
      const stop = (): void => interruption.abort(isTimeout(signal.reason) ? 'timed-out' : 'stopped');
      const patience = startPatience(clock, timeout, () => interruption.abort('timed-out'));
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      try {
        return await attempts(wanted, patience, interruption.signal);
      } finally {
        signal.removeEventListener('abort', stop);
        patience.stop();
      }
    },

    /** The device offers tools that it did not offer before. */
    offered(deviceId: string): void {
      for (const goOn of waiting.get(deviceId) ?? []) goOn();
    },
  };
}

function firstOf<One, Result>(all: readonly One[], find: (one: One) => Result | undefined): Result | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether the time of the call was over, as its runner counts. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** The reason of an `AbortSignal` of ours. */
function interruptionOf({ reason }: AbortSignal): Interruption {
  return reason === 'timed-out' ? 'timed-out' : 'stopped';
}

type Patience = ReturnType<typeof startPatience>;

/** A timeout that starts again with each sign of life, and never takes longer than the longest call in all. */
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
    /** How long the call may still take, in milliseconds. */
    left,
    /** A sign of life. */
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

/** How many calls that are over it is known of how they ended. */
const rememberedCalls = 256;
const longestProgress = 200;

/** One socket of a device: the tools that it offers, and the calls that it was asked. */
export class DeviceConnection {
  readonly link: DeviceLink;
  /** By the device's names, in the order of their offer. */
  readonly tools = new Map<string, OfferedTool>();
  readonly #maxBytes: number;
  readonly #calls = new Map<string, Pending>();
  readonly #ended = new Remembered<string, 'answered' | 'over'>(rememberedCalls);

  /** `maxBytes`: of one result. */
  constructor(link: DeviceLink, maxBytes: number) {
    this.link = link;
    this.#maxBytes = maxBytes;
  }

  /** Asks the device, until the signal aborts with an `Interruption`. Undefined if it cannot be sent anything. */
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
    const request = { id, name: tool, args, timeout_ms: patience.left(), tool_call_id: callId };
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

  /** Takes a piece of a file. The device is told of it only if it is not accepted. */
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

  /** The call still goes on: it is shown, and its time begins again, up to the most that a call may take. */
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

/** Reads a result, and `files` that came before it; or says why it cannot be taken, as half a sentence. */
function readAnswer(result: DeviceResult, files: FileParts, maxBytes: number): DeviceAnswer | string {
  const { success, output, error, content = [] } = result;
  if (isDeeperThan(output, deepestArguments)) return 'its output is nested too deeply';
  if (content.length > mostItems) return `its content has more than ${mostItems} items`;
  const said = textOf(output);
  // Old clients say an error twice.
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
