import { randomUUID } from 'node:crypto';
import { oneLine } from '../../../lib/plain-text.ts';
import { Remembered } from '../../../lib/remembered.ts';
import { readAnswer } from './device-answer.ts';
import type { DeviceLink, DeviceResult, ResultChunk, ResultStatus } from './device-link.ts';
import { FileParts } from './file-parts.ts';
import type { OfferedTool } from './offered-tool.ts';
import type { Patience } from './patience.ts';
import type { DeviceOutcome, Interruption, WantedCall } from './wanted-call.ts';

/** What a call that goes on holds on to. */
interface Pending {
  readonly parts: FileParts;
  readonly patience: Patience;
  readonly end: (outcome: DeviceOutcome) => void;
  readonly progress: (status: string) => void;
}

/** What is asked of a socket, until it is interrupted. */
export interface Asking {
  readonly patience: Patience;
  /** Aborts with an `Interruption` as its reason. */
  readonly interruption: AbortSignal;
}

/** Of so many calls that are over it is known how they ended. */
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
  constructor({ link, maxBytes }: { readonly link: DeviceLink; readonly maxBytes: number }) {
    this.link = link;
    this.#maxBytes = maxBytes;
  }

  /** Asks the device. Undefined if it cannot be sent anything. */
  ask(
    { tool, args, callId, progress }: WantedCall,
    { patience, interruption }: Asking,
  ): Promise<DeviceOutcome> | undefined {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<DeviceOutcome>();
    const interrupt = (): void => this.#cancel(id, interruptionOf(interruption));
    const end = (outcome: DeviceOutcome): void => {
      interruption.removeEventListener('abort', interrupt);
      this.#calls.delete(id);
      this.#ended.set(id, outcome.type === 'answered' || outcome.type === 'invalid' ? 'answered' : 'over');
      resolve(outcome);
    };
    this.#calls.set(id, { parts: new FileParts({ maxBytes: this.#maxBytes }), patience, end, progress });
    const request = { id, name: tool, args, timeout_ms: patience.left, tool_call_id: callId };
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
    const answer = readAnswer(result, { files: call.parts, maxBytes: this.#maxBytes });
    if (typeof answer === 'string') {
      call.end({ type: 'invalid', why: answer });
      return 'invalid';
    }
    call.end({ type: 'answered', answer });
    return 'accepted';
  }

  chunk({ id, ...piece }: ResultChunk): ResultStatus {
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

  progress(id: string, message: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    call.patience.renew();
    const words = oneLine(message.slice(0, 10 * longestProgress).toWellFormed(), longestProgress);
    if (words !== '') call.progress(words);
  }

  /** The socket is gone. */
  close(): void {
    for (const call of [...this.#calls.values()]) call.end({ type: 'lost' });
  }

  #cancel(id: string, why: Interruption): void {
    this.#calls.get(id)?.end({ type: why });
    this.link.send({ type: 'tool_call_cancelled', id, reason: why === 'timed-out' ? 'timeout' : 'aborted' });
  }

  #statusOf(id: string): ResultStatus {
    const ended = this.#ended.get(id);
    if (ended === undefined) return 'unknown';
    return ended === 'answered' ? 'duplicate' : 'late';
  }
}

/** Why it was interrupted. */
export function interruptionOf({ reason }: AbortSignal): Interruption {
  return reason === 'timed-out' ? 'timed-out' : 'stopped';
}
