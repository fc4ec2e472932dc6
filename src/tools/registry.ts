import { once } from '../lib/background.ts';
import type { Clock } from '../lib/clock.ts';
import { canonicalJson } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { Language } from '../lib/words.ts';
import type { ToolDefinition } from '../transcript.ts';
import { guardedTool } from './guarded-tool.ts';
import { shortDefinition } from './short-definition.ts';
import type { Tool, ToolCategory, ToolScope } from './tool.ts';
import { toolsWords } from './words.ts';

/** A tool to be created for each use, so that it may depend on the scope. */
export interface ToolRegistration {
  /** At most 64 of `[a-zA-Z0-9_-]`: what all models accept. */
  readonly name: string;
  readonly category: ToolCategory;
  /** Its definition varies by scope or over time, and is read each time. */
  readonly dynamic?: boolean;
  /** How deep a run must be nested to get it, besides the config's rules. A sub-run of a conversation is at depth 1. */
  readonly depths?: { readonly from?: number; readonly below?: number };
  /** Loads the definition, if it is the same in every scope. */
  readonly definition?: () => Promise<ToolDefinition>;
  /** Creates the tool. Its name and category must equal the registration's. */
  create(scope: ToolScope): Tool | Promise<Tool>;
}

function isAtDepth({ depths }: Partial<ToolRegistration> = {}, { within }: ToolScope): boolean {
  const depth = within?.depth ?? 0;
  return depth >= (depths?.from ?? 0) && depth < (depths?.below ?? Number.POSITIVE_INFINITY);
}

/** The registration of a tool that does not depend on its scope. */
export function registrationOf(tool: Tool): ToolRegistration {
  return { name: tool.name, category: tool.category, create: () => tool };
}

/** A builtin tool that is loaded on first use. */
export function lazyTool<Name extends string>(
  name: Name,
  category: ToolCategory,
  load: () => Promise<Tool>,
): ToolRegistration & { readonly name: Name } {
  const create = once(load);
  return { name, category, definition: async () => (await create()).spec(), create };
}

export interface ScopedTool {
  readonly registration: ToolRegistration;
  readonly source: ToolSource;
}

/** Brings tools that only some people have. Registered tools of the same name take precedence. */
export interface ScopedTools {
  /** The person's tools, each name once. Returns the same objects as long as the tools are the same. */
  toolsFor(scope: ToolScope): readonly ScopedTool[];
  /** The tool that a call of this name means. A name that it was listed under before may find it, too. */
  toolFor(name: string, scope: ToolScope): ScopedTool | undefined;
}

export interface RegisteredTool extends Offered {
  readonly source: ToolSource;
}

export interface FoundTool extends ScopedTool {
  readonly tool: Tool;
}

/** All tools of the process, by name. */
export interface ToolRegistry {
  /** Sets the source of tools that only some people have. */
  include(tools: ScopedTools): void;
  /**
   * Adds a tool, and replaces one of the same name and source. A custom tool hides a builtin, whichever came first,
   * until it is unregistered. Throws if the name belongs to another source, or if models do not accept it.
   */
  register(registration: ToolRegistration, source: ToolSource): void;
  /** Removes what exactly this source registered under the name. Default: all that it registered. */
  unregister(source: ToolSource, name?: string): void;
  /** Whether no further tool may have this name: another tool has it, or a builtin one that is off. */
  isTaken(name: string): boolean;
  /** The source of the active tool. */
  sourceOf(name: string): ToolSource | undefined;
  /** Whether a tool is offered in the scope with this category. */
  offers(tool: Offered, scope: ToolScope): boolean;
  /** The tools offered in the scope, sorted by name. */
  list(scope: ToolScope): readonly RegisteredTool[];
  /**
   * Creates the tool. Undefined if there is none, if it is not offered, or if it could not be created, which is
   * logged. A `found` tool is returned again while it is the active one.
   */
  get(name: string, scope: ToolScope, found?: FoundTool): Promise<FoundTool | undefined>;
  /** The definitions for a model, sorted by name. A tool that cannot describe itself is left out and logged. */
  definitions(scope: ToolScope): Promise<readonly ToolDefinition[]>;
  /** A definition told in short. The same object each time, so that callers can cache by it. */
  inShort(definition: ToolDefinition): ToolDefinition;
  /**
   * Loads the definitions that are the same in every scope, so that the first run need not wait. Ends early if
   * aborted. Never rejects.
   */
  learn(signal?: AbortSignal): Promise<void>;
}

interface RegistryParts {
  readonly log: Log;
  /** Limits the time of tools before a call. */
  readonly clock?: Clock;
  /** What is offered where. Default: all, everywhere. */
  readonly offers?: () => OfferRules;
  /** Names, in lower case, that only Keyturn may give a tool. */
  readonly reserved?: readonly string[];
}

export function createToolRegistry(parts: RegistryParts): ToolRegistry {
  const registry = new Registry(parts);
  return {
    include: (tools) => registry.include(tools),
    register: (registration, source) => registry.register(registration, source),
    unregister: (source, name) => registry.unregister(source, name),
    isTaken: (name) => registry.isTaken(name),
    sourceOf: (name) => registry.sourceOf(name),
    offers: (tool, scope) => registry.offers(tool, scope),
    list: (scope) => registry.list(scope),
    get: (name, scope, found) => registry.get(name, scope, found),
    definitions: (scope) => registry.definitions(scope),
    inShort: (definition) => registry.inShort(definition),
    learn: (signal) => registry.learn(signal),
  };
}

class Registry implements ToolRegistry {
  readonly #log: Log;
  readonly #clock: Clock | undefined;
  readonly #offers: () => OfferRules;
  readonly #reserved: readonly string[];
  /** The last entry of a name is active; the others return when it goes. */
  #entries: readonly ScopedTool[] = [];
  /** The active entries, sorted by name. */
  #active: ReadonlyMap<string, ScopedTool> = new Map();
  #scoped: ScopedTools | undefined;
  /** Never of a dynamic tool. */
  readonly #described = new WeakMap<ToolRegistration, ToolDefinition>();
  readonly #shortened = new WeakMap<ToolDefinition, ToolDefinition>();

  constructor({ log, clock, offers = () => everythingOffered, reserved = [] }: RegistryParts) {
    this.#log = log;
    this.#clock = clock;
    this.#offers = offers;
    this.#reserved = reserved;
  }

  include(tools: ScopedTools): void {
    this.#scoped = tools;
  }

  register(registration: ToolRegistration, source: ToolSource): void {
    const { name } = registration;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      throw new Error(`"${name}" is no name for a tool: it must be 1 to 64 letters, digits, "_" or "-"`);
    }
    const taken = this.#active.get(name)?.source;
    const types = [source.type, taken?.type];
    const standsIn = types.includes('custom') && types.includes('builtin');
    if (taken !== undefined && !standsIn && !isSameSource(taken, source))
      throw new Error(`There is a tool "${name}" already, from ${describeSource(taken)}: give this one another name`);
    this.unregister(source, name);
    const entry = { registration, source };
    this.#change(source.type === 'builtin' ? [entry, ...this.#entries] : [...this.#entries, entry]);
  }

  unregister(source: ToolSource, name?: string): void {
    const kept = this.#entries.filter(
      (entry) => (name ?? entry.registration.name) !== entry.registration.name || !isSameSource(entry.source, source),
    );
    this.#change(kept);
  }

  isTaken(name: string): boolean {
    return this.#active.has(name) || this.#reserved.includes(name.toLowerCase());
  }

  sourceOf(name: string): ToolSource | undefined {
    return this.#active.get(name)?.source;
  }

  offers(tool: Offered, scope: ToolScope): boolean {
    return this.#isOffered(tool, scope, this.#find(tool.name, scope)?.registration);
  }

  list(scope: ToolScope): readonly RegisteredTool[] {
    const offered = this.#offered(scope);
    return offered.map(({ registration: { name, category }, source }) => ({ name, source, category }));
  }

  async get(name: string, scope: ToolScope, found?: FoundTool): Promise<FoundTool | undefined> {
    const entry = this.#find(name, scope);
    if (entry === undefined || !this.#isOffered(entry.registration, scope, entry.registration)) return undefined;
    if (found?.registration === entry.registration) return found;
    return this.#attempt(entry, async () => ({ ...entry, tool: await make(entry.registration, scope, this.#clock) }));
  }

  async definitions(scope: ToolScope): Promise<readonly ToolDefinition[]> {
    const all = await Promise.all(
      this.#offered(scope).map((entry) => this.#attempt(entry, () => this.#definitionOf(entry.registration, scope))),
    );
    return all.filter((definition) => definition !== undefined);
  }

  inShort(definition: ToolDefinition): ToolDefinition {
    const short = this.#shortened.get(definition) ?? shortDefinition(definition);
    this.#shortened.set(definition, short);
    return short;
  }

  async learn(signal?: AbortSignal): Promise<void> {
    for (const entry of this.#active.values())
      if (signal?.aborted !== true) await this.#attempt(entry, () => this.#definitionOf(entry.registration));
  }

  #change(next: readonly ScopedTool[]): void {
    this.#entries = next;
    this.#active = new Map(next.toSorted(byName).map((entry) => [entry.registration.name, entry]));
  }

  #find(name: string, scope: ToolScope): ScopedTool | undefined {
    return this.#active.get(name) ?? this.#scoped?.toolFor(name, scope);
  }

  #isOffered(tool: Offered, scope: ToolScope, registration: ToolRegistration | undefined): boolean {
    return isAtDepth(registration, scope) && isOfferedBy(this.#offers(), scope, tool);
  }

  #offered(scope: ToolScope): readonly ScopedTool[] {
    const all = this.#scoped?.toolsFor(scope) ?? [];
    const own = all.filter(({ registration }) => !this.#active.has(registration.name));
    return [...this.#active.values(), ...own]
      .sort(byName)
      .filter(({ registration }) => this.#isOffered(registration, scope, registration));
  }

  /** Tools may be foreign: one that throws must not affect the others. */
  async #attempt<Result>(
    { registration, source }: ScopedTool,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await work();
    } catch (cause) {
      const fields = { tool: registration.name, source: describeSource(source), err: cause };
      this.#log.warn(fields, 'a tool is left out: it could not be made');
      return undefined;
    }
  }

  /** The tool's definition in the scope. Without a scope: the one that is the same in every scope, if there is one. */
  async #definitionOf(registration: ToolRegistration, scope?: ToolScope): Promise<ToolDefinition | undefined> {
    const fixed = this.#described.get(registration) ?? (await registration.definition?.());
    const definition = fixed ?? (scope && (await (await make(registration, scope, this.#clock)).spec()));
    if (definition !== undefined && registration.dynamic !== true) this.#described.set(registration, definition);
    return definition;
  }
}

function byName({ registration: a }: ScopedTool, { registration: b }: ScopedTool): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

async function make(registration: ToolRegistration, scope: ToolScope, clock: Clock | undefined): Promise<Tool> {
  const { name, category } = registration;
  const tool = await registration.create(scope);
  if (tool.name === name && tool.category === category) return guardedTool(tool, scope, clock);
  throw new Error(`The tool "${name}" (${category}) was made as "${tool.name}" (${tool.category})`);
}

/** Where a tool comes from. */
export type ToolSource =
  | { readonly type: 'builtin' }
  /** `file`: the operator's tool file; unset for a tool in the config. */
  | { readonly type: 'custom'; readonly file?: string }
  /** `author`: who had it made in a chat; unset for a tool in the config. */
  | { readonly type: 'composed'; readonly author?: string }
  | { readonly type: 'plugin'; readonly name: string }
  | { readonly type: 'mcp'; readonly server: string }
  | { readonly type: 'remote'; readonly device: string }
  | { readonly type: 'delegate' };

export function isSameSource(a: ToolSource, b: ToolSource): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** The source's name within its kind, or the kind if there is only one. */
export function nameOfSource(source: ToolSource): string {
  switch (source.type) {
    case 'plugin':
      return source.name;
    case 'mcp':
      return source.server;
    case 'remote':
      return source.device;
    case 'builtin':
    case 'custom':
    case 'composed':
    case 'delegate':
      return source.type;
  }
}

/** For models and the log. People are told by `sourceIn`. */
export function describeSource(source: ToolSource): string {
  return sourceIn('en', source);
}

export function sourceIn(language: Language, source: ToolSource): string {
  return toolsWords[language].source({ type: source.type, name: nameOfSource(source) });
}

/** Whether a pattern matches the whole name: `*`, `prefix*`, `*suffix` or the name itself. */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => {
    if (pattern.endsWith('*')) return name.startsWith(pattern.slice(0, -1));
    return pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : pattern === name;
  });
}

/** The settings whose pattern matches the name, in order. */
export function settingsFor<Settings>(
  name: string,
  byPattern: Readonly<Record<string, Settings>>,
): readonly Settings[] {
  return Object.entries(byPattern).flatMap(([pattern, settings]) => (matchesAny([pattern], name) ? [settings] : []));
}

/** Offers the tools of `only` that are not `disabled`. Entries are patterns of names, or `category:shell`. */
export interface OfferList {
  readonly disabled: readonly string[];
  readonly only: readonly string[];
}

/** What is offered everywhere, and limits by place: a channel `telegram`, or a chat of it, `telegram:-1001`. */
export interface OfferRules {
  /** The patterns of the agent that answers in a place, if one does. */
  readonly ofAgent?: (scope: ToolScope) => readonly string[] | undefined;
  readonly everywhere: OfferList;
  readonly places: Readonly<Record<string, OfferList>>;
}

const everythingOffered: OfferRules = { everywhere: { disabled: [], only: ['*'] }, places: {} };

export interface Offered {
  readonly name: string;
  readonly category: ToolCategory;
}

/** Whether a tool is offered in the scope. Every list about the place must allow it. */
export function isOfferedBy({ everywhere, places, ofAgent }: OfferRules, scope: ToolScope, tool: Offered): boolean {
  const lists = namesOf(scope).flatMap((name) => (Object.hasOwn(places, name) ? (places[name] ?? []) : []));
  const only = [...(scope.within?.only ?? []), ofAgent?.(scope) ?? ['*']];
  return [everywhere, ...lists].every((list) => allows(list, tool)) && only.every((list) => fits(list, tool));
}

export function allows({ disabled, only }: OfferList, tool: Offered): boolean {
  return fits(only, tool) && !fits(disabled, tool);
}

function fits(entries: readonly string[], { name, category }: Offered) {
  return entries.includes(`category:${category}`) || matchesAny(entries, name);
}

/** The names that the config may use for the place, widest first. */
function namesOf({ channel, tenant, chatId, conversationId }: ToolScope): readonly string[] {
  const inTenant = tenant === undefined ? [] : [`${channel}:${tenant}`, `${channel}:${tenant}/${chatId}`];
  return [...new Set([channel, ...inTenant, `${channel}:${chatId}`, conversationId])];
}
