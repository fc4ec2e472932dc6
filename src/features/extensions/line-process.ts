import { Background } from '../../lib/background.ts';
import { type Clock, endsWithin, sleep, untilAborted } from '../../lib/clock.ts';
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
  const pace = createPace(clock, (reason) => fail(`it was ended because ${reason}`));
  let reading: Promise<unknown> = Promise.resolve();
  const over = process.ended.then(async (ending) => {
    pace.end();
    await reading;
    why ??= howEnded(ending);
    return { ...ending, why };
  });

  function howEnded({ exitCode, signal }: ProcessEnding): string {
    const how = exitCode === null ? `it was ended by ${signal}` : `it ended with exit code ${exitCode}`;
    const said = errors.toString('utf8').trim();
    const refusals = process.bounded.refusals({ stdout: '', stderr: said }).map((refusal) => ` ${refusal}`);
    const last = said === '' ? '' : `${printedWords}${oneLine(said, 400)}`;
    return `${how}${last}${refusals.join('')}`;
  }

  function fail(reason: string): void {
    if (why !== undefined) return;
    why = reason;
    failed?.();
    background.run('a process could not be ended', () => process.stop(killGrace));
  }

  async function readLines(): Promise<void> {
    const linesOf = lineSplitter(longestLine);
    for await (const chunk of stdout) {
      if (why !== undefined) continue;
      const lines = linesOf(chunk);
      if (lines === undefined) fail(`it was ended because a line was longer than ${longestLine} bytes`);
      for (const line of lines ?? []) {
        await pace.turnFor(line.length);
        if (why === undefined && line.trim() !== '') received(line);
      }
    }
  }

  async function readErrors(): Promise<void> {
    for await (const chunk of stderr) {
      await pace.turnFor(chunk.length);
      errors = Buffer.concat([errors, chunk]).subarray(-keptErrors);
    }
  }

  return {
    /** Resolves when it and everything it started are gone, and all that it wrote was received. Never rejects. */
    over,
    /** Why it ended or must end: half a sentence, possibly with what it printed. */
    get why(): string | undefined {
      return why;
    },
    begin(): void {
      const all = Promise.all([readLines(), readErrors()]);
      reading = Promise.allSettled([all]);
      background.run('the output of a process could not be read', async () => void (await all));
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
      if (!(await endsWithin(over, { clock, milliseconds: farewell }))) await process.stop(killGrace);
      await over;
      await background.settled();
    },
  };
}

/** What is kept of a long line is released with it. In bytes. */
const firstSize = 65_536;

/** Splits chunks into complete UTF-8 lines, without their ends. Undefined as soon as a line is longer than `maxBytes`. */
export function lineSplitter(maxBytes: number): (chunk: Buffer) => readonly string[] | undefined {
  let kept = Buffer.alloc(firstSize);
  let length = 0;

  /** Copies, so that many small chunks do not cost an object each. */
  function append(bytes: Buffer): void {
    if (length + bytes.length > kept.length)
      kept = Buffer.concat([kept], Math.max(length + bytes.length, 2 * kept.length));
    bytes.copy(kept, length);
    length += bytes.length;
  }

  function take(): string {
    const line = kept.toString('utf8', 0, length);
    length = 0;
    if (kept.length > firstSize) kept = Buffer.alloc(firstSize);
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  return (chunk) => {
    const lines: string[] = [];
    for (let start = 0, end = 0; end !== -1; start = end + 1) {
      end = chunk.indexOf(0x0a, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      if (length + part.length > maxBytes) return undefined;
      append(part);
      if (end !== -1) lines.push(take());
    }
    return lines;
  };
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

/**
 * Limits how fast the output of external programs is read (pipes, HTTP): their readers wait for a turn. `flooded` is
 * called once, with the reason (half a sentence), if they write too much for too long: no turn comes then.
 */
export function createPace(clock: Clock, flooded: (why: string) => void) {
  const ending = new AbortController();
  let left = perTurn;
  let turnBegan = clock.now();
  let fullTurns = 0;
  let last = Promise.resolve();

  function beginTurn(): void {
    left = Math.min(left, 0) + perTurn;
    turnBegan = clock.now();
  }

  async function untilTurn(cost: number): Promise<void> {
    const passed = clock.now() - turnBegan;
    if (passed >= pause) fullTurns = 0;
    // A clock that was set back must not block.
    if (passed < 0 || passed >= turn) beginTurn();
    while (left <= 0 && !ending.signal.aborted) {
      await sleep(clock, turn, ending.signal);
      beginTurn();
      fullTurns += 1;
      if (fullTurns === mostTurns) flooded(`it wrote more than can be read, for ${(mostTurns * turn) / 1000} s`);
      if (fullTurns >= mostTurns) await untilAborted(new Promise(() => {}), ending.signal);
    }
    left -= cost;
  }

  return {
    /** Resolves when this many messages of this size in all may be read, in call order. */
    turnFor(bytes: number, messages = 1): Promise<void> {
      last = last.then(() => untilTurn(messages + bytes / bytesOfOne));
      return last;
    },
    /** What is left is read at once. */
    end: (): void => ending.abort(),
  };
}
