import { createHash } from 'node:crypto';
import type { Tool, ToolAnnotations } from '@modelcontextprotocol/client';
import type { TrustSubject } from '../../../conversation/trust-store.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { Background } from '../../../lib/background.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { ToolCategory } from '../../../tools/category.ts';
import type { ToolRegistration } from '../../../tools/registry.ts';
import { matchesAny } from '../../../tools/tool-pattern.ts';
import type { ToolSource } from '../../../tools/tool-source.ts';
import type { Trust } from '../trust.ts';
import { type McpConnection, McpError } from './connection.ts';
import { type McpDefinition, type McpToolDependencies, mcpTool, readDefinition } from './mcp-tool.ts';
import type { McpServerSettings, McpToolWords } from './server-settings.ts';

export interface ToolboxDependencies extends Pick<FeatureCore, 'registry' | 'clock' | 'log'> {
  readonly settings: McpServerSettings;
  /** The names of all servers of the config. */
  readonly servers: readonly string[];
  /** Names that are left to nobody: those of builtin tools, be they switched off or not. */
  readonly reservedNames: ReadonlySet<string>;
  readonly trust: Trust;
  readonly tool: McpToolDependencies;
  /** The connection that there is now, if there is one. */
  readonly connection: () => McpConnection | undefined;
}

/** More tools than that help no model. */
const mostTools = 200;
/** A server that changes its tools all the time is asked no oftener, in milliseconds. */
const leastPause = 1_000;
/** Of the tools that are left out, so many are named. */
const mostNamed = 5;

interface Offered {
  readonly name: string;
  readonly fingerprint: string;
}

/** Keeps the tools of one server in the registry: those that it has, that the operator wants, and that are trusted. */
export class McpToolbox {
  readonly #dependencies: ToolboxDependencies;
  readonly #background: Background;
  readonly #source: ToolSource;
  /** What stands in the registry, by the server's names. */
  readonly #offered = new Map<string, Offered>();
  /** What the server has said last, by its names. */
  #listed = new Map<string, McpDefinition>();
  /** What it has listed last and is not offered, and why. */
  #leftOut: { readonly tool: string; readonly why: string }[] = [];
  #listedAt = Number.NEGATIVE_INFINITY;
  #listedBy: McpConnection | undefined;
  #refreshing: Promise<void> | undefined;
  #cancelAgain: (() => void) | undefined;
  #isStopped = false;

  constructor(dependencies: ToolboxDependencies) {
    this.#dependencies = dependencies;
    this.#background = new Background(dependencies.log);
    this.#source = { type: 'mcp', server: dependencies.settings.name };
  }

  /** What an owner should know of its tools, as a sentence; undefined where none is left out. */
  get trouble(): string | undefined {
    const all = this.#leftOut.map(({ tool, why }) => `"${oneLine(tool, 80)}" (${why})`);
    if (all.length === 0) return undefined;
    const more = all.length > mostNamed ? `, and ${all.length - mostNamed} more` : '';
    const count = all.length === 1 ? 'One tool' : `${all.length} tools`;
    const were = all.length === 1 ? 'is' : 'are';
    return `${count} of the MCP server ${this.#dependencies.settings.name} ${were} left out: ${all.slice(0, mostNamed).join(', ')}${more}.`;
  }

  /**
   * Whether a tool is the one of this fingerprint, as the server says on this connection: what has changed behind a
   * connection that was lost is not called by what was known before.
   */
  async confirms(connection: McpConnection, tool: string, fingerprint: string): Promise<boolean> {
    await this.settled(connection);
    return this.#offered.get(tool)?.fingerprint === fingerprint;
  }

  /** Resolves when the tools of this connection are there, or could not be read. Never rejects. */
  async settled(connection: McpConnection): Promise<void> {
    // The first of them may be for a connection that was before this one.
    for (let lists = 0; lists < 2 && this.#listedBy !== connection && !this.#isStopped; lists += 1) {
      if (this.#refreshing === undefined) this.#begin();
      await Promise.allSettled([this.#refreshing]);
    }
  }

  /** The server has said that it has other tools, or was connected to. */
  refresh(): void {
    const { clock } = this.#dependencies;
    if (this.#isStopped || this.#cancelAgain !== undefined) return;
    const wait = this.#listedAt + leastPause - clock.now();
    if (this.#refreshing === undefined && wait <= 0) {
      this.#begin();
      return;
    }
    this.#cancelAgain = clock.after(Math.max(wait, 0), () => {
      this.#cancelAgain = undefined;
      if (this.#refreshing === undefined) this.#begin();
      else this.#refreshAfter(this.#refreshing);
    });
  }

  #refreshAfter(refreshing: Promise<void>): void {
    this.#background.run('the tools of an MCP server could not be listed again', async () => {
      // That it has failed is told elsewhere: what the server has said since then holds all the same.
      await Promise.allSettled([refreshing]);
      this.refresh();
    });
  }

  /** Somebody is about to use the tools: a list that is too old is fetched again. */
  touch(): void {
    const { clock, settings } = this.#dependencies;
    if (clock.now() - this.#listedAt >= settings.list_ttl_secs * 1000) this.refresh();
  }

  /** Takes all tools away. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelAgain?.();
    this.#dependencies.registry.unregisterBySource(this.#source);
    await this.#background.settled();
  }

  #begin(): void {
    const { clock } = this.#dependencies;
    this.#listedAt = clock.now();
    this.#refreshing = this.#list().finally(() => {
      this.#refreshing = undefined;
    });
    const refreshing = this.#refreshing;
    this.#background.run('the tools of an MCP server could not be listed', () => refreshing);
  }

  async #list(): Promise<void> {
    const { connection, settings } = this.#dependencies;
    const asked = connection();
    if (asked === undefined) return;
    const given = await this.#fetch(asked, settings.timeout_secs * 1000);
    if (given === undefined || this.#isStopped) return;
    this.#listed = this.#usable(given.slice(0, mostTools).map((tool) => readDefinition(settings.name, tool)));
    this.#report(given.length);
    // What is gone, or is not what it was, is off at once.
    for (const [tool, { fingerprint }] of this.#offered) {
      if (this.#listed.get(tool)?.fingerprint !== fingerprint) this.#withdraw(tool);
    }
    for (const definition of this.#listed.values()) await this.#review(definition);
    this.#listedBy = asked;
  }

  /** A server that does not list its tools is of no use; but one that works may only be slow. */
  async #fetch(connection: McpConnection, timeout: number): Promise<readonly Tool[] | undefined> {
    try {
      return await connection.tools(timeout);
    } catch (cause) {
      if (!(cause instanceof McpError)) throw cause;
      if (!connection.isWorking) await connection.close(cause.message);
      return undefined;
    }
  }

  #usable(readings: readonly ReturnType<typeof readDefinition>[]): Map<string, McpDefinition> {
    const { log, settings } = this.#dependencies;
    const usable = new Map<string, McpDefinition>();
    this.#leftOut = [];
    for (const reading of readings) {
      if (!reading.usable) {
        log.warn({ tool: reading.tool, why: reading.why }, 'a tool of an MCP server is left out');
        this.#leftOut.push(reading);
      } else if (isWanted(reading.definition.tool, settings)) usable.set(reading.definition.tool, reading.definition);
    }
    return usable;
  }

  #report(count: number): void {
    const { log } = this.#dependencies;
    log.debug({ tools: count }, 'an MCP server has listed its tools');
    if (count > mostTools)
      log.warn({ tools: count, most: mostTools }, 'an MCP server has too many tools: the rest is left out');
  }

  async #review(definition: McpDefinition): Promise<void> {
    const { tool, fingerprint } = definition;
    if (this.#offered.has(tool)) return;
    const { trust, settings, log } = this.#dependencies;
    const decided = (isTrusted: boolean): void => (isTrusted ? this.#trusted(tool, fingerprint) : this.#withdraw(tool));
    if (await trust.review(subjectOf(definition, settings), decided, !settings.review_tools)) decided(true);
    else {
      const words = 'a tool of an MCP server is new or has changed: it is off until an owner trusts it';
      log.info({ tool: oneLine(tool, 80) }, words);
    }
  }

  /** Offers it, if it still is what was trusted. */
  #trusted(tool: string, fingerprint: string): void {
    const definition = this.#listed.get(tool);
    if (this.#isStopped || definition?.fingerprint !== fingerprint || this.#offered.has(tool)) return;
    const registration = this.#registrationOf(definition);
    if (registration === undefined) return;
    this.#dependencies.registry.register(registration, this.#source);
    this.#offered.set(tool, { name: registration.name, fingerprint });
  }

  /** Under a name that nobody else has: no tool of a server stands in for another one. */
  #registrationOf(definition: McpDefinition): ToolRegistration | undefined {
    const { settings, servers, registry, reservedNames, log } = this.#dependencies;
    const { tool } = definition;
    const names = [toolName(settings.name, tool, servers), markedName(settings.name, tool)];
    const name = names.find((one) => !registry.has(one) && !reservedNames.has(one.toLowerCase()));
    if (name === undefined) {
      log.warn({ tool: oneLine(tool, 80) }, 'a tool of an MCP server is left out: another tool has its name');
      this.#leftOut.push({ tool, why: 'another tool has its name' });
      return undefined;
    }
    const named = { name, category: categoryOf(tool, definition.annotations, settings) };
    const made = mcpTool(definition, { ...named, ...wordsFor(tool, settings) }, this.#dependencies.tool);
    // Asked for at each use: that is when a list can be found to be too old.
    const create = (): typeof made => {
      this.touch();
      return made;
    };
    return { ...named, dynamic: true, create };
  }

  #withdraw(tool: string): void {
    const offered = this.#offered.get(tool);
    if (offered !== undefined) this.#dependencies.registry.unregister(offered.name, this.#source);
    this.#offered.delete(tool);
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

/** Names longer than that are taken by no model. */
const longestName = 64;

/**
 * What the model calls a tool of a server: `server_tool`. The same at every start, as long as the operator's servers are
 * called the same. Where that would be no name for a model, or could be a tool of another one of the servers, a part that is
 * made of both names stands at its end.
 */
export function toolName(server: string, tool: string, servers: readonly string[]): string {
  const plain = `${server}_${tool}`;
  const isSafe = /^[a-zA-Z0-9_-]+$/.test(plain) && plain.length <= longestName && !markAtEnd.test(plain);
  // Of `a` and `a_b`, both could have an `a_b_c`.
  const isAmbiguous = servers.some((other) => other !== server && server.startsWith(`${other}_`));
  return isSafe && !isAmbiguous ? plain : markedName(server, tool);
}

/** The same with the part at its end, for where the plain one is taken. */
export function markedName(server: string, tool: string): string {
  const mark = createHash('sha256').update(`${server}/${tool}`).digest('hex').slice(0, markLength);
  const plain = `${server}_${tool}`.replaceAll(/[^a-zA-Z0-9_-]+/g, '_');
  return `${plain.slice(0, longestName - markLength - 1)}_${mark}`;
}

const markLength = 8;
/** A tool whose own name looks like that is marked, too. */
const markAtEnd = /_[0-9a-f]{8}$/;

/** What the operator has said of a tool: by its name, or by the first pattern that fits. */
function rulesFor(tool: string, { tools }: McpServerSettings): McpServerSettings['tools'][string] | undefined {
  if (Object.hasOwn(tools, tool)) return tools[tool];
  return Object.entries(tools).find(([pattern]) => matchesAny([pattern], tool))?.[1];
}

/** Whether the operator wants the tool at all. */
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
