import { reasonForLog } from '../../extension-kit/line-process.ts';
import type { FeatureCore, Trust } from '../../feature-points.ts';
import { Background } from '../../lib/background.ts';
import { backOff, untilAborted } from '../../lib/clock.ts';
import { type InLanguage, type Language, languages, type Words, wordsIn } from '../../lib/words.ts';
import { BoundsError } from '../../tools/guard/process/bounds.ts';
import {
  connectTo,
  type Endpoint,
  loadLibrary,
  type McpCall,
  type McpConnection,
  type McpCore,
  McpError,
  type McpOutcome,
} from './connection.ts';
import { httpEndpoint, processEndpoint } from './endpoints.ts';
import { fillForm } from './fill-form.ts';
import type { McpServerSettings } from './mcp-tool.ts';
import { mcpSettings } from './settings.ts';
import { createToolbox, type Toolbox } from './toolbox.ts';
import { mcpWords } from './words.ts';

/** The longest pause between retries, in ms. */
const longestPause = 300_000;
/** A connection that lasted this long resets the failure count. In ms. */
const lasting = 60_000;

/**
 * One MCP server of the config: its tools, and a connection, which is reopened after it is lost, with growing pauses or
 * as soon as a call needs it.
 */
export interface McpServer {
  /** For owners: the server, how it is reached, and what it brings. */
  report(language: Language): string;
  /** Lines of plain text for owners. */
  troubles(): readonly Words[];
  /** Connects. Resolves when its tools are registered, or that failed and is retried. Never rejects. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface ServerState {
  readonly name: string;
  readonly settings: McpServerSettings;
  /** In ms. */
  readonly timeout: number;
  readonly core: McpCore;
  readonly endpoint: Endpoint;
  readonly toolbox: Toolbox;
  readonly background: Background;
  readonly ending: AbortController;
  connection: McpConnection | undefined;
  opening: Promise<McpConnection> | undefined;
  failures: number;
  /** Why there is no connection: half a sentence without secrets. Undefined while connected or first connecting. */
  trouble: Words | undefined;
  cancelRetry: () => void;
  /** Set when the server has proved to understand only the older handshake. */
  greetsOldly: boolean;
}

export async function configuredServer(name: string, core: FeatureCore, trust: Trust): Promise<McpServer> {
  const configured = core.settings(mcpSettings).mcp_servers[name];
  if (configured === undefined) throw new Error(`there is no MCP server ${name} in the config`);
  const settings: McpServerSettings = { ...configured, name };
  const own = await ownCore(name, core);
  const state = serverState(settings, own, trust);
  return {
    report: (language) => report(language, state),
    troubles: () => troubles(state),
    start: () => start(state),
    stop: () => stop(state),
  };
}

async function ownCore(name: string, core: FeatureCore): Promise<McpCore> {
  const log = core.log.child({ server: name });
  const library = await loadLibrary();
  return {
    ...core,
    log,
    library,
    // Checked at each start: an edit may change it.
    get sandbox() {
      return core.sandbox;
    },
  };
}

function serverState(settings: McpServerSettings, core: McpCore, trust: Trust): ServerState {
  const { store, adapters, workspaceAt, readers, log } = core;
  const { name, url } = settings;
  const timeout = settings.timeout_secs * 1000;
  const state: ServerState = {
    name,
    settings,
    timeout,
    core,
    endpoint: url === undefined ? processEndpoint(settings, core) : httpEndpoint(new URL(url), settings, core),
    toolbox: createToolbox(core, settings, trust, () => current(state), {
      server: name,
      timeout,
      call: (wanted) => call(wanted, state),
      languageIn: (conversationId) => readers.forConversation(conversationId).language,
      files: store.files,
      adapters,
      folder: '.keyturn/mcp',
      workspaceAt,
    }),
    background: new Background(log),
    ending: new AbortController(),
    connection: undefined,
    opening: undefined,
    failures: 0,
    trouble: undefined,
    cancelRetry: () => {},
    greetsOldly: false,
  };
  return state;
}

function report(language: Language, state: ServerState): string {
  const { name, settings, toolbox } = state;
  const { url } = settings;
  const words = mcpWords[language];
  return words.server({
    name,
    host: url === undefined ? undefined : new URL(url).host,
    state: current(state) === undefined ? words.notConnected : toolbox.report(language),
  });
}

function troubles({ name, trouble, toolbox }: ServerState): readonly Words[] {
  if (trouble === undefined) return toolbox.troubles();
  return [(language) => mcpWords[language].isDown({ name, why: wordsIn(language, trouble) })];
}

async function start(state: ServerState): Promise<void> {
  const [first] = await Promise.allSettled([connected(state)]);
  if (first.status === 'fulfilled') await state.toolbox.settled(first.value);
}

async function stop(state: ServerState): Promise<void> {
  state.ending.abort();
  state.cancelRetry();
  const listed = state.toolbox.stop();
  await Promise.allSettled([state.opening]);
  await state.connection?.close((language) => mcpWords[language].stopping);
  await Promise.all([listed, state.background.settled()]);
}

/** Makes a call, with a new connection if the old one turns out to be gone. Never rejects. */
async function call(wanted: McpCall, state: ServerState): Promise<McpOutcome> {
  const first = await attempt(wanted, state);
  return first.type === 'gone' && state.trouble === undefined ? attempt(wanted, state) : first;
}

async function attempt(wanted: McpCall, state: ServerState): Promise<McpOutcome> {
  const { tool, fingerprint, signal } = wanted;
  try {
    const found = await untilAborted(connected(state), signal);
    if (found === undefined) return { type: 'stopped' };
    const isSame = await untilAborted(state.toolbox.confirms(found, tool, fingerprint), signal);
    if (isSame === undefined) return { type: 'stopped' };
    if (!isSame && found.isOpen()) return { type: 'changed' };
    const outcome = await found.call(wanted);
    // If it does not even list its tools, it is not just slow.
    if (outcome.type === 'timed-out') doubt(found, state);
    return outcome;
  } catch (cause) {
    if (cause instanceof Error) return { type: 'gone', why: cause.message };
    throw cause;
  }
}

function doubt(asked: McpConnection, { background, timeout, core: { log } }: ServerState): void {
  background.run('the connection to an MCP server could not be closed', async () => {
    const [listed] = await Promise.allSettled([asked.tools(timeout)]);
    if (listed.status === 'fulfilled' || asked.isWorking()) return;
    log.warn({ err: listed.reason }, 'an MCP server does not answer any more: it is reconnected');
    await asked.close((language) => mcpWords[language].silent);
  });
}

function current({ connection }: ServerState): McpConnection | undefined {
  return connection?.isOpen() === true ? connection : undefined;
}

/** The connection, opened now if there is none. Rejects with `McpError` if that fails; it is retried later. */
async function connected(state: ServerState): Promise<McpConnection> {
  const found = current(state);
  if (found !== undefined) return found;
  if (state.ending.signal.aborted) throw new McpError((language) => mcpWords[language].stopping);
  state.cancelRetry();
  state.opening ??= open(state).finally(() => {
    state.opening = undefined;
  });
  return state.opening;
}

async function open(state: ServerState): Promise<McpConnection> {
  const { core, background, toolbox } = state;
  try {
    const made = await introduce(state);
    const since = core.clock.now();
    state.connection = made;
    if (state.trouble !== undefined) core.log.info({}, 'an MCP server is connected again');
    state.trouble = undefined;
    background.run('the end of an MCP server could not be noted', () => lost(made, since, state));
    toolbox.refresh();
    return made;
  } catch (cause) {
    const why = redacted(errorWords(cause), core);
    state.failures += 1;
    retry(why, state);
    throw cause instanceof McpError ? new McpError(why, { cause }) : cause;
  }
}

async function introduce(state: ServerState): Promise<McpConnection> {
  const { isPipe } = state.endpoint;
  if (!isPipe || state.greetsOldly) return greet(isPipe ? 'legacy' : 'auto', state);
  try {
    return await greet('auto', state);
  } catch (cause) {
    // Some programs exit on an unknown request.
    if (!(cause instanceof McpError) || state.ending.signal.aborted) throw cause;
    const made = await greet('legacy', state);
    state.greetsOldly = true;
    return made;
  }
}

async function greet(greeting: 'auto' | 'legacy', state: ServerState): Promise<McpConnection> {
  const { name, core, toolbox, timeout, ending } = state;
  const { library, clock, log, config } = core;
  const asker = { server: name, timeout: config.tools.ask.timeout_secs * 1000 };
  return connectTo(
    {
      library,
      clock,
      log,
      endpoint: await state.endpoint.open(),
      greeting,
      changed: toolbox.refresh,
      fill: (request, { ask, language }, over) => fillForm(request, { ...asker, ask, language }, over),
    },
    timeout,
    ending.signal,
  );
}

async function lost(made: McpConnection, since: number, state: ServerState): Promise<void> {
  const why = redacted(await made.over, state.core);
  await made.close();
  // A new connection may have been opened meanwhile.
  if (state.ending.signal.aborted || state.connection !== made || state.opening !== undefined) return;
  state.connection = undefined;
  state.failures = state.core.clock.now() - since >= lasting ? 1 : state.failures + 1;
  retry(why, state);
}

function retry(why: InLanguage, state: ServerState): void {
  const { core, failures, background } = state;
  if (state.ending.signal.aborted) return;
  // Logged when the reason changes, not at every retry. Without the server's output, which only owners see.
  if (state.trouble === undefined || wordsIn('en', state.trouble) !== why('en'))
    core.log.warn({ why: reasonForLog(why), failures }, 'an MCP server is not connected; it is tried again');
  state.trouble = why;
  state.cancelRetry = core.clock.after(backOff(failures, { longestPause }), () =>
    background.run('an MCP server could not be connected to', async () => {
      // open() logs the failure and schedules the next retry.
      await Promise.allSettled([connected(state)]);
    }),
  );
}

/** Without the secrets of now: a later edit of the config may take one out that these words hold. */
function redacted(words: Words, { redact }: McpCore): InLanguage {
  const said = new Map(languages.map((language) => [language, redact(wordsIn(language, words))]));
  return (language) => said.get(language) ?? '';
}

function errorWords(cause: unknown): Words {
  if (cause instanceof McpError) return cause.words;
  if (cause instanceof BoundsError) return (language) => cause.saidIn(language);
  return cause instanceof Error ? cause.message : String(cause);
}
