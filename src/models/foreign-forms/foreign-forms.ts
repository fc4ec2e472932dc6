/*
 * The answer of a model server, as its provider's package wants it. Servers differ in small ways from the protocol that they
 * claim to speak, and the packages refuse an answer for any of them. Here the body is cut into events whatever its framing,
 * each is mended by the protocol's dialect, and what says nothing is left out: no piece waits for the next. Once the answer is
 * complete, no fault of form, of the connection or of the server counts any more.
 */

import { type Clock, endsWithin } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { Dialect } from './dialect.ts';
import { createFrameReader, type Frame } from './frames.ts';
import { OddForm } from './mends.ts';

/**
 * Why an answer ended early. `fault`: the server says so · `odd`: a part at this path cannot be understood · `strange`: what
 * answers speaks another protocol · `endless`: it is too long for any answer · `lost`: the connection.
 */
export type BodyFault =
  | { readonly type: 'fault'; readonly fault: JsonObject }
  | { readonly type: 'odd'; readonly path: string }
  | { readonly type: 'strange' | 'endless' }
  | { readonly type: 'lost'; readonly error: unknown };

export interface ReadOptions {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Called before the body ends early, once. All that came before it is read first. */
  readonly failed: (fault: BodyFault) => void;
}

/** A body that is read piece by piece. */
export interface BodySource {
  /** Undefined at the end. Rejects if the connection is lost. */
  next(): Promise<Uint8Array | undefined>;
  /** Leaves the rest, and closes the connection. */
  cancel(): void;
}

/**
 * What the body says, in the provider's own form, as each of its pieces brings it. Ends when the answer does, even if the server
 * leaves the connection open. Throws only if the request is aborted. Who stops reading cancels the body.
 */
export async function* chunksOf(source: BodySource, options: ReadOptions): AsyncGenerator<readonly JsonObject[]> {
  const answer = new BodyReader(options.dialect);
  const decoder = new TextDecoder();
  let isAtEnd = false;
  try {
    while (!isAtEnd && !answer.isOver) {
      const piece = await nextPiece(answer, source, options);
      isAtEnd = piece === undefined;
      const chunks = piece === undefined ? answer.end() : answer.take(decoder.decode(piece, { stream: true }));
      if (chunks.length > 0) yield chunks;
    }
    if (answer.fault !== undefined) options.failed(answer.fault);
    else if (!isAtEnd) {
      isAtEnd = true;
      void leave(source, options.clock);
    }
  } finally {
    if (!isAtEnd) source.cancel();
  }
}

/** The body as server-sent events in the provider's own form, for its package. */
export function inOwnForm(body: ReadableStream<Uint8Array>, options: ReadOptions): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const source: BodySource = {
    next: async () => (await reader.read()).value,
    cancel: () => void reader.cancel().catch(noError),
  };
  const chunks = chunksOf(source, options);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value.map(toEvent).join('')));
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  );
}

/** Undefined at the end, and if the connection is lost. */
async function nextPiece(
  answer: AnswerReader,
  source: BodySource,
  { clock, signal }: ReadOptions,
): Promise<Uint8Array | undefined> {
  const piece = source.next();
  try {
    const isLate = answer.isComplete && !(await endsWithin(piece.catch(noError), { clock, milliseconds: longestTail }));
    if (!isLate) return await piece;
    source.cancel();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    answer.fail({ type: 'lost', error });
  }
  return undefined;
}

/** How long a complete answer is waited for its end, in ms: its usage may follow. */
const longestTail = 5_000;

const noError = (): undefined => undefined;

/** Ends reading. If the body ends by itself now, its connection serves the next request. */
async function leave(source: BodySource, clock: Clock): Promise<void> {
  const rest = source.next().catch(noError);
  const hasEnded = await endsWithin(rest, { clock, milliseconds: longestTail });
  if (!hasEnded || (await rest) !== undefined) source.cancel();
}

interface AnswerReader {
  /** The chunks that are ready. */
  take(text: string): readonly JsonObject[];
  /** Those at the end of the body. */
  end(): readonly JsonObject[];
  fail(fault: BodyFault): void;
  /** Whether all of the answer has come; its usage may follow. */
  readonly isComplete: boolean;
  /** Whether there is nothing left to read. */
  readonly isOver: boolean;
  readonly fault: BodyFault | undefined;
}

class BodyReader implements AnswerReader {
  readonly #dialect: Dialect;
  readonly #frames = createFrameReader();
  #isKnown = false;
  #isForeign = false;
  #isComplete = false;
  #isDone = false;
  #fault: BodyFault | undefined;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get isOver(): boolean {
    return this.#isDone || this.#fault !== undefined;
  }

  get fault(): BodyFault | undefined {
    return this.#fault;
  }

  take(text: string): readonly JsonObject[] {
    const chunks = this.#readAll(this.#frames.take(text));
    if (this.#frames.held > longestHeld) this.fail({ type: 'endless' });
    return this.#isDone && this.#fault === undefined ? [...chunks, ...this.#close()] : chunks;
  }

  end(): readonly JsonObject[] {
    return [...this.#readAll(this.#frames.end()), ...this.#close()];
  }

  fail(why: BodyFault): void {
    if (!this.#isComplete) this.#fault ??= why;
  }

  #readAll(frames: readonly Frame[]): JsonObject[] {
    const chunks: JsonObject[] = [];
    for (const frame of frames) this.#read(frame, chunks);
    return chunks;
  }

  #read(frame: Frame, chunks: JsonObject[]): void {
    if (this.#isDone || this.#fault !== undefined) return;
    switch (frame.type) {
      case 'strange':
        if (!this.#isKnown) this.fail({ type: 'strange' });
        return;
      case 'words':
        this.#readWords(frame.text, frame.name);
        return;
      case 'value': {
        this.#isForeign ||= frame.isBare === true;
        const values: readonly JsonValue[] = Array.isArray(frame.value) ? frame.value : [frame.value];
        for (const value of values) if (isJsonObject(value)) this.#readValue(value, frame.name, chunks);
      }
    }
  }

  /** Words say nothing, as a sign of life does, but for the end and errors. */
  #readWords(text: string, name: string | undefined): void {
    this.#isKnown = true;
    if (/^"?\[?done\]?"?$/i.test(text)) this.#isDone = true;
    else if (name === 'error') this.fail({ type: 'fault', fault: { message: text } });
    else if (/^[[{]/.test(text) && !/^\[[\w -]+\]$/.test(text)) this.fail({ type: 'odd', path: 'data' });
  }

  #readValue(value: JsonObject, name: string | undefined, chunks: JsonObject[]): void {
    if (this.#fault !== undefined) return;
    try {
      const reading = this.#dialect.read(value, name);
      if (reading === undefined) return;
      this.#isKnown = true;
      if (reading.fault !== undefined) this.fail({ type: 'fault', fault: reading.fault });
      this.#isComplete ||= reading.isEnd === true;
      chunks.push(...reading.chunks);
    } catch (error) {
      if (!(error instanceof OddForm)) throw error;
      this.#isKnown = true;
      this.fail({ type: 'odd', path: error.path });
    }
  }

  #close(): readonly JsonObject[] {
    if (this.#isForeign && !this.#isKnown) this.fail({ type: 'strange' });
    return this.#fault === undefined ? (this.#dialect.close(this.#isDone) ?? []) : [];
  }
}

/** In characters of one event. No answer is that long. */
const longestHeld = 4_000_000;

function toEvent(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
