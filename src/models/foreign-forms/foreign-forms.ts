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

/**
 * The body as server-sent events in the provider's own form. Ends when the answer does, even if the server leaves the
 * connection open. Errors only if the request is aborted.
 */
export function inOwnForm(body: ReadableStream<Uint8Array>, options: ReadOptions): ReadableStream<Uint8Array> {
  const { failed } = options;
  const decoder = new TextDecoder();
  const reading: Reading = {
    ...options,
    source: body.getReader(),
    decode: (piece) => decoder.decode(piece, { stream: true }),
  };
  const { source } = reading;
  const encoder = new TextEncoder();
  const answer = new BodyReader(options.dialect);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const text = await nextText(answer, reading);
        const rest = text === undefined ? answer.end() : text;
        if (rest !== '') controller.enqueue(encoder.encode(rest));
        if (text !== undefined && !answer.isOver) return;
        if (answer.fault !== undefined) failed(answer.fault);
        controller.close();
        if (text === undefined) return;
        await (answer.fault === undefined ? leave(source) : source.cancel());
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

interface Reading extends ReadOptions {
  readonly source: ReadableStreamDefaultReader<Uint8Array>;
  readonly decode: (piece: Uint8Array) => string;
}

/** The next events, or none if there is nothing left to read. Undefined at the end of the body. */
async function nextText(answer: AnswerReader, reading: Reading): Promise<string | undefined> {
  let text: string | undefined = '';
  while (text === '' && !answer.isOver) text = await advance(answer, reading);
  return text;
}

/** What the next piece brings. Undefined at the end. */
async function advance(answer: AnswerReader, reading: Reading): Promise<string | undefined> {
  let piece: Uint8Array | undefined;
  try {
    piece = await nextPiece(answer, reading);
  } catch (error) {
    if (reading.signal?.aborted === true) throw error;
    answer.fail({ type: 'lost', error });
  }
  return piece && answer.take(reading.decode(piece));
}

/** Undefined at the end. */
async function nextPiece(answer: AnswerReader, { source, clock }: Reading): Promise<Uint8Array | undefined> {
  const piece = source.read();
  if (answer.isComplete && !(await endsWithin(piece.catch(noError), { clock, milliseconds: longestTail }))) {
    await source.cancel();
    return undefined;
  }
  return (await piece).value;
}

/** How long a complete answer is waited for its end, in ms: its usage may follow. */
const longestTail = 5_000;

const noError = (): undefined => undefined;

/** Ends reading. If the body ends by itself now, its connection serves the next request. */
async function leave(source: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const { done } = await source.read().catch(() => ({ done: true }));
  if (!done) await source.cancel();
}

interface AnswerReader {
  /** The events that are ready. */
  take(text: string): string;
  /** The events at the end of the body. */
  end(): string;
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

  end(): string {
    const events = this.#frames.end().map((frame) => this.#read(frame));
    return events.join('') + this.#close();
  }

  fail(why: BodyFault): void {
    if (!this.#isComplete) this.#fault ??= why;
  }

  #read(frame: Frame): string {
    if (this.#isDone || this.#fault !== undefined) return '';
    switch (frame.type) {
      case 'strange':
        if (!this.#isKnown) this.fail({ type: 'strange' });
        return '';
      case 'words':
        return this.#readWords(frame.text, frame.name);
      case 'value':
        this.#isForeign ||= frame.isBare === true;
        return (Array.isArray(frame.value) ? frame.value : [frame.value])
          .map((value: JsonValue) => (isJsonObject(value) ? this.#readValue(value, frame.name) : ''))
          .join('');
    }
  }

  /** Words say nothing, as a sign of life does, but for the end and errors. */
  #readWords(text: string, name: string | undefined): string {
    this.#isKnown = true;
    if (/^"?\[?done\]?"?$/i.test(text)) this.#isDone = true;
    else if (name === 'error') this.fail({ type: 'fault', fault: { message: text } });
    else if (/^[[{]/.test(text) && !/^\[[\w -]+\]$/.test(text)) this.fail({ type: 'odd', path: 'data' });
    return '';
  }

  #readValue(value: JsonObject, name: string | undefined): string {
    if (this.#fault !== undefined) return '';
    try {
      const reading = this.#dialect.read(value, name);
      if (reading === undefined) return '';
      this.#isKnown = true;
      if (reading.fault !== undefined) this.fail({ type: 'fault', fault: reading.fault });
      this.#isComplete ||= reading.isEnd === true;
      return reading.chunks.map(toEvent).join('');
    } catch (error) {
      if (!(error instanceof OddForm)) throw error;
      this.#isKnown = true;
      this.fail({ type: 'odd', path: error.path });
      return '';
    }
  }

  take(text: string): string {
    const events = this.#frames
      .take(text)
      .map((frame) => this.#read(frame))
      .join('');
    if (this.#frames.held > longestHeld) this.fail({ type: 'endless' });
    return this.#isDone && this.#fault === undefined ? events + this.#close() : events;
  }

  #close(): string {
    if (this.#isForeign && !this.#isKnown) this.fail({ type: 'strange' });
    if (this.#fault !== undefined) return '';
    return (this.#dialect.close(this.#isDone) ?? []).map(toEvent).join('');
  }
}

/** In characters of one event. No answer is that long. */
const longestHeld = 4_000_000;

function toEvent(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
