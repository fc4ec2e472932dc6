import type { Readable } from 'node:stream';
import { Background } from '../../lib/background.ts';
import { type Clock, endsWithin } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { oneLine } from '../../lib/plain-text.ts';
import type { LongLivedProcess, ProcessEnding } from '../../tools/guard/process/process.ts';

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

/** Precedes the end of stderr in the reason of an exit. */
export const printedWords = '; the last that it printed as an error was: ';

/** An external process that speaks in lines. It is ended if it floods, writes too long a line or stops reading. */
export function lineProcess(process: LongLivedProcess, settings: LineProcessSettings) {
  const { clock, log, longestLine, received, failed } = settings;
  const { stdin, stdout, stderr } = process;
  const background = new Background(log);
  let errors = Buffer.alloc(0);
  let why: string | undefined;
  const flooded = (reason: string): void => fail(`it was ended because ${reason}`);
  const pacer = createPacer({ clock, streams: [stdout, stderr], flooded });
  const over = process.ended.then((ending) => {
    pacer.end();
    why ??= howEnded(ending);
    return { ...ending, why };
  });

  function howEnded({ exitCode, signal }: ProcessEnding): string {
    const how = exitCode === null ? `it was ended by ${signal}` : `it ended with exit code ${exitCode}`;
    const said = errors.toString('utf8').trim();
    const refusals = process.bounded.refusals(said).map((refusal) => ` ${refusal}`);
    const last = said === '' ? '' : `${printedWords}${oneLine(said, 400)}`;
    return `${how}${last}${refusals.join('')}`;
  }

  function fail(reason: string): void {
    if (why !== undefined) return;
    why = reason;
    failed?.();
    background.run('a process could not be ended', () => process.stop(killGrace));
  }

  return {
    /** Resolves when it and everything it started are gone. Never rejects. */
    over,
    /** Why it ended or must end: half a sentence, possibly with what it printed. */
    get why(): string | undefined {
      return why;
    },
    begin(): void {
      const linesOf = lineSplitter(longestLine);
      const take = (line: string): void => {
        if (why === undefined && line.trim() !== '') received(line);
      };
      stdout.on('data', (chunk: Buffer) => {
        if (why !== undefined) return;
        try {
          for (const line of linesOf(chunk)) pacer.add(line.length, () => take(line));
        } catch (cause) {
          if (!(cause instanceof LineTooLongError)) throw cause;
          fail(`it was ended because ${cause.message}`);
        }
      });
      stderr.on('data', (chunk: Buffer) =>
        pacer.add(chunk.length, () => {
          errors = Buffer.concat([errors, chunk]).subarray(-keptErrors);
        }),
      );
    },
    /** Ends a process that does not read, so that its stdin does not fill our memory. */
    write(line: string): void {
      stdin.write(`${line}\n`);
      if (stdin.writableLength > mostUnread) fail('it did not read what it was told, and was ended');
    },
    /** Ends it. The first reason counts. */
    fail,
    /** Lets it exit; if it does not, ends it and everything it started. */
    async stop(): Promise<void> {
      stdin.end();
      const gone = over.then(() => {});
      if (!(await endsWithin(gone, { clock, milliseconds: farewell }))) await process.stop(killGrace);
      await gone;
      await background.settled();
    },
  };
}

class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

const firstSize = 4_096;

/**
 * Splits chunks into complete UTF-8 lines, without their ends. Throws `LineTooLongError` as soon as a line is too long;
 * the stream is then unusable.
 */
export function lineSplitter(maxBytes: number): (chunk: Buffer) => readonly string[] {
  let kept = Buffer.alloc(0);
  let length = 0;

  /** Copies, so that many small chunks do not cost an object each. */
  function append(bytes: Buffer): void {
    const whole = length + bytes.length;
    if (whole > maxBytes) throw new LineTooLongError(`a line was longer than ${maxBytes} bytes`);
    if (whole > kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(whole, 2 * kept.length, firstSize));
      kept.copy(larger, 0, 0, length);
      kept = larger;
    }
    bytes.copy(kept, length);
    length = whole;
  }

  function take(): string {
    const line = kept.toString('utf8', 0, length);
    kept = Buffer.alloc(0);
    length = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  return (chunk) => {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      append(chunk.subarray(start, end));
      lines.push(take());
      start = end + 1;
    }
    append(chunk.subarray(start));
    return lines;
  };
}

interface PacerParts {
  readonly clock: Clock;
  /** Paused while work is queued, so that the writer waits. Empty if the reader awaits `turnFor`. */
  readonly streams?: readonly Readable[];
  /** Called once with the reason (half a sentence) if a writer writes too much for too long. Nothing more runs then. */
  readonly flooded: (why: string) => void;
}

/** In ms. */
const turn = 100;
/** The budget of a turn. A message costs 1, plus 1 per 8 KB: 2,500 messages or 20 MB a second. */
const perTurn = 250;
const bytesOfOne = 8_192;
/** This many full turns without a pause are a flood: half a minute. */
const mostTurns = 300;
/** A gap of at least this ends a flood: a flooding writer resumes as soon as it is read. In ms. */
const pause = 500;

/** Limits how fast the output of external programs is read (pipes, HTTP). They wait; a flood is reported. */
export function createPacer({ clock, streams = [], flooded }: PacerParts) {
  let queue: { readonly cost: number; readonly run: () => void }[] = [];
  let left = perTurn;
  let turnBegan = clock.now();
  let fullTurns = 0;
  let cancelTurn: (() => void) | undefined;
  let isOver = false;

  function enqueue(cost: number, run: () => void): void {
    if (isOver) return;
    queue.push({ cost, run });
    if (cancelTurn === undefined) work();
  }

  function work(): void {
    const passed = clock.now() - turnBegan;
    // A clock that was set back must not block.
    if (passed < 0 || passed >= turn) {
      // The writer paused.
      if (passed >= pause) fullTurns = 0;
      left = Math.min(left, 0) + perTurn;
      turnBegan = clock.now();
    }
    let done = 0;
    while (done < queue.length && left > 0 && !isOver) {
      const next = queue[done++];
      left -= next?.cost ?? 0;
      next?.run();
    }
    if (isOver) return;
    queue = queue.slice(done);
    for (const stream of streams) if (queue.length > 0) stream.pause();
    if (queue.length > 0) cancelTurn = clock.after(turn, nextTurn);
    else for (const stream of streams) stream.resume();
  }

  function nextTurn(): void {
    cancelTurn = undefined;
    fullTurns += 1;
    if (fullTurns < mostTurns) {
      work();
      return;
    }
    close();
    flooded(`it wrote more than can be read, for ${(mostTurns * turn) / 1000} s`);
  }

  function close(): void {
    isOver = true;
    queue = [];
    cancelTurn?.();
  }

  return {
    /** Runs it now or in a later turn, in call order. */
    add: (bytes: number, run: () => void): void => enqueue(1 + bytes / bytesOfOne, run),
    /** Resolves when this many messages of this size in all may be read; never once it is over. */
    turnFor: (bytes: number, messages: number): Promise<void> =>
      new Promise((resolve) => enqueue(messages + bytes / bytesOfOne, resolve)),
    end(): void {
      const rest = queue;
      close();
      for (const { run } of rest) run();
    },
  };
}
