import type { Tool, ToolAnnotations } from '@modelcontextprotocol/client';
import { reservedNames } from '../../../config/tool-rules.ts';
import type { TrustSubject } from '../../../conversation/trust-store.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { Background } from '../../../lib/background.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { ToolCategory } from '../../../tools/category.ts';
import { longestToolName, markedName } from '../../../tools/sources/foreign-words.ts';
import { matchesAny } from '../../../tools/tool-pattern.ts';
import type { ToolSource } from '../../../tools/tool-source.ts';
import type { Trust } from '../trust.ts';
import { type McpConnection, McpError } from './connection.ts';
import { type McpDefinition, type McpToolParts, mcpTool, readDefinition } from './mcp-tool.ts';
import type { McpServerSettings, McpToolWords } from './server-settings.ts';

/** More tools than that help no model. */
const mostTools = 200;
/** A server that changes its tools all the time is asked no oftener, in milliseconds. */
const leastPause = 1_000;
/** Of the tools that are left out, so many are named. */
const mostNamed = 5;

/**
 * Keeps the tools of one server in the registry: those that it has, that the operator wants, and that are trusted. `connection`: the
 * one that there is now, if there is one.
 */
export function createToolbox(
  { config, registry, clock, log }: Pick<FeatureCore, 'config' | 'registry' | 'clock' | 'log'>,
  settings: McpServerSettings,
  trust: Trust,
  connection: () => McpConnection | undefined,
  parts: McpToolParts,
) {
  const background = new Background(log);
  const source: ToolSource = { type: 'mcp', server: settings.name };
  const servers = Object.keys(config.mcp_servers).filter((one) => config.mcp_servers[one]?.enabled);
  // A builtin tool that is switched off leaves its name to nobody.
  const reserved = reservedNames(config);
  /** What stands in the registry, by the server's names. */
  const offered = new Map<string, { readonly name: string; readonly fingerprint: string }>();
  /** What the server has said last, by its names. */
  let listed = new Map<string, McpDefinition>();
  /** What it has listed last and is not offered, and why. */
  let leftOut: { readonly tool: string; readonly why: string }[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;
  let listedBy: McpConnection | undefined;
  let refreshing: Promise<void> | undefined;
  let cancelAgain: (() => void) | undefined;
  let isStopped = false;

  function begin(): Promise<void> {
    listedAt = clock.now();
    const listing = list().finally(() => {
      refreshing = undefined;
    });
    refreshing = listing;
    background.run('the tools of an MCP server could not be listed', () => listing);
    return listing;
  }

  function refresh(): void {
    if (isStopped || cancelAgain !== undefined) return;
    const wait = listedAt + leastPause - clock.now();
    if (refreshing === undefined && wait <= 0) {
      void begin();
      return;
    }
    cancelAgain = clock.after(Math.max(wait, 0), () => {
      cancelAgain = undefined;
      const former = refreshing;
      background.run('the tools of an MCP server could not be listed again', async () => {
        // That it has failed is told elsewhere: what the server has said since then holds all the same.
        await Promise.allSettled([former]);
        if (former === undefined) void begin();
        else refresh();
      });
    });
  }

  async function list(): Promise<void> {
    const asked = connection();
    const given = asked === undefined ? undefined : await fetch(asked, settings.timeout_secs * 1000);
    if (given === undefined || isStopped) return;
    log.debug({ tools: given.length }, 'an MCP server has listed its tools');
    if (given.length > mostTools)
      log.warn({ tools: given.length, most: mostTools }, 'an MCP server has too many tools: the rest is left out');
    listed = usable(given.slice(0, mostTools).map((tool) => readDefinition(settings.name, tool)));
    // What is gone, or is not what it was, is off at once.
    for (const [tool, { fingerprint }] of offered) if (listed.get(tool)?.fingerprint !== fingerprint) withdraw(tool);
    for (const definition of listed.values()) await review(definition);
    listedBy = asked;
  }

  function usable(readings: readonly ReturnType<typeof readDefinition>[]): Map<string, McpDefinition> {
    const found = new Map<string, McpDefinition>();
    leftOut = [];
    for (const reading of readings) {
      if (!reading.usable) {
        log.warn({ tool: reading.tool, why: reading.why }, 'a tool of an MCP server is left out');
        leftOut.push(reading);
      } else if (isWanted(reading.definition.tool, settings)) found.set(reading.definition.tool, reading.definition);
    }
    return found;
  }

  async function review(definition: McpDefinition): Promise<void> {
    const { tool, fingerprint } = definition;
    if (offered.has(tool)) return;
    const decided = (isTrusted: boolean): void => (isTrusted ? offer(tool, fingerprint) : withdraw(tool));
    if (await trust.review(subjectOf(definition, settings), decided, !settings.review_tools)) decided(true);
    else {
      const words = 'a tool of an MCP server is new or has changed: it is off until an owner trusts it';
      log.info({ tool: oneLine(tool, 80) }, words);
    }
  }

  /** Offers it, if it still is what was trusted. */
  function offer(tool: string, fingerprint: string): void {
    const definition = listed.get(tool);
    if (isStopped || definition?.fingerprint !== fingerprint || offered.has(tool)) return;
    // Under a name that nobody else has: no tool of a server stands in for another one.
    const names = [toolName(settings.name, tool, servers), nameWithMark(settings.name, tool)];
    const name = names.find((one) => !registry.has(one) && !reserved.has(one.toLowerCase()));
    if (name === undefined) {
      log.warn({ tool: oneLine(tool, 80) }, 'a tool of an MCP server is left out: another tool has its name');
      leftOut.push({ tool, why: 'another tool has its name' });
      return;
    }
    const named = { name, category: categoryOf(tool, definition.annotations, settings) };
    const made = mcpTool(definition, { ...named, ...wordsFor(tool, settings) }, parts);
    const create = (): typeof made => {
      // A list that is too old is fetched again when somebody is about to use the tools.
      if (clock.now() - listedAt >= settings.list_ttl_secs * 1000) refresh();
      return made;
    };
    registry.register({ ...named, dynamic: true, create }, source);
    offered.set(tool, { name, fingerprint });
  }

  function withdraw(tool: string): void {
    const found = offered.get(tool);
    if (found !== undefined) registry.unregister(found.name, source);
    offered.delete(tool);
  }

  /** Resolves when the tools of this connection are there, or could not be read. Never rejects. */
  async function settled(asked: McpConnection): Promise<void> {
    // The first of them may be for a connection that was before this one.
    for (let lists = 0; lists < 2 && listedBy !== asked && !isStopped; lists += 1)
      await Promise.allSettled([refreshing ?? begin()]);
  }

  return {
    settled,
    /** The server has said that it has other tools, or was connected to. */
    refresh,
    /** What an owner should know of its tools, as a sentence each. */
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
     * Whether a tool is the one of this fingerprint, as the server says on this connection: what has changed behind a
     * connection that was lost is not called by what was known before.
     */
    async confirms(asked: McpConnection, tool: string, fingerprint: string): Promise<boolean> {
      await settled(asked);
      return offered.get(tool)?.fingerprint === fingerprint;
    },
    async stop(): Promise<void> {
      isStopped = true;
      cancelAgain?.();
      registry.unregisterBySource(source);
      await background.settled();
    },
  };
}

/** A server that does not list its tools is of no use; but one that works may only be slow. */
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
 * What the model calls a tool of a server: `server_tool`. The same at every start, as long as the operator's servers are
 * called the same. Where that would be no name for a model, or could be a tool of another one of the servers, a part that is
 * made of both names stands at its end.
 */
export function toolName(server: string, tool: string, servers: readonly string[]): string {
  const plain = `${server}_${tool}`;
  const isSafe = /^[a-zA-Z0-9_-]+$/.test(plain) && plain.length <= longestToolName && !markAtEnd.test(plain);
  // Of `a` and `a_b`, both could have an `a_b_c`.
  const isAmbiguous = servers.some((other) => other !== server && server.startsWith(`${other}_`));
  return isSafe && !isAmbiguous ? plain : nameWithMark(server, tool);
}

/** The same with the part at its end, for where the plain one is taken. */
export function nameWithMark(server: string, tool: string): string {
  return markedName(`${server}_${tool}`.replaceAll(/[^a-zA-Z0-9_-]+/g, '_'), `${server}/${tool}`);
}

/** A tool whose own name looks like that is marked, too. */
const markAtEnd = /_[0-9a-f]{8}$/;

/** What the operator has said of a tool: by its name, or by the first pattern that fits. */
function rulesFor(tool: string, { tools }: McpServerSettings): McpServerSettings['tools'][string] | undefined {
  if (Object.hasOwn(tools, tool)) return tools[tool];
  return Object.entries(tools).find(([pattern]) => matchesAny([pattern], tool))?.[1];
}

export function isWanted(tool: string, settings: McpServerSettings): boolean {
  return rulesFor(tool, settings)?.enabled ?? true;
}

/** What the operator says of a tool, or else of all tools of its server, beside what it touches. */
export function wordsFor(tool: string, settings: McpServerSettings): McpToolWords {
  const own = rulesFor(tool, settings);
  return {
    private: own?.private ?? settings.private,
    outbound: own?.outbound ?? settings.outbound,
    trusted: own?.trusted ?? settings.trusted,
    targets: own?.targets ?? settings.targets,
  };
}

/**
 * What a tool touches, by the operator's word for it. A tool that says that it destroys something is believed. Else the
 * operator's word for all of its server holds; what says that it only reads is believed where the operator trusts that;
 * and all other tools are asked for, as what writes somewhere else.
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
  if (!settings.trust_annotations || annotations?.readOnlyHint !== true) return 'network_write';
  // A program here that speaks with nobody else reads what is here.
  const isLocal = settings.url === undefined && annotations.openWorldHint === false;
  return isLocal ? 'filesystem_read' : 'network_read';
}
