import { backOff } from '../../../lib/back-off.ts';
import { Background } from '../../../lib/background.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { McpConnection } from './connection.ts';
import { McpError } from './mcp-error.ts';
import { printedWords } from './process-transport.ts';

export interface LinkDependencies {
  /** Rejects with `McpError`, or `BoundsError`; soon after the signal has aborted. */
  readonly open: (signal: AbortSignal) => Promise<McpConnection>;
  /** Told of each connection that is made. */
  readonly connected: (connection: McpConnection) => void;
  /** Takes secrets out of what a server says of its end. */
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly chance?: () => number;
}

/** No server is tried more seldom, in milliseconds. */
const longestPause = 300_000;
/** Whoever has lasted so long, in milliseconds, is not one that always fails. */
const lasting = 60_000;

/** Keeps a connection to one server: made anew when it is lost, after pauses that grow, or when somebody needs it. */
export class McpLink {
  readonly #dependencies: LinkDependencies;
  readonly #background: Background;
  #connection: McpConnection | undefined;
  #opening: Promise<McpConnection> | undefined;
  #failures = 0;
  #trouble: string | undefined;
  #cancelRetry = (): void => {};
  readonly #ending = new AbortController();

  constructor(dependencies: LinkDependencies) {
    this.#dependencies = dependencies;
    this.#background = new Background(dependencies.log);
  }

  /** Why there is no connection, as half a sentence without secrets; undefined while there is one, or the first is made. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** The connection, if there is one. */
  get current(): McpConnection | undefined {
    return this.#connection?.isOpen === true ? this.#connection : undefined;
  }

  #connectSoon(): void {
    this.#background.run('an MCP server could not be connected to', async () => {
      // What is wrong is said, and it is tried again.
      await Promise.allSettled([this.connection()]);
    });
  }

  /** The connection; made now if there is none. Rejects with `McpError` where that fails: it is then tried again later. */
  connection(): Promise<McpConnection> {
    const { current } = this;
    if (current !== undefined) return Promise.resolve(current);
    if (this.#ending.signal.aborted) return Promise.reject(new McpError('Keyturn is being stopped'));
    this.#cancelRetry();
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Closes the connection, and makes no other. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#cancelRetry();
    await Promise.allSettled([this.#opening]);
    await this.#connection?.close('Keyturn is being stopped');
    await this.#background.settled();
  }

  async #open(): Promise<McpConnection> {
    const { open, connected, clock, log } = this.#dependencies;
    try {
      const connection = await open(this.#ending.signal);
      const since = clock.now();
      this.#connection = connection;
      if (this.#trouble !== undefined) log.info({}, 'an MCP server is connected again');
      this.#trouble = undefined;
      this.#background.run('the end of an MCP server could not be noted', async () => this.#lost(connection, since));
      connected(connection);
      return connection;
    } catch (cause) {
      const why = this.#dependencies.redact(cause instanceof Error ? cause.message : String(cause));
      this.#failures += 1;
      this.#retry(why);
      throw cause instanceof McpError ? new McpError(why, { cause }) : cause;
    }
  }

  async #lost(connection: McpConnection, since: number): Promise<void> {
    const why = this.#dependencies.redact(await connection.over);
    await connection.close();
    // Somebody may have needed another one meanwhile.
    if (this.#ending.signal.aborted || this.#connection !== connection || this.#opening !== undefined) return;
    this.#connection = undefined;
    const lasted = this.#dependencies.clock.now() - since >= lasting;
    this.#failures = lasted ? 1 : this.#failures + 1;
    this.#retry(why);
  }

  #retry(why: string): void {
    if (this.#ending.signal.aborted) return;
    const { clock, log, chance } = this.#dependencies;
    // Said once, and not at every try. What it printed is for owners to see, and not for the log.
    if (this.#trouble !== why) {
      const [how] = why.split(printedWords);
      log.warn({ why: how, failures: this.#failures }, 'an MCP server is not connected; it is tried again');
    }
    this.#trouble = why;
    const pause = backOff(this.#failures, { longestPause, ...(chance === undefined ? {} : { chance }) });
    this.#cancelRetry = clock.after(pause, () => this.#connectSoon());
  }
}
