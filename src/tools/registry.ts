import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { once } from '../lib/once.ts';
import type { ToolDefinition } from '../transcript.ts';
import type { ToolCategory } from './category.ts';
import { guardedTool } from './guarded-tool.ts';
import type { Tool, ToolScope } from './tool.ts';
import { everythingOffered, type OfferRules, offeredIn } from './tool-pattern.ts';
import { describeSource, isSameSource, type ToolSource } from './tool-source.ts';

/** A tool as it is brought: made again for each use, so that it may depend on where and for whom. */
export interface ToolRegistration {
  /** At most 64 of `[a-zA-Z0-9_-]`: what all models take. */
  readonly name: string;
  readonly category: ToolCategory;
  /** What the model is told differs from scope to scope, or from time to time: it is asked for each time. */
  readonly dynamic?: boolean;
  /** Whether it is offered there, beside what the config says. Left out: everywhere. */
  isOffered?(scope: ToolScope): boolean;
  /** What the model is told, where that is the same in every scope, or how to find it out. */
  readonly definition?: ToolDefinition | (() => Promise<ToolDefinition>);
  /** Makes the tool. Its name and category are those of the registration. */
  create(scope: ToolScope): Tool | Promise<Tool>;
}

/** A registration of a tool that needs to know nothing of its scope. */
export function registrationOf(tool: Tool): ToolRegistration {
  return { name: tool.name, category: tool.category, create: () => tool };
}

/** A builtin tool whose file is loaded when it is first asked for. */
export function lazyTool(name: string, category: ToolCategory, load: () => Promise<Tool>): ToolRegistration {
  const create = once(load);
  return { name, category, definition: async () => (await create()).spec(), create };
}

/** A tool, and where it comes from. */
export interface ScopedTool {
  readonly registration: ToolRegistration;
  readonly source: ToolSource;
}

/** Brings tools that only some people have. What is registered under the same name goes before them. */
export interface ScopedTools {
  /** What the person of the scope has, each name once. The same objects each time, as long as they are the same tools. */
  toolsFor(scope: ToolScope): readonly ScopedTool[];
  /** The one that a call of this name means. It may be found by a name that it was listed under before. */
  toolFor(name: string, scope: ToolScope): ScopedTool | undefined;
}

export interface RegisteredTool {
  readonly name: string;
  readonly source: ToolSource;
  readonly category: ToolCategory;
}

export interface FoundTool extends ScopedTool {
  readonly tool: Tool;
}

export interface DefinitionOptions {
  /** Only tools of these names; names that are not registered are passed over. */
  readonly only?: readonly string[];
  /** Only the first sentence of each description. */
  readonly compact?: boolean;
  readonly category?: ToolCategory;
}

interface Entry extends ScopedTool {
  /** What the registration's tool said of itself. Never set for a dynamic one. */
  definition?: ToolDefinition | undefined;
}

/** How many tools are asked at once what they are. */
const asked = 8;

/** All tools of the process, by name. */
export class ToolRegistry {
  readonly #log: Log;
  readonly #clock: Clock | undefined;
  readonly #offers: () => OfferRules;
  #scoped: ScopedTools | undefined;
  /** The last of a name's entries is the one in use; the others come back when it goes. Never an empty list. */
  readonly #entries = new Map<string, readonly Entry[]>();
  /** Those in use, sorted by name; made again after each change. */
  #inOrder: readonly Entry[] | undefined;
  readonly #compact = new WeakMap<ToolDefinition, ToolDefinition>();

  /** `clock`: by which no tool takes too long to say what it is. `offers`: which are offered where. Left out: all, everywhere. */
  constructor({
    log,
    clock,
    offers = () => everythingOffered,
  }: {
    readonly log: Log;
    readonly clock?: Clock;
    readonly offers?: () => OfferRules;
  }) {
    this.#log = log;
    this.#clock = clock;
    this.#offers = offers;
  }

  /** Asks these, too, what they offer in a scope. */
  include(scoped: ScopedTools): void {
    this.#scoped = scoped;
  }

  /** Adds a tool. Throws if the name is taken, or is none that models take. */
  register(registration: ToolRegistration, source: ToolSource): void {
    const { name } = registration;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      throw new Error(`"${name}" is no name for a tool: it must be 1 to 64 letters, digits, "_" or "-"`);
    }
    const taken = this.#active(name);
    if (taken !== undefined) {
      const owner = describeSource(taken.source);
      throw new Error(`There is a tool "${name}" already, from ${owner}: give this one another name`);
    }
    this.#put(name, [{ registration, source }]);
  }

  /**
   * Adds a tool, in place of one of the same name if there is one: of the same source, whose old registration is then
   * gone; or a custom tool in place of a builtin, which comes back when the custom one goes, and may come while it is
   * there. Returns the one that was in use. Throws where another source's tool would be replaced.
   */
  registerOrReplace(registration: ToolRegistration, source: ToolSource): ToolRegistration | undefined {
    const { name } = registration;
    const previous = this.#active(name);
    if (previous === undefined) {
      this.register(registration, source);
      return undefined;
    }
    const types = [source.type, previous.source.type];
    const standsIn = types.includes('custom') && types.includes('builtin');
    if (!standsIn && !isSameSource(previous.source, source)) {
      const [own, other] = [describeSource(source), describeSource(previous.source)];
      throw new Error(
        `The tool "${name}" from ${own} cannot take the place of the one from ${other}: give it another name`,
      );
    }
    const kept = (this.#entries.get(name) ?? []).filter((entry) => !isSameSource(entry.source, source));
    const entry = { registration, source };
    this.#put(name, source.type === 'builtin' ? [entry, ...kept] : [...kept, entry]);
    return previous.registration;
  }

  /** Takes away what this source brought under the name. Returns whether there was anything. */
  unregister(name: string, source: ToolSource): boolean {
    const entries = this.#entries.get(name) ?? [];
    const kept = entries.filter((entry) => !isSameSource(entry.source, source));
    this.#put(name, kept);
    return kept.length < entries.length;
  }

  /** Takes away all that exactly this source brought. Returns how many tools that were. */
  unregisterBySource(source: ToolSource): number {
    return [...this.#entries.keys()].filter((name) => this.unregister(name, source)).length;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Who brought the tool that is in use under the name. */
  sourceOf(name: string): ToolSource | undefined {
    return this.#active(name)?.source;
  }

  /** The tools that are offered there, sorted by name. */
  list(scope: ToolScope): readonly RegisteredTool[] {
    return this.#offered(scope).map(({ registration: { name, category }, source }) => ({ name, source, category }));
  }

  /** Whether a call of a tool may have this category there. */
  offers(tool: { readonly name: string; readonly category: ToolCategory }, scope: ToolScope): boolean {
    const { isOffered } = this.#find(tool.name, scope)?.registration ?? {};
    return (isOffered?.(scope) ?? true) && offeredIn(this.#offers(), scope)(tool);
  }

  /**
   * Makes the tool, and says who brought it. Undefined if there is none, if it is not offered there, or if it could not
   * be made: the log says why. One that was `found` before is given again, as long as it is the one in use.
   */
  async get(name: string, scope: ToolScope, found?: FoundTool): Promise<FoundTool | undefined> {
    const entry = this.#find(name, scope);
    if (entry === undefined || !this.offers(entry.registration, scope)) return undefined;
    const { registration, source } = entry;
    if (found?.registration === registration) return found;
    return this.#attempt(entry, async () => ({
      tool: await make(registration, scope, this.#clock),
      source,
      registration,
    }));
  }

  /** What a model is told of the tools, sorted by name. A tool that cannot say what it is is left out: the log says why. */
  async definitions(
    scope: ToolScope,
    { only, compact = false, category }: DefinitionOptions = {},
  ): Promise<readonly ToolDefinition[]> {
    const wanted = this.#offered(scope).filter(
      ({ registration }) =>
        (only === undefined || only.includes(registration.name)) &&
        (category === undefined || registration.category === category),
    );
    const definitions: ToolDefinition[] = [];
    for (let start = 0; start < wanted.length; start += asked) {
      const some = wanted.slice(start, start + asked);
      const answers = await Promise.all(
        some.map((entry) => this.#attempt(entry, () => definitionOf(entry, scope, this.#clock))),
      );
      definitions.push(...answers.filter((answer) => answer !== undefined));
    }
    if (!compact) return definitions;
    return definitions.map((definition) => {
      // The same object each time, so that a caller that has looked at it need not do so again.
      const short = this.#compact.get(definition) ?? shortened(definition);
      this.#compact.set(definition, short);
      return short;
    });
  }

  /**
   * Finds out what the tools say of themselves that is the same in every scope, so that the first run need not wait for it.
   * Ends early with the signal. Never rejects.
   */
  async learn(signal?: AbortSignal): Promise<void> {
    for (const entry of this.#sorted())
      if (signal?.aborted !== true) await this.#attempt(entry, () => everywhere(entry));
  }

  #put(name: string, entries: readonly Entry[]): void {
    this.#inOrder = undefined;
    if (entries.length > 0) this.#entries.set(name, entries);
    else this.#entries.delete(name);
  }

  #active(name: string): Entry | undefined {
    return this.#entries.get(name)?.at(-1);
  }

  #find(name: string, scope: ToolScope): Entry | undefined {
    return this.#active(name) ?? this.#scoped?.toolFor(name, scope);
  }

  #offered(scope: ToolScope): readonly Entry[] {
    const isOffered = offeredIn(this.#offers(), scope);
    const scoped = (this.#scoped?.toolsFor(scope) ?? []).filter(({ registration }) => !this.has(registration.name));
    const all = scoped.length === 0 ? this.#sorted() : [...this.#sorted(), ...scoped].sort(byName);
    return all.filter(({ registration }) => isOffered(registration) && (registration.isOffered?.(scope) ?? true));
  }

  #sorted(): readonly Entry[] {
    this.#inOrder ??= [...this.#entries.values()].flatMap((all) => all.at(-1) ?? []).sort(byName);
    return this.#inOrder;
  }

  /** A tool comes from anybody: what one throws must not cost the others. */
  async #attempt<Result>(entry: Entry, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (cause) {
      const { name } = entry.registration;
      this.#log.warn(
        { tool: name, source: describeSource(entry.source), err: cause },
        'a tool is left out: it could not be made',
      );
      return undefined;
    }
  }
}

function byName({ registration: a }: Entry, { registration: b }: Entry): number {
  return a.name < b.name ? -1 : 1;
}

async function definitionOf(entry: Entry, scope: ToolScope, clock: Clock | undefined): Promise<ToolDefinition> {
  const known = await everywhere(entry);
  if (known !== undefined) return known;
  const tool = await make(entry.registration, scope, clock);
  const definition = await tool.spec();
  if (entry.registration.dynamic !== true) entry.definition = definition;
  return definition;
}

/** What is the same in every scope, if that can be said. */
async function everywhere(entry: Entry): Promise<ToolDefinition | undefined> {
  const { definition } = entry.registration;
  entry.definition ??= typeof definition === 'function' ? await definition() : definition;
  return entry.definition;
}

async function make(registration: ToolRegistration, scope: ToolScope, clock: Clock | undefined): Promise<Tool> {
  const { name, category } = registration;
  const tool = await registration.create(scope);
  if (tool.name === name && tool.category === category) return guardedTool(tool, scope, clock);
  throw new Error(`The tool "${name}" (${category}) was made as "${tool.name}" (${tool.category})`);
}

function shortened(definition: ToolDefinition): ToolDefinition {
  const sentence = /^[\s\S]*?(?:[.!?](?=\s+[^\sa-z])|[.!?]$|[。！？]|(?=\n))/.exec(definition.description.trim());
  return { ...definition, description: sentence?.[0] ?? definition.description };
}
