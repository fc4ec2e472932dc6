import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { Background } from '../../../lib/background.ts';
import type { Clock } from '../../../lib/clock.ts';
import { endsWithin } from '../../../lib/ends-within.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { LongLivedProcess, ProcessEnding } from '../../guard/process/long-lived-process.ts';
import { LineSplitter, LineTooLongError } from '../line-splitter.ts';
import { mostUnread } from '../most-unread.ts';
import type { McpLibrary } from './library.ts';

export interface ProcessTransportDependencies {
  readonly process: LongLivedProcess;
  readonly library: McpLibrary;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of what it wrote that means nothing. */
  readonly skipped: () => void;
}

/** The longest message that is read, in bytes: a picture has room in it. */
const longestLine = 32 * 2 ** 20;
/** How much of what it printed as errors is kept, in bytes. */
const keptErrors = 2_000;
/** How long it has to end by itself when its input ends, and then between SIGTERM and SIGKILL, in milliseconds. */
const farewell = 400;
const killGrace = 400;

/** What stands before what a process has printed, in why it has ended. */
export const printedWords = '; the last that it printed as an error was: ';

/** Messages to and from a process, one on a line. */
export class ProcessTransport implements Transport {
  readonly #dependencies: ProcessTransportDependencies;
  readonly #background: Background;
  #errors = Buffer.alloc(0);
  #why: string | undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;
  /** By these two the library knows that this is a pipe. */
  readonly stderr = null;
  readonly pid = null;

  constructor(dependencies: ProcessTransportDependencies) {
    this.#dependencies = dependencies;
    this.#background = new Background(dependencies.log);
  }

  /** How it has ended. */
  get why(): string | undefined {
    return this.#why;
  }

  async start(): Promise<void> {
    const { process } = this.#dependencies;
    const splitter = new LineSplitter({ maxBytes: longestLine });
    process.stdout.on('data', (chunk: Buffer) => this.#receive(chunk, splitter));
    process.stderr.on('data', (chunk: Buffer) => {
      this.#errors = Buffer.concat([this.#errors, chunk]).subarray(-keptErrors);
    });
    void process.ended.then((ending) => {
      this.#why ??= this.#howEnded(ending);
      this.onclose?.();
    });
  }

  /** Rejects once it has ended: the library may not have listened yet when that was told. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#why !== undefined) throw new Error(this.#why);
    const { stdin } = this.#dependencies.process;
    stdin.write(`${JSON.stringify(message)}\n`);
    // Who goes on asking and reads nothing must not fill our memory.
    if (stdin.writableLength <= mostUnread) return;
    const why = 'it did not read what it was told, and was ended';
    this.#end(why);
    throw new Error(why);
  }

  /** Lets it end by itself, and ends it with all that it started if it does not. */
  async close(): Promise<void> {
    const { process, clock } = this.#dependencies;
    process.stdin.end();
    const gone = process.ended.then(() => {});
    if (!(await endsWithin(gone, { clock, milliseconds: farewell }))) await process.stop(killGrace);
    await gone;
    await this.#background.settled();
  }

  #receive(chunk: Buffer, splitter: LineSplitter): void {
    if (this.#why !== undefined) return;
    try {
      for (const line of splitter.push(chunk)) if (line.trim() !== '') this.#take(line);
    } catch (cause) {
      if (!(cause instanceof LineTooLongError)) throw cause;
      this.#end(`it was ended because ${cause.message}`);
    }
  }

  #end(why: string): void {
    this.#why = why;
    this.#background.run('the process of an MCP server could not be ended', () => this.#dependencies.process.stop(0));
  }

  /** Some print what is not meant for us. */
  #take(line: string): void {
    const { library, skipped } = this.#dependencies;
    const message = parseJson(line);
    const { isJSONRPCRequest, isJSONRPCNotification, isJSONRPCResponse } = library;
    if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)) {
      this.onmessage?.(message);
    } else skipped();
  }

  #howEnded({ exitCode, signal }: ProcessEnding): string {
    const how = exitCode === null ? `it was ended by ${signal}` : `it ended with exit code ${exitCode}`;
    const said = this.#errors.toString('utf8').trim();
    const refusals = this.#dependencies.process.refusals(said).map((refusal) => ` ${refusal}`);
    const last = said === '' ? '' : `${printedWords}${oneLine(said, 400)}`;
    return `${how}${last}${refusals.join('')}`;
  }
}
