import { Background } from '../lib/background.ts';
import { type Clock, endsWithin } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { oneLine } from '../lib/plain-text.ts';
import { type Words, wordsIn } from '../lib/words.ts';
import type { LongLivedProcess, ProcessEnding } from '../tools/guard/process/process.ts';
import { createPace, type Pace } from './read-pace.ts';
import { enPrinted, extensionWords } from './words.ts';

interface LineProcessSettings {
  readonly clock: Clock;
  readonly log: Log;
  /** In bytes. */
  readonly longestLine: number;
  readonly received: (line: string) => void;
  /** Called when it must be ended. Nothing is received after that. */
  readonly failed?: () => void;
}

/** How much of the end of stderr is kept, in bytes. */
const keptErrors = 2_000;
/** How long it has to exit after its stdin closes, and then between SIGTERM and SIGKILL, in ms. */
const farewell = 500;
const killGrace = 200;
/** The most bytes that may wait in its stdin, more than any call needs. A process that stops reading is ended. */
const mostUnread = 2 ** 24;

/** An external process that speaks in lines. It is ended if it floods, writes too long a line or stops reading. */
export interface LineProcess {
  /** Resolves when it and everything it started are gone, and all that it wrote was received. Never rejects. */
  readonly over: Promise<LineProcessEnding>;
  /** Why it ended or must end: half a sentence, possibly with what it printed. */
  readonly why: Words | undefined;
  begin(): void;
  /** Ends a process that does not read, so that its stdin does not fill our memory. */
  write(line: string): void;
  /** Ends it. The first reason counts. */
  fail(reason: Words): void;
  /** Lets it exit; if it does not, ends it and everything it started. */
  stop(): Promise<void>;
}

export interface LineProcessEnding extends ProcessEnding {
  readonly why: Words;
}

interface LineState extends LineProcessSettings {
  readonly process: LongLivedProcess;
  readonly background: Background;
  readonly pace: Pace;
  errors: Buffer;
  why: Words | undefined;
  reading: Promise<unknown>;
}

export function lineProcess(process: LongLivedProcess, settings: LineProcessSettings): LineProcess {
  const state: LineState = {
    ...settings,
    process,
    background: new Background(settings.log),
    pace: createPace(settings.clock, (seconds) =>
      fail((language) => extensionWords[language].endedForFlood({ seconds }), state),
    ),
    errors: Buffer.alloc(0),
    why: undefined,
    reading: Promise.resolve(),
  };
  const over = process.ended.then((ending) => ended(ending, state));
  return {
    over,
    get why() {
      return state.why;
    },
    begin: () => begin(state),
    write: (line) => write(line, state),
    fail: (reason) => fail(reason, state),
    stop: () => stop(over, state),
  };
}

/** What a log may have of the reason: not what the process printed. */
export function reasonForLog(why: Words): string {
  return wordsIn('en', why).split(enPrinted)[0] ?? '';
}

async function ended(ending: ProcessEnding, state: LineState): Promise<LineProcessEnding> {
  state.pace.end();
  await state.reading;
  state.why ??= howEnded(ending, state);
  return { ...ending, why: state.why };
}

function howEnded({ exitCode, signal }: ProcessEnding, { errors, process }: LineState): Words {
  const stderr = errors.toString('utf8').trim();
  const refusals = process.bounded.refusals({ stdout: '', stderr });
  const printed = stderr === '' ? '' : oneLine(stderr, 400);
  return (language) =>
    extensionWords[language].ended({
      exitCode: exitCode ?? undefined,
      signal: signal ?? undefined,
      printed,
      refusals,
    });
}

function fail(reason: Words, state: LineState): void {
  const { process, background, failed } = state;
  if (state.why !== undefined) return;
  state.why = reason;
  failed?.();
  background.run('a process could not be ended', () => process.stop(killGrace));
}

function begin(state: LineState): void {
  const all = Promise.all([readLines(state), readErrors(state)]);
  state.reading = Promise.allSettled([all]);
  state.background.run('the output of a process could not be read', async () => void (await all));
}

async function readLines(state: LineState): Promise<void> {
  const { process, pace, longestLine, received } = state;
  const lines = new LineSplitter(longestLine);
  for await (const chunk of process.stdout) {
    if (state.why !== undefined) continue;
    const complete = lines.add(chunk);
    if (complete === undefined)
      fail((language) => extensionWords[language].endedForLine({ bytes: longestLine }), state);
    for (const line of complete ?? []) {
      await pace.turnFor(line.length);
      if (state.why === undefined && line.trim() !== '') received(line);
    }
  }
}

async function readErrors(state: LineState): Promise<void> {
  for await (const chunk of state.process.stderr) {
    await state.pace.turnFor(chunk.length);
    state.errors = Buffer.concat([state.errors, chunk]).subarray(-keptErrors);
  }
}

function write(line: string, state: LineState): void {
  const { stdin } = state.process;
  stdin.write(`${line}\n`);
  if (stdin.writableLength > mostUnread) fail((language) => extensionWords[language].endedUnread, state);
}

async function stop(over: Promise<unknown>, { process, clock, background }: LineState): Promise<void> {
  process.stdin.end();
  if (!(await endsWithin(over, { clock, milliseconds: farewell }))) await process.stop(killGrace);
  await over;
  await background.settled();
}

/** What is kept of a long line is released with it. In bytes. */
const firstSize = 65_536;

/** Splits chunks into complete UTF-8 lines, without their ends. */
export class LineSplitter {
  readonly #maxBytes: number;
  #kept = Buffer.alloc(firstSize);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that the chunk completes. Undefined as soon as a line is longer than the most bytes. */
  add(chunk: Buffer): readonly string[] | undefined {
    const lines: string[] = [];
    for (let start = 0, end = 0; end !== -1; start = end + 1) {
      end = chunk.indexOf(0x0a, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      if (this.#length + part.length > this.#maxBytes) return undefined;
      this.#append(part);
      if (end !== -1) lines.push(this.#take());
    }
    return lines;
  }

  /** Copies, so that many small chunks do not cost an object each. */
  #append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#kept.length) this.#kept = Buffer.concat([this.#kept], Math.max(length, 2 * this.#kept.length));
    bytes.copy(this.#kept, this.#length);
    this.#length = length;
  }

  #take(): string {
    const line = this.#kept.toString('utf8', 0, this.#length);
    this.#length = 0;
    if (this.#kept.length > firstSize) this.#kept = Buffer.alloc(firstSize);
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}
