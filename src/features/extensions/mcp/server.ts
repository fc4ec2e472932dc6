import type { FeatureCore } from '../../../feature-points.ts';
import { Background } from '../../../lib/background.ts';
import { backOff, untilAborted } from '../../../lib/clock.ts';
import { printedWords } from '../line-process.ts';
import { extensionSettings } from '../settings.ts';
import type { Trust } from '../trust.ts';
import { connectTo, loadLibrary, type McpCall, type McpConnection, McpError, type McpOutcome } from './connection.ts';
import { httpEndpoint, processEndpoint } from './endpoints.ts';
import { fillForm } from './fill-form.ts';
import type { McpServerSettings } from './mcp-tool.ts';
import { createToolbox } from './toolbox.ts';

/** The longest pause between retries, in ms. */
const longestPause = 300_000;
/** A connection that lasted this long resets the failure count. In ms. */
const lasting = 60_000;

/**
 * One MCP server of the config: its tools, and a connection, which is reopened after it is lost, with growing pauses or
 * as soon as a call needs it.
 */
export async function configuredServer(name: string, core: FeatureCore, trust: Trust) {
  const { config, settings: settingsOf, store, adapters, workspaceAt, clock, redact } = core;
  const server = settingsOf(extensionSettings).mcp_servers[name];
  if (server === undefined) throw new Error(`there is no MCP server ${name} in the config`);
  const settings: McpServerSettings = { ...server, name };
  const timeout = settings.timeout_secs * 1000;
  const log = core.log.child({ server: name });
  const own = {
    ...{ ...core, log, library: await loadLibrary() },
    // Checked at each start: an edit may change it.
    get sandbox() {
      return core.sandbox;
    },
  };
  const { url } = settings;
  const endpoint = url === undefined ? processEndpoint(settings, own) : httpEndpoint(new URL(url), settings, own);
  const background = new Background(log);
  const ending = new AbortController();
  const toolbox = createToolbox(own, settings, trust, current, {
    ...{ server: name, timeout, call },
    ...{ files: store.files, adapters, folder: '.keyturn/mcp', workspaceAt },
  });
  let connection: McpConnection | undefined;
  let opening: Promise<McpConnection> | undefined;
  let failures = 0;
  /** Why there is no connection: half a sentence without secrets. Undefined while connected or first connecting. */
  let trouble: string | undefined;
  let cancelRetry = (): void => {};
  /** Set when the server has proved to understand only the older handshake. */
  let greetsOldly = false;

  /** Makes a call, with a new connection if the old one turns out to be gone. Never rejects. */
  async function call(wanted: McpCall): Promise<McpOutcome> {
    const first = await attempt(wanted);
    return first.type === 'gone' && trouble === undefined ? attempt(wanted) : first;
  }

  async function attempt(wanted: McpCall): Promise<McpOutcome> {
    const { tool, fingerprint, signal } = wanted;
    try {
      const found = await untilAborted(connected(), signal);
      if (found === undefined) return { type: 'stopped' };
      const isSame = await untilAborted(toolbox.confirms(found, tool, fingerprint), signal);
      if (isSame === undefined) return { type: 'stopped' };
      if (!isSame && found.isOpen()) return { type: 'changed' };
      const outcome = await found.call(wanted);
      // If it does not even list its tools, it is not just slow.
      if (outcome.type === 'timed-out') doubt(found);
      return outcome;
    } catch (cause) {
      if (cause instanceof Error) return { type: 'gone', why: cause.message };
      throw cause;
    }
  }

  function doubt(asked: McpConnection): void {
    background.run('the connection to an MCP server could not be closed', async () => {
      const [listed] = await Promise.allSettled([asked.tools(timeout)]);
      if (listed.status === 'fulfilled' || asked.isWorking()) return;
      log.warn({ err: listed.reason }, 'an MCP server does not answer any more: it is reconnected');
      await asked.close('it does not answer any more');
    });
  }

  function current(): McpConnection | undefined {
    return connection?.isOpen() === true ? connection : undefined;
  }

  /** The connection, opened now if there is none. Rejects with `McpError` if that fails; it is retried later. */
  async function connected(): Promise<McpConnection> {
    const found = current();
    if (found !== undefined) return found;
    if (ending.signal.aborted) throw new McpError('Keyturn is being stopped');
    cancelRetry();
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  async function open(): Promise<McpConnection> {
    try {
      const made = await introduce(ending.signal);
      const since = clock.now();
      connection = made;
      if (trouble !== undefined) log.info({}, 'an MCP server is connected again');
      trouble = undefined;
      background.run('the end of an MCP server could not be noted', () => lost(made, since));
      toolbox.refresh();
      return made;
    } catch (cause) {
      const why = redact(cause instanceof Error ? cause.message : String(cause));
      failures += 1;
      retry(why);
      throw cause instanceof McpError ? new McpError(why, { cause }) : cause;
    }
  }

  async function introduce(signal: AbortSignal): Promise<McpConnection> {
    const { isPipe } = endpoint;
    if (!isPipe || greetsOldly) return greet(isPipe ? 'legacy' : 'auto', signal);
    try {
      return await greet('auto', signal);
    } catch (cause) {
      // Some programs exit on an unknown request.
      if (!(cause instanceof McpError) || signal.aborted) throw cause;
      const made = await greet('legacy', signal);
      greetsOldly = true;
      return made;
    }
  }

  async function greet(greeting: 'auto' | 'legacy', signal: AbortSignal): Promise<McpConnection> {
    const asker = { server: name, timeout: config.tools.ask.timeout_secs * 1000 };
    const parts = { ...own, endpoint: await endpoint.open(), greeting, changed: toolbox.refresh };
    return connectTo(
      { ...parts, fill: (request, { ask }, over) => fillForm(request, { ...asker, ask }, over) },
      timeout,
      signal,
    );
  }

  async function lost(made: McpConnection, since: number): Promise<void> {
    const why = redact(await made.over);
    await made.close();
    // A new connection may have been opened meanwhile.
    if (ending.signal.aborted || connection !== made || opening !== undefined) return;
    connection = undefined;
    failures = clock.now() - since >= lasting ? 1 : failures + 1;
    retry(why);
  }

  function retry(why: string): void {
    if (ending.signal.aborted) return;
    // Logged when the reason changes, not at every retry. Without the server's output, which only owners see.
    if (trouble !== why)
      log.warn({ why: why.split(printedWords)[0], failures }, 'an MCP server is not connected; it is tried again');
    trouble = why;
    cancelRetry = clock.after(backOff(failures, { longestPause }), () =>
      background.run('an MCP server could not be connected to', async () => {
        // open() logs the failure and schedules the next retry.
        await Promise.allSettled([connected()]);
      }),
    );
  }

  return {
    /** For owners: the server, how it is reached, and what it brings. */
    report(): string {
      const way = url === undefined ? 'a program here' : `at ${new URL(url).host}`;
      const state = current() === undefined ? 'not connected' : toolbox.report();
      return `${name} (${way}): ${state}`;
    },
    /** Lines of plain text for owners. */
    troubles: (): readonly string[] =>
      trouble === undefined
        ? toolbox.troubles()
        : [`The MCP server ${name} is not connected: ${trouble}. It is tried again.`],
    /** Connects. Resolves when its tools are registered, or that failed and is retried. Never rejects. */
    async start(): Promise<void> {
      const [first] = await Promise.allSettled([connected()]);
      if (first.status === 'fulfilled') await toolbox.settled(first.value);
    },
    async stop(): Promise<void> {
      ending.abort();
      cancelRetry();
      const listed = toolbox.stop();
      await Promise.allSettled([opening]);
      await connection?.close('Keyturn is being stopped');
      await Promise.all([listed, background.settled()]);
    },
  };
}
