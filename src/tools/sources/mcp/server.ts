import { Background } from '../../../lib/background.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { ToolRegistry } from '../../registry.ts';
import type { Trust } from '../../trust.ts';
import type { KeepFilesDependencies } from '../keep-files.ts';
import type { McpCall, McpOutcome } from './call.ts';
import { type ConnectionDependencies, McpConnection } from './connection.ts';
import type { Door } from './door.ts';
import { fillForm } from './fill-form.ts';
import type { McpLibrary } from './library.ts';
import { McpLink } from './link.ts';
import { McpError } from './mcp-error.ts';
import type { McpServerSettings } from './server-settings.ts';
import { McpToolbox } from './toolbox.ts';

export interface McpServerDependencies extends KeepFilesDependencies {
  readonly settings: McpServerSettings;
  /** The names of all servers of the config. */
  readonly servers: readonly string[];
  readonly door: Door;
  readonly library: McpLibrary;
  readonly registry: ToolRegistry;
  /** Names that are left to nobody. */
  readonly reservedNames: readonly string[];
  readonly trust: Pick<Trust, 'adopt'>;
  readonly redact: (text: string) => string;
  /** Ours, for the server to know. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly chance?: () => number;
}

/** One MCP server of the config: its connection and its tools. */
export class McpServer {
  readonly #dependencies: McpServerDependencies;
  readonly #link: McpLink;
  readonly #toolbox: McpToolbox;
  readonly #background: Background;
  /** Set when the server is known to understand only the older greeting. */
  #greetsOldly = false;

  constructor(dependencies: McpServerDependencies) {
    const { settings, redact, clock, log, chance } = dependencies;
    this.#dependencies = dependencies;
    this.#background = new Background(log);
    this.#link = new McpLink({
      open: (signal) => this.#open(signal),
      connected: () => this.#toolbox.refresh(),
      ...{ redact, clock, log },
      ...(chance === undefined ? {} : { chance }),
    });
    const { name: server, timeout } = settings;
    const tool = { ...dependencies, server, timeout, call: (call: McpCall) => this.call(call) };
    this.#toolbox = new McpToolbox({ ...dependencies, tool, connection: () => this.#link.current });
  }

  get name(): string {
    return this.#dependencies.settings.name;
  }

  /** What an owner should know of it, as half a sentence; undefined where all is well. */
  get trouble(): string | undefined {
    return this.#link.trouble;
  }

  /** Connects. Resolves when its tools are there, or that has failed: then it is tried again. Never rejects. */
  async start(): Promise<void> {
    const [first] = await Promise.allSettled([this.#link.connection()]);
    if (first.status === 'fulfilled') await this.#toolbox.settled(first.value);
  }

  /** Has it do a call, with a new connection where the old one is found to be gone. Never rejects. */
  async call(call: McpCall): Promise<McpOutcome> {
    const first = await this.#attempt(call);
    return first.type === 'gone' && this.#link.trouble === undefined ? this.#attempt(call) : first;
  }

  /** Takes its tools away, and ends it. */
  async stop(): Promise<void> {
    await Promise.all([this.#toolbox.stop(), this.#link.stop()]);
    await this.#background.settled();
  }

  async #attempt(call: McpCall): Promise<McpOutcome> {
    try {
      const connection = await untilAborted(this.#link.connection(), call.signal);
      if (connection === undefined) return { type: 'stopped' };
      const isSame = await untilAborted(this.#toolbox.confirms(connection, call.tool, call.fingerprint), call.signal);
      if (isSame === undefined) return { type: 'stopped' };
      if (!isSame && connection.isOpen) return { type: 'changed' };
      const outcome = await connection.call(call);
      // Whoever does not even list its tools any more is not only slow.
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
      const [listed] = await Promise.allSettled([connection.tools(settings.timeout)]);
      if (listed.status === 'fulfilled' || connection.isWorking) return;
      log.warn({ err: listed.reason }, 'an MCP server does not answer any more: it is connected to anew');
      await connection.close('it does not answer any more');
    });
  }

  async #open(signal: AbortSignal): Promise<McpConnection> {
    const { isPipe } = this.#dependencies.door;
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
    const { door, settings, library, version, clock, log } = this.#dependencies;
    const opened = await door.open();
    const { name: server, timeout, questionTimeout } = settings;
    const changed = (): void => this.#toolbox.refresh();
    const dependencies: ConnectionDependencies = {
      ...{ library, door: opened, greeting, version, clock, log, changed },
      fill: (request, { ask }, over) => fillForm(request, { server, ask, timeout: questionTimeout }, over),
    };
    return McpConnection.open(dependencies, timeout, signal);
  }
}

/** The work goes on for others: only whoever has aborted does not wait for it. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
