import type { FeatureCore } from '../../../feature-points.ts';
import { backOff } from '../../../lib/back-off.ts';
import { Background } from '../../../lib/background.ts';
import { ownVersion } from '../../../lib/own-version.ts';
import type { KeepFilesDependencies } from '../../../tools/sources/keep-files.ts';
import { printedWords } from '../line-process.ts';
import {
  type ConnectionDependencies,
  type Endpoint,
  type McpCall,
  McpConnection,
  McpError,
  type McpOutcome,
} from './connection.ts';
import { fillForm } from './fill-form.ts';
import type { McpLibrary } from './server-settings.ts';
import { McpToolbox, type ToolboxDependencies } from './toolbox.ts';

interface McpServerDependencies
  extends Omit<ToolboxDependencies, 'tool' | 'connection'>,
    KeepFilesDependencies,
    Pick<FeatureCore, 'redact'> {
  readonly endpoint: Endpoint;
  readonly library: McpLibrary;
  /** How long a question that the server asks a person stands, in milliseconds. */
  readonly questionTimeout: number;
}

/** No server is tried more seldom, in milliseconds. */
const longestPause = 300_000;
/** A connection that has lasted so long, in milliseconds, is not one that always fails. */
const lasting = 60_000;

/**
 * One MCP server of the config: its tools, and a connection to it, which is made again when it is lost, after pauses that
 * grow, or when somebody needs it.
 */
export class McpServer {
  readonly #dependencies: McpServerDependencies;
  readonly #toolbox: McpToolbox;
  readonly #background: Background;
  readonly #ending = new AbortController();
  #connection: McpConnection | undefined;
  #opening: Promise<McpConnection> | undefined;
  #failures = 0;
  /** Why there is no connection, as half a sentence without secrets; undefined while there is one, or the first is made. */
  #trouble: string | undefined;
  #cancelRetry = (): void => {};
  /** Set when the server is known to understand only the older greeting. */
  #greetsOldly = false;

  constructor(dependencies: McpServerDependencies) {
    const { name: server, timeout_secs } = dependencies.settings;
    this.#dependencies = dependencies;
    this.#background = new Background(dependencies.log);
    const call = (wanted: McpCall): Promise<McpOutcome> => this.#call(wanted);
    const tool = { ...dependencies, server, timeout: timeout_secs * 1000, call };
    this.#toolbox = new McpToolbox({ ...dependencies, tool, connection: () => this.#current });
  }

  /** What an owner should know of it, a line of plain text each. */
  troubles(): readonly string[] {
    const { name } = this.#dependencies.settings;
    if (this.#trouble !== undefined)
      return [`The MCP server ${name} is not connected: ${this.#trouble}. It is tried again.`];
    return this.#toolbox.trouble === undefined ? [] : [this.#toolbox.trouble];
  }

  /** Connects. Resolves when its tools are there, or that has failed: then it is tried again. Never rejects. */
  async start(): Promise<void> {
    const [first] = await Promise.allSettled([this.#connected()]);
    if (first.status === 'fulfilled') await this.#toolbox.settled(first.value);
  }

  /** Takes its tools away, and ends it. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#cancelRetry();
    await Promise.all([this.#toolbox.stop(), Promise.allSettled([this.#opening])]);
    await this.#connection?.close('Keyturn is being stopped');
    await this.#background.settled();
  }

  /** Has it do a call, with a new connection where the old one is found to be gone. Never rejects. */
  async #call(call: McpCall): Promise<McpOutcome> {
    const first = await this.#attempt(call);
    return first.type === 'gone' && this.#trouble === undefined ? this.#attempt(call) : first;
  }

  async #attempt(call: McpCall): Promise<McpOutcome> {
    try {
      const connection = await untilAborted(this.#connected(), call.signal);
      if (connection === undefined) return { type: 'stopped' };
      const isSame = await untilAborted(this.#toolbox.confirms(connection, call.tool, call.fingerprint), call.signal);
      if (isSame === undefined) return { type: 'stopped' };
      if (!isSame && connection.isOpen) return { type: 'changed' };
      const outcome = await connection.call(call);
      // A server that does not even list its tools any more is not only slow.
      if (outcome.type === 'timed-out') this.#doubt(connection);
      return outcome;
    } catch (cause) {
      if (cause instanceof Error) return { type: 'gone', why: cause.message };
      throw cause;
    }
  }

  #doubt(connection: McpConnection): void {
    const { settings, log } = this.#dependencies;
    this.#background.run('the connection to an MCP server could not be closed', async () => {
      const [listed] = await Promise.allSettled([connection.tools(settings.timeout_secs * 1000)]);
      if (listed.status === 'fulfilled' || connection.isWorking) return;
      log.warn({ err: listed.reason }, 'an MCP server does not answer any more: it is reconnected');
      await connection.close('it does not answer any more');
    });
  }

  /** The connection, if there is one. */
  get #current(): McpConnection | undefined {
    return this.#connection?.isOpen === true ? this.#connection : undefined;
  }

  /** The connection; made now if there is none. Rejects with `McpError` where that fails: it is then tried again later. */
  async #connected(): Promise<McpConnection> {
    if (this.#current !== undefined) return this.#current;
    if (this.#ending.signal.aborted) throw new McpError('Keyturn is being stopped');
    this.#cancelRetry();
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<McpConnection> {
    const { clock, log, redact } = this.#dependencies;
    try {
      const connection = await this.#introduce(this.#ending.signal);
      const since = clock.now();
      this.#connection = connection;
      if (this.#trouble !== undefined) log.info({}, 'an MCP server is connected again');
      this.#trouble = undefined;
      this.#background.run('the end of an MCP server could not be noted', async () => this.#lost(connection, since));
      this.#toolbox.refresh();
      return connection;
    } catch (cause) {
      const why = redact(cause instanceof Error ? cause.message : String(cause));
      this.#failures += 1;
      this.#retry(why);
      throw cause instanceof McpError ? new McpError(why, { cause }) : cause;
    }
  }

  async #introduce(signal: AbortSignal): Promise<McpConnection> {
    const { isPipe } = this.#dependencies.endpoint;
    if (!isPipe || this.#greetsOldly) return this.#greet(isPipe ? 'legacy' : 'auto', signal);
    try {
      return await this.#greet('auto', signal);
    } catch (cause) {
      // Some programs end when they are asked what they do not know.
      if (!(cause instanceof McpError) || signal.aborted) throw cause;
      const connection = await this.#greet('legacy', signal);
      this.#greetsOldly = true;
      return connection;
    }
  }

  async #greet(greeting: 'auto' | 'legacy', signal: AbortSignal): Promise<McpConnection> {
    const { endpoint, settings, questionTimeout: timeout, library, clock, log } = this.#dependencies;
    const dependencies: ConnectionDependencies = {
      ...{ library, endpoint: await endpoint.open(), greeting, version: ownVersion(), clock, log },
      changed: () => this.#toolbox.refresh(),
      fill: (request, { ask }, over) => fillForm(request, { server: settings.name, ask, timeout }, over),
    };
    return McpConnection.open(dependencies, settings.timeout_secs * 1000, signal);
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
    const { clock, log } = this.#dependencies;
    // Said once, and not at every try. What it printed is for owners to see, and not for the log.
    if (this.#trouble !== why) {
      const [how] = why.split(printedWords);
      log.warn({ why: how, failures: this.#failures }, 'an MCP server is not connected; it is tried again');
    }
    this.#trouble = why;
    this.#cancelRetry = clock.after(backOff(this.#failures, { longestPause }), () =>
      this.#background.run('an MCP server could not be connected to', async () => {
        // What is wrong is said, and it is tried again.
        await Promise.allSettled([this.#connected()]);
      }),
    );
  }
}

/** The work goes on for others: only the caller that has aborted does not wait for it. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
