import type { Tool, ToolAnnotations } from '@modelcontextprotocol/client';
import type { FeatureCore, Trust, TrustSubject } from '../../feature-points.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Language, Words } from '../../lib/words.ts';
import { longestToolName, markedName } from '../../tools/foreign-tool.ts';
import { settingsFor, type ToolSource } from '../../tools/registry.ts';
import type { Tool as OwnTool, ToolCategory } from '../../tools/tool.ts';
import { type McpConnection, McpError } from './connection.ts';
import {
  type LeftOut,
  type McpDefinition,
  type McpServerSettings,
  type McpToolParts,
  type McpToolWords,
  mcpTool,
  readDefinition,
} from './mcp-tool.ts';
import { mcpSettings } from './settings.ts';
import { mcpWords } from './words.ts';

/** More tools help no model. */
const mostTools = 1000;
/** The least time between two listings, in ms, for servers that change their tools all the time. */
const leastPause = 1_000;
/** How many of the left-out tools are named. */
const mostNamed = 5;

/** Keeps one server's tools in the registry: those that it lists, the operator wants and an owner trusts. */
export interface Toolbox {
  /** Resolves when the tools of this connection are registered, or could not be listed. Never rejects. */
  settled(asked: McpConnection): Promise<void>;
  /** Call when the server connects or says that its tools have changed. */
  refresh(): void;
  /** How many tools are there, and how many wait for trust: half a sentence. */
  report(language: Language): string;
  /** A sentence for owners about the tools that are left out. */
  troubles(): readonly Words[];
  /**
   * Whether the tool still has this fingerprint, by the list of this connection: after a reconnect, a changed tool
   * must not be called by its old definition.
   */
  confirms(asked: McpConnection, tool: string, fingerprint: string): Promise<boolean>;
  stop(): Promise<void>;
}

interface ToolboxState {
  readonly core: FeatureCore;
  readonly settings: McpServerSettings;
  readonly trust: Trust;
  /** The current connection, if any. */
  readonly connection: () => McpConnection | undefined;
  readonly parts: McpToolParts;
  readonly source: ToolSource;
  /** The names of all enabled servers. */
  readonly servers: readonly string[];
  /** The registered tools, by the server's names. */
  readonly offered: Map<string, { readonly name: string; readonly fingerprint: string }>;
  /** The last list, by the server's names. */
  listed: ReadonlyMap<string, McpDefinition>;
  /** The listed tools that are not offered, with reasons. */
  leftOut: readonly LeftOut[];
  listedAt: number;
  listedBy: McpConnection | undefined;
  /** The list may have changed since. */
  isOutdated: boolean;
  listings: Promise<void>;
  cancelAgain: (() => void) | undefined;
  isStopped: boolean;
}

/** `connection` returns the current one, if any. */
export function createToolbox(
  core: FeatureCore,
  settings: McpServerSettings,
  trust: Trust,
  connection: () => McpConnection | undefined,
  parts: McpToolParts,
): Toolbox {
  const { mcp_servers } = core.settings(mcpSettings);
  const state: ToolboxState = {
    core,
    settings,
    trust,
    connection,
    parts,
    source: { type: 'mcp', server: settings.name },
    servers: Object.keys(mcp_servers).filter((one) => mcp_servers[one]?.enabled),
    offered: new Map(),
    listed: new Map(),
    leftOut: [],
    listedAt: Number.NEGATIVE_INFINITY,
    listedBy: undefined,
    isOutdated: false,
    listings: Promise.resolve(),
    cancelAgain: undefined,
    isStopped: false,
  };
  return {
    settled: (asked) => settled(asked, state),
    refresh: () => refresh(state),
    report: (language) => report(language, state),
    troubles: () => troubles(state),
    async confirms(asked, tool, fingerprint) {
      await settled(asked, state);
      return state.offered.get(tool)?.fingerprint === fingerprint;
    },
    async stop() {
      state.isStopped = true;
      state.cancelAgain?.();
      core.registry.unregister(state.source);
      await state.listings;
    },
  };
}

async function settled(asked: McpConnection, state: ToolboxState): Promise<void> {
  if (state.listedBy !== asked) await list(state);
}

function refresh(state: ToolboxState): void {
  const { clock } = state.core;
  state.isOutdated = true;
  if (state.isStopped || state.cancelAgain !== undefined) return;
  const wait = state.listedAt + leastPause - clock.now();
  if (wait <= 0) return void list(state);
  state.cancelAgain = clock.after(wait, () => {
    state.cancelAgain = undefined;
    void list(state);
  });
}

function report(language: Language, { offered, listed, leftOut }: ToolboxState): string {
  const waiting = listed.size - offered.size - leftOut.filter(({ tool }) => listed.has(tool)).length;
  return mcpWords[language].counted({ count: offered.size, waiting });
}

function troubles({ leftOut, settings: { name: server } }: ToolboxState): readonly Words[] {
  if (leftOut.length === 0) return [];
  const more = Math.max(0, leftOut.length - mostNamed);
  return [
    (language) => {
      const named = leftOut.slice(0, mostNamed);
      const tools = named.map(({ tool, why }) => ({ tool: oneLine(tool, 80), why: why(language) }));
      return mcpWords[language].leftOut({ server, tools, more });
    },
  ];
}

/** Lists the tools after the listing that runs, if there is a reason to. Never rejects. */
function list(state: ToolboxState): Promise<void> {
  state.listings = state.listings
    .then(() => listNow(state))
    .catch((err: unknown) => {
      state.core.log.warn({ err }, 'the tools of an MCP server could not be listed');
    });
  return state.listings;
}

async function listNow(state: ToolboxState): Promise<void> {
  const { core, settings, offered } = state;
  const asked = state.connection();
  if (asked === undefined || state.isStopped || (!state.isOutdated && state.listedBy === asked)) return;
  state.isOutdated = false;
  state.listedAt = core.clock.now();
  const given = await fetch(asked, settings.timeout_secs * 1000);
  if (given === undefined || state.isStopped) return;
  core.log.debug({ tools: given.length }, 'an MCP server has listed its tools');
  if (given.length > mostTools)
    core.log.warn({ tools: given.length, most: mostTools }, 'an MCP server has too many tools: the rest is left out');
  read(given.slice(0, mostTools), state);
  // Tools that are gone or changed are off at once.
  for (const [tool, { fingerprint }] of offered)
    if (state.listed.get(tool)?.fingerprint !== fingerprint) withdraw(tool, state);
  for (const definition of state.listed.values()) await review(definition, state);
  state.listedBy = asked;
}

/** Replaces the last list. */
function read(given: readonly Tool[], state: ToolboxState): void {
  const { core, settings } = state;
  const listed = new Map<string, McpDefinition>();
  const leftOut: LeftOut[] = [];
  for (const reading of given.map((tool) => readDefinition(settings.name, tool))) {
    if ('why' in reading) {
      core.log.warn({ tool: reading.tool, why: reading.why('en') }, 'a tool of an MCP server is left out');
      leftOut.push(reading);
    } else if (isWanted(reading.tool, settings)) listed.set(reading.tool, reading);
  }
  state.listed = listed;
  state.leftOut = leftOut;
}

async function review(definition: McpDefinition, state: ToolboxState): Promise<void> {
  const { core, settings, trust, offered } = state;
  const { tool, fingerprint } = definition;
  if (offered.has(tool)) return;
  const decided = (isTrusted: boolean): void => (isTrusted ? offer(tool, fingerprint, state) : withdraw(tool, state));
  if (await trust.review(subjectOf(definition, settings), decided, !settings.review_tools)) return decided(true);
  core.log.info(
    { tool: oneLine(tool, 80) },
    'a tool of an MCP server is new or has changed: it is off until an owner trusts it',
  );
}

/** Registers a tool, if it still is what was trusted. */
function offer(tool: string, fingerprint: string, state: ToolboxState): void {
  const { core, settings, servers, offered, source, parts } = state;
  const { registry, log } = core;
  const definition = state.listed.get(tool);
  if (state.isStopped || definition?.fingerprint !== fingerprint || offered.has(tool)) return;
  // Under an unused name: no server's tool replaces another tool.
  const names = [toolName(settings.name, tool, servers), nameWithMark(settings.name, tool)];
  const name = names.find((one) => !registry.isTaken(one));
  if (name === undefined) {
    log.warn({ tool: oneLine(tool, 80) }, 'a tool of an MCP server is left out: another tool has its name');
    state.leftOut = [...state.leftOut, { tool, why: (language) => mcpWords[language].nameTaken }];
    return;
  }
  const named = { name, category: categoryOf(tool, definition.annotations, settings) };
  const isGuess = settings.url === undefined && isGuessed(tool, named.category, settings);
  const made = mcpTool(definition, { ...named, isGuess, ...wordsFor(tool, definition.annotations, settings) }, parts);
  registry.register({ ...named, dynamic: true, create: () => fresh(made, state) }, source);
  offered.set(tool, { name, fingerprint });
}

/** Called when the tools are about to be used: an outdated list is fetched again. */
function fresh(made: OwnTool, state: ToolboxState): OwnTool {
  const { core, settings } = state;
  if (core.clock.now() - state.listedAt >= settings.list_ttl_secs * 1000) refresh(state);
  return made;
}

function withdraw(tool: string, { core, offered, source }: ToolboxState): void {
  const found = offered.get(tool);
  if (found !== undefined) core.registry.unregister(source, found.name);
  offered.delete(tool);
}

/** A server that does not list its tools is closed, unless it has calls running: it may only be slow. */
async function fetch(connection: McpConnection, timeout: number): Promise<readonly Tool[] | undefined> {
  try {
    return await connection.tools(timeout);
  } catch (cause) {
    if (!(cause instanceof McpError)) throw cause;
    if (!connection.isWorking()) await connection.close(cause.words);
    return undefined;
  }
}

function subjectOf(definition: McpDefinition, settings: McpServerSettings): TrustSubject {
  const { tool, fingerprint } = definition;
  return {
    kind: 'mcp_tool',
    name: `${settings.name}/${tool}`,
    fingerprint,
    what: (language) => describeTool(definition, settings, language),
  };
}

/** For the owner who decides, in markdown. */
function describeTool(definition: McpDefinition, settings: McpServerSettings, language: Language): string {
  const words = mcpWords[language];
  const { tool, description, parameters, annotations } = definition;
  return words.about({
    tool: inlineCode(oneLine(tool, 128)),
    server: inlineCode(settings.name),
    category: inlineCode(categoryOf(tool, annotations, settings)),
    description: inlineCode(oneLine(description === '' ? words.saysNothing : description, 1500)),
    parameters: inlineCode(oneLine(JSON.stringify(parameters), 1500)),
  });
}

/**
 * The model's name for a server's tool: `server_tool`. Stable across starts while the server names are. A name that
 * models cannot use, or that could be another server's tool, ends in a hash of both names.
 */
export function toolName(server: string, tool: string, servers: readonly string[]): string {
  const plain = `${server}_${tool}`;
  const isSafe = /^[a-zA-Z0-9_-]+$/.test(plain) && plain.length <= longestToolName && !markAtEnd.test(plain);
  // Servers `a` and `a_b` could both have an `a_b_c`.
  const isAmbiguous = servers.some((other) => other !== server && server.startsWith(`${other}_`));
  return isSafe && !isAmbiguous ? plain : nameWithMark(server, tool);
}

/** The name with the hash, for when the plain one is taken. */
export function nameWithMark(server: string, tool: string): string {
  return markedName(`${server}_${tool}`.replaceAll(/[^a-zA-Z0-9_-]+/g, '_'), `${server}/${tool}`);
}

/** A plain name that looks hashed gets a hash too. */
const markAtEnd = /_[0-9a-f]{8}$/;

/** The operator's settings for a tool: by its name, or by the first matching pattern. */
function rulesFor(tool: string, { tools }: McpServerSettings) {
  return Object.hasOwn(tools, tool) ? tools[tool] : settingsFor(tool, tools)[0];
}

export function isWanted(tool: string, settings: McpServerSettings): boolean {
  return rulesFor(tool, settings)?.enabled ?? true;
}

/**
 * The operator's labels for a tool, falling back to the server's. A tool that says that it knows a closed world reads what
 * is the person's own: that is believed, since it only has more ask.
 */
export function wordsFor(
  tool: string,
  annotations: ToolAnnotations | undefined,
  settings: McpServerSettings,
): McpToolWords {
  const own = rulesFor(tool, settings);
  return {
    private: own?.private ?? settings.private ?? (annotations?.openWorldHint === false ? true : undefined),
    outbound: own?.outbound ?? settings.outbound,
    trusted: own?.trusted ?? settings.trusted,
    targets: own?.targets ?? settings.targets,
    own_words: own?.own_words ?? settings.own_words,
    free_text: own?.free_text ?? settings.free_text,
  };
}

/**
 * A tool's category. The operator's word for the tool comes first, then a destructive hint, then the operator's word
 * for the server, then, if the operator trusts hints, what it says of reading, adding and the outside world. Everything
 * else is `network_write`, which asks.
 */
export function categoryOf(
  tool: string,
  annotations: ToolAnnotations | undefined,
  settings: McpServerSettings,
): ToolCategory {
  const own = rulesFor(tool, settings)?.category;
  if (own !== undefined) return own;
  if (annotations?.destructiveHint === true && annotations.readOnlyHint !== true) return 'destructive';
  if (settings.category !== undefined) return settings.category;
  if (!settings.trust_annotations) return 'network_write';
  // By the protocol, a tool that says neither may destroy.
  const isAdding = annotations?.readOnlyHint === false && annotations.destructiveHint === false;
  if (isAdding && isOfHere(annotations, settings)) return 'filesystem_write';
  if (annotations?.readOnlyHint !== true) return 'network_write';
  return isOfHere(annotations, settings) ? 'filesystem_read' : 'network_read';
}

/** A local program that, by its own words, has no contact to the outside. */
function isOfHere(annotations: ToolAnnotations | undefined, { url }: McpServerSettings): boolean {
  return url === undefined && annotations?.openWorldHint === false;
}

/** Whether nothing says what the tool touches, so that it counts as the strictest. */
function isGuessed(tool: string, category: ToolCategory, settings: McpServerSettings): boolean {
  const said = rulesFor(tool, settings)?.category ?? settings.category;
  return category === 'network_write' && said === undefined;
}
