import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { once } from '../lib/remembered.ts';
import type { ToolDefinition } from '../transcript.ts';
import type { ToolCategory } from './category.ts';
import { guardedTool } from './guarded-tool.ts';
import type { Tool, ToolScope } from './tool.ts';
import { everythingOffered, type Offered, type OfferRules, offeredIn } from './tool-pattern.ts';
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
export type ToolRegistry = ReturnType<typeof createToolRegistry>;

/** `clock`: by which no tool takes too long to say what it is. `offers`: which are offered where. Left out: all, everywhere. */
export function createToolRegistry({
  log,
  clock,
  offers = () => everythingOffered,
}: {
  readonly log: Log;
  readonly clock?: Clock;
  readonly offers?: () => OfferRules;
}) {
  /** The last of a name's entries is the one in use; the others come back when it goes. Never an empty list. */
  const entries = new Map<string, readonly Entry[]>();
  /** Those in use, sorted by name; made again after each change. */
  let inOrder: readonly Entry[] | undefined;
  let scoped: ScopedTools | undefined;
  const compacted = new WeakMap<ToolDefinition, ToolDefinition>();

  const active = (name: string): Entry | undefined => entries.get(name)?.at(-1);
  const find = (name: string, scope: ToolScope): Entry | undefined => active(name) ?? scoped?.toolFor(name, scope);

  function put(name: string, all: readonly Entry[]): void {
    inOrder = undefined;
    if (all.length > 0) entries.set(name, all);
    else entries.delete(name);
  }

  function sorted(): readonly Entry[] {
    inOrder ??= [...entries.keys()].flatMap((name) => active(name) ?? []).sort(byName);
    return inOrder;
  }

  function offered(scope: ToolScope): readonly Entry[] {
    const isOffered = offeredIn(offers(), scope);
    const own = (scoped?.toolsFor(scope) ?? []).filter(({ registration }) => !entries.has(registration.name));
    const all = own.length === 0 ? sorted() : [...sorted(), ...own].sort(byName);
    return all.filter(({ registration }) => isOffered(registration) && (registration.isOffered?.(scope) ?? true));
  }

  /** A tool comes from anybody: what one throws must not cost the others. */
  async function attempt<Result>(entry: Entry, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (cause) {
      const fields = { tool: entry.registration.name, source: describeSource(entry.source), err: cause };
      log.warn(fields, 'a tool is left out: it could not be made');
      return undefined;
    }
  }

  /** Takes away what this source brought under the name. */
  function unregister(name: string, source: ToolSource): void {
    const kept = (entries.get(name) ?? []).filter((entry) => !isSameSource(entry.source, source));
    put(name, kept);
  }

  /** Whether a call of a tool may have this category there. */
  function isOfferedIn(tool: Offered, scope: ToolScope): boolean {
    const { isOffered } = find(tool.name, scope)?.registration ?? {};
    return (isOffered?.(scope) ?? true) && offeredIn(offers(), scope)(tool);
  }

  return {
    /** Asks these, too, what they offer in a scope. */
    include(tools: ScopedTools): void {
      scoped = tools;
    },

    /**
     * Adds a tool, in place of one of the same name and source; or of a custom tool and a builtin, where the builtin comes
     * back when the custom one goes, whichever of them came first. Throws where the name is another source's, or is none
     * that models take.
     */
    register(registration: ToolRegistration, source: ToolSource): void {
      const { name } = registration;
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
        throw new Error(`"${name}" is no name for a tool: it must be 1 to 64 letters, digits, "_" or "-"`);
      }
      const taken = active(name)?.source;
      const types = [source.type, taken?.type];
      const standsIn = types.includes('custom') && types.includes('builtin');
      if (taken !== undefined && !standsIn && !isSameSource(taken, source))
        throw new Error(`There is a tool "${name}" already, from ${describeSource(taken)}: give this one another name`);
      const kept = (entries.get(name) ?? []).filter((entry) => !isSameSource(entry.source, source));
      const entry = { registration, source };
      put(name, source.type === 'builtin' ? [entry, ...kept] : [...kept, entry]);
    },

    unregister,

    /** Takes away all that exactly this source brought. */
    unregisterBySource(source: ToolSource): void {
      for (const name of [...entries.keys()]) unregister(name, source);
    },

    has: (name: string) => entries.has(name),
    /** Who brought the tool that is in use under the name. */
    sourceOf: (name: string) => active(name)?.source,
    offers: isOfferedIn,
    /** The tools that are offered there, sorted by name. */
    list: (scope: ToolScope): readonly RegisteredTool[] =>
      offered(scope).map(({ registration: { name, category }, source }) => ({ name, source, category })),

    /**
     * Makes the tool, and says who brought it. Undefined if there is none, if it is not offered there, or if it could not
     * be made: the log says why. One that was `found` before is given again, as long as it is the one in use.
     */
    async get(name: string, scope: ToolScope, found?: FoundTool): Promise<FoundTool | undefined> {
      const entry = find(name, scope);
      if (entry === undefined || !isOfferedIn(entry.registration, scope)) return undefined;
      const { registration, source } = entry;
      if (found?.registration === registration) return found;
      return attempt(entry, async () => ({ tool: await make(registration, scope, clock), source, registration }));
    },

    /** What a model is told of the tools, sorted by name. A tool that cannot say what it is is left out: the log says why. */
    async definitions(
      scope: ToolScope,
      { only, compact = false, category }: DefinitionOptions = {},
    ): Promise<readonly ToolDefinition[]> {
      const wanted = offered(scope).filter(
        ({ registration }) =>
          (only === undefined || only.includes(registration.name)) &&
          (category === undefined || registration.category === category),
      );
      const definitions: ToolDefinition[] = [];
      for (let start = 0; start < wanted.length; start += asked) {
        const some = wanted.slice(start, start + asked);
        const answers = await Promise.all(some.map((entry) => attempt(entry, () => definitionOf(entry, scope, clock))));
        definitions.push(...answers.filter((answer) => answer !== undefined));
      }
      if (!compact) return definitions;
      return definitions.map((definition) => {
        // The same object each time, so that a caller that has looked at it need not do so again.
        const short = compacted.get(definition) ?? shortened(definition);
        compacted.set(definition, short);
        return short;
      });
    },

    /**
     * Finds out what the tools say of themselves that is the same in every scope, so that the first run need not wait for it.
     * Ends early with the signal. Never rejects.
     */
    async learn(signal?: AbortSignal): Promise<void> {
      for (const entry of sorted()) if (signal?.aborted !== true) await attempt(entry, () => everywhere(entry));
    },
  };
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
