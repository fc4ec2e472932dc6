import { Background } from '../../lib/background.ts';
import type { Clock } from '../../lib/clock.ts';
import { endsWithin } from '../../lib/ends-within.ts';
import type { Log } from '../../lib/log.ts';
import { oneLine } from '../../lib/plain-text.ts';
import type { LongLivedProcess, ProcessEnding } from '../../tools/guard/process/process.ts';
import { Pacer } from './pacer.ts';

interface LineProcessSettings {
  readonly clock: Clock;
  readonly log: Log;
  /** The longest line that is read, in bytes. */
  readonly longestLine: number;
  readonly received: (line: string) => void;
  /** Called when it has to be ended. Nothing is received after that. */
  readonly failed?: () => void;
}

/** How much of what it printed as errors is kept, in bytes. */
const keptErrors = 2_000;
/** How long it has to end by itself when its input ends, and then between SIGTERM and SIGKILL, in milliseconds. */
const farewell = 500;
const killGrace = 200;
/** How much may wait for it to read it, in bytes: more than any call takes. One that reads no more is ended. */
const mostUnread = 2 ** 24;

/** What stands before what a process has printed, in why it has ended. */
export const printedWords = '; the last that it printed as an error was: ';

/**
 * A process that others have written, and that speaks in lines. One that writes too much, or lines that are too long, or
 * that does not read, is ended.
 */
export class LineProcess {
  readonly #process: LongLivedProcess;
  readonly #settings: LineProcessSettings;
  readonly #background: Background;
  readonly #pacer: Pacer;
  #errors = Buffer.alloc(0);
  #why: string | undefined;
  /** Resolves when it is gone, with all that it started. Never rejects. */
  readonly over: Promise<ProcessEnding & { readonly why: string }>;

  constructor(process: LongLivedProcess, settings: LineProcessSettings) {
    const { stdout, stderr } = process;
    const flooded = (why: string): void => this.fail(`it was ended because ${why}`);
    this.#process = process;
    this.#settings = settings;
    this.#background = new Background(settings.log);
    this.#pacer = new Pacer({ clock: settings.clock, streams: [stdout, stderr], flooded });
    this.over = process.ended.then((ending) => {
      this.#pacer.end();
      this.#why ??= this.#howEnded(ending);
      return { ...ending, why: this.#why };
    });
  }

  /** Why it has ended, or has to: half a sentence, in which may stand what it printed. */
  get why(): string | undefined {
    return this.#why;
  }

  /** From now on it is read. */
  begin(): void {
    const { stdout, stderr } = this.#process;
    const splitter = new LineSplitter({ maxBytes: this.#settings.longestLine });
    stdout.on('data', (chunk: Buffer) => this.#receive(chunk, splitter));
    stderr.on('data', (chunk: Buffer) =>
      this.#pacer.add(chunk.length, () => {
        this.#errors = Buffer.concat([this.#errors, chunk]).subarray(-keptErrors);
      }),
    );
  }

  /** One that goes on asking and reads nothing must not fill our memory. */
  write(line: string): void {
    const { stdin } = this.#process;
    stdin.write(`${line}\n`);
    if (stdin.writableLength > mostUnread) this.fail('it did not read what it was told, and was ended');
  }

  /** Ends it. The first reason counts. */
  fail(why: string): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    this.#settings.failed?.();
    this.#background.run('a process could not be ended', () => this.#process.stop(killGrace));
  }

  /** Lets it end by itself, and ends it with all that it started if it does not. */
  async stop(): Promise<void> {
    this.#process.stdin.end();
    const gone = this.over.then(() => {});
    const isGone = await endsWithin(gone, { clock: this.#settings.clock, milliseconds: farewell });
    if (!isGone) await this.#process.stop(killGrace);
    await gone;
    await this.#background.settled();
  }

  #receive(chunk: Buffer, splitter: LineSplitter): void {
    if (this.#why !== undefined) return;
    const take = (line: string): void => {
      if (this.#why === undefined && line.trim() !== '') this.#settings.received(line);
    };
    try {
      for (const line of splitter.push(chunk)) this.#pacer.add(line.length, () => take(line));
    } catch (cause) {
      if (!(cause instanceof LineTooLongError)) throw cause;
      this.fail(`it was ended because ${cause.message}`);
    }
  }

  #howEnded({ exitCode, signal }: ProcessEnding): string {
    const how = exitCode === null ? `it was ended by ${signal}` : `it ended with exit code ${exitCode}`;
    const said = this.#errors.toString('utf8').trim();
    const refusals = this.#process.refusals(said).map((refusal) => ` ${refusal}`);
    const last = said === '' ? '' : `${printedWords}${oneLine(said, 400)}`;
    return `${how}${last}${refusals.join('')}`;
  }
}

/** A line is longer than any may be. */
class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

const firstSize = 4_096;

/** Takes bytes as they come, and gives the lines that are whole: UTF-8, without their ends. */
export class LineSplitter {
  readonly #maxBytes: number;
  #kept = Buffer.alloc(0);
  #length = 0;

  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  /** Throws `LineTooLongError` as soon as a line is too long: nothing can be made of what follows. */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      this.#append(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
    return lines;
  }

  /** Copies: many small pieces must not cost an object each. */
  #append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#maxBytes) throw new LineTooLongError(`a line was longer than ${this.#maxBytes} bytes`);
    if (length > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#kept.length, firstSize));
      this.#kept.copy(larger, 0, 0, this.#length);
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#length);
    this.#length = length;
  }

  #take(): string {
    const line = this.#kept.toString('utf8', 0, this.#length);
    this.#kept = Buffer.alloc(0);
    this.#length = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}
