import type { Tool, ToolAnnotations } from '@modelcontextprotocol/client';
import type { TrustSubject } from '../../../conversation/trust-store.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { longestToolName, markedName } from '../../../tools/foreign-tool.ts';
import { settingsFor, type ToolSource } from '../../../tools/registry.ts';
import type { ToolCategory } from '../../../tools/tool.ts';
import { extensionSettings } from '../settings.ts';
import type { Trust } from '../trust.ts';
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

/** More tools help no model. */
const mostTools = 1000;
/** The least time between two listings, in ms, for servers that change their tools all the time. */
const leastPause = 1_000;
/** How many of the left-out tools are named. */
const mostNamed = 5;

/**
 * Keeps one server's tools in the registry: those that it lists, the operator wants and an owner trusts. `connection`
 * returns the current one, if any.
 */
export function createToolbox(
  core: FeatureCore,
  settings: McpServerSettings,
  trust: Trust,
  connection: () => McpConnection | undefined,
  parts: McpToolParts,
) {
  const source: ToolSource = { type: 'mcp', server: settings.name };
  const { registry, clock, log } = core;
  const { mcp_servers } = core.settings(extensionSettings);
  const servers = Object.keys(mcp_servers).filter((one) => mcp_servers[one]?.enabled);
  /** The registered tools, by the server's names. */
  const offered = new Map<string, { readonly name: string; readonly fingerprint: string }>();
  /** The last list, by the server's names. */
  let listed = new Map<string, McpDefinition>();
  /** The listed tools that are not offered, with reasons. */
  let leftOut: LeftOut[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;
  let listedBy: McpConnection | undefined;
  /** The list may have changed since. */
  let isOutdated = false;
  let listings = Promise.resolve();
  let cancelAgain: (() => void) | undefined;
  let isStopped = false;

  function refresh(): void {
    isOutdated = true;
    if (isStopped || cancelAgain !== undefined) return;
    const wait = listedAt + leastPause - clock.now();
    if (wait <= 0) return void list();
    cancelAgain = clock.after(wait, () => {
      cancelAgain = undefined;
      void list();
    });
  }

  /** Lists the tools after the listing that runs, if there is a reason to. Never rejects. */
  function list(): Promise<void> {
    listings = listings.then(listNow).catch((err: unknown) => {
      log.warn({ err }, 'the tools of an MCP server could not be listed');
    });
    return listings;
  }

  async function listNow(): Promise<void> {
    const asked = connection();
    if (asked === undefined || isStopped || (!isOutdated && listedBy === asked)) return;
    isOutdated = false;
    listedAt = clock.now();
    const given = await fetch(asked, settings.timeout_secs * 1000);
    if (given === undefined || isStopped) return;
    log.debug({ tools: given.length }, 'an MCP server has listed its tools');
    if (given.length > mostTools)
      log.warn({ tools: given.length, most: mostTools }, 'an MCP server has too many tools: the rest is left out');
    listed = new Map();
    leftOut = [];
    for (const reading of given.slice(0, mostTools).map((tool) => readDefinition(settings.name, tool))) {
      if ('why' in reading) {
        log.warn({ ...reading }, 'a tool of an MCP server is left out');
        leftOut.push(reading);
      } else if (isWanted(reading.tool, settings)) listed.set(reading.tool, reading);
    }
    // Tools that are gone or changed are off at once.
    for (const [tool, { fingerprint }] of offered) if (listed.get(tool)?.fingerprint !== fingerprint) withdraw(tool);
    for (const definition of listed.values()) await review(definition);
    listedBy = asked;
  }

  async function review(definition: McpDefinition): Promise<void> {
    const { tool, fingerprint } = definition;
    if (offered.has(tool)) return;
    const decided = (isTrusted: boolean): void => (isTrusted ? offer(tool, fingerprint) : withdraw(tool));
    if (await trust.review(subjectOf(definition, settings), decided, !settings.review_tools)) return decided(true);
    const words = 'a tool of an MCP server is new or has changed: it is off until an owner trusts it';
    log.info({ tool: oneLine(tool, 80) }, words);
  }

  /** Registers a tool, if it still is what was trusted. */
  function offer(tool: string, fingerprint: string): void {
    const definition = listed.get(tool);
    if (isStopped || definition?.fingerprint !== fingerprint || offered.has(tool)) return;
    // Under an unused name: no server's tool replaces another tool.
    const names = [toolName(settings.name, tool, servers), nameWithMark(settings.name, tool)];
    const name = names.find((one) => !registry.isTaken(one));
    if (name === undefined) {
      log.warn({ tool: oneLine(tool, 80) }, 'a tool of an MCP server is left out: another tool has its name');
      leftOut.push({ tool, why: 'another tool has its name' });
      return;
    }
    const named = { name, category: categoryOf(tool, definition.annotations, settings) };
    const isGuess = settings.url === undefined && isGuessed(tool, named.category, settings);
    const made = mcpTool(definition, { ...named, isGuess, ...wordsFor(tool, definition.annotations, settings) }, parts);
    const create = (): typeof made => {
      // Called when the tools are about to be used: an outdated list is fetched again.
      if (clock.now() - listedAt >= settings.list_ttl_secs * 1000) refresh();
      return made;
    };
    registry.register({ ...named, dynamic: true, create }, source);
    offered.set(tool, { name, fingerprint });
  }

  function withdraw(tool: string): void {
    const found = offered.get(tool);
    if (found !== undefined) registry.unregister(source, found.name);
    offered.delete(tool);
  }

  /** Resolves when the tools of this connection are registered, or could not be listed. Never rejects. */
  async function settled(asked: McpConnection): Promise<void> {
    if (listedBy !== asked) await list();
  }

  return {
    settled,
    /** Call when the server connects or says that its tools have changed. */
    refresh,
    /** How many tools are there, and how many wait for trust: half a sentence. */
    report(): string {
      const counted = offered.size === 1 ? '1 tool' : `${offered.size} tools`;
      const waiting = listed.size - offered.size - leftOut.filter(({ tool }) => listed.has(tool)).length;
      return waiting > 0 ? `${counted}; ${waiting} more wait for trust, see /trust` : counted;
    },
    /** A sentence for owners about the tools that are left out. */
    troubles(): readonly string[] {
      const all = leftOut.map(({ tool, why }) => `"${oneLine(tool, 80)}" (${why})`);
      if (all.length === 0) return [];
      const more = all.length > mostNamed ? `, and ${all.length - mostNamed} more` : '';
      const count = all.length === 1 ? 'One tool' : `${all.length} tools`;
      const were = all.length === 1 ? 'is' : 'are';
      const named = all.slice(0, mostNamed).join(', ');
      return [`${count} of the MCP server ${settings.name} ${were} left out: ${named}${more}.`];
    },
    /**
     * Whether the tool still has this fingerprint, by the list of this connection: after a reconnect, a changed tool
     * must not be called by its old definition.
     */
    async confirms(asked: McpConnection, tool: string, fingerprint: string): Promise<boolean> {
      await settled(asked);
      return offered.get(tool)?.fingerprint === fingerprint;
    },
    async stop(): Promise<void> {
      isStopped = true;
      cancelAgain?.();
      registry.unregister(source);
      await listings;
    },
  };
}

/** A server that does not list its tools is closed, unless it has calls running: it may only be slow. */
async function fetch(connection: McpConnection, timeout: number): Promise<readonly Tool[] | undefined> {
  try {
    return await connection.tools(timeout);
  } catch (cause) {
    if (!(cause instanceof McpError)) throw cause;
    if (!connection.isWorking()) await connection.close(cause.message);
    return undefined;
  }
}

function subjectOf(definition: McpDefinition, settings: McpServerSettings): TrustSubject {
  const { tool, description, parameters, annotations, fingerprint } = definition;
  const category = categoryOf(tool, annotations, settings);
  const what = [
    `The tool ${inlineCode(oneLine(tool, 128))} of the MCP server ${inlineCode(settings.name)}, category ${inlineCode(category)}.`,
    `It says of itself: ${inlineCode(oneLine(description === '' ? '(nothing)' : description, 1500))}`,
    `Its arguments: ${inlineCode(oneLine(JSON.stringify(parameters), 1500))}`,
  ];
  return { kind: 'mcp_tool', name: `${settings.name}/${tool}`, fingerprint, what: what.join('\n') };
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
