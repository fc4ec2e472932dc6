import type { CallFacets } from './category.ts';
import type { FoundTool, ToolRegistry } from './registry.ts';
import { targetsOf } from './targets.ts';
import type { PreparedCall, Tool, ToolScope } from './tool.ts';
import { matchesAny } from './tool-pattern.ts';

/** What the operator says of tools, wherever they come from. `targets`: the arguments that say whom or what a call reaches. */
export type ToolWords = Pick<CallFacets, 'private' | 'outbound' | 'trusted' | 'targets'>;

/**
 * The tools that calls are made with. However slowly one is made: it is made once for a call, and the same one sees its
 * partial arguments, is judged, and is executed; unless the process ends in between, or another tool takes its place.
 */
export class CallTools {
  readonly #registry: Pick<ToolRegistry, 'get'>;
  readonly #found = new Map<string, Promise<FoundTool | undefined>>();

  readonly #words: Readonly<Record<string, ToolWords>>;

  /** `words`: by patterns of tools' names. Where several fit, the later ones count. */
  constructor(registry: Pick<ToolRegistry, 'get'>, words: Readonly<Record<string, ToolWords>> = {}) {
    this.#registry = registry;
    this.#words = words;
  }

  /** Undefined if there is no such tool there. */
  async of(callId: string, name: string, scope: ToolScope): Promise<FoundTool | undefined> {
    const found = this.#find(this.#found.get(callId), name, scope);
    this.#found.delete(callId);
    this.#found.set(callId, found);
    const [oldest] = this.#found.keys();
    if (oldest !== undefined && this.#found.size > mostCalls) this.release(oldest);
    const entry = await found;
    const words = Object.entries(this.#words).filter(([pattern]) => matchesAny([pattern], name));
    return entry === undefined || words.length === 0
      ? entry
      : { ...entry, tool: withWords(entry.tool, Object.assign({}, ...words.map(([, said]) => said))) };
  }

  /** The call has ended, or was never made. */
  release(callId: string): void {
    this.#found.delete(callId);
  }

  async #find(
    former: Promise<FoundTool | undefined> | undefined,
    name: string,
    scope: ToolScope,
  ): Promise<FoundTool | undefined> {
    return this.#registry.get(name, scope, await former);
  }
}

/** More calls than that do not wait at once; the oldest are forgotten, and would get a tool that is made again. */
const mostCalls = 1000;

function withWords(tool: Tool, { targets, ...words }: ToolWords): Tool {
  const spoken = (call: PreparedCall): PreparedCall => {
    const reached = targets === undefined ? {} : { targets: targetsOf({}, call.arguments, targets) };
    return { ...call, facets: { ...call.facets, ...words, ...reached } };
  };
  return {
    name: tool.name,
    displayName: tool.displayName,
    category: tool.category,
    spec: () => tool.spec(),
    prepare: async (args) => {
      const preparation = await tool.prepare(args);
      return preparation.valid ? { ...preparation, call: spoken(preparation.call) } : preparation;
    },
    onPartial: (args, scope) => tool.onPartial?.(args, scope),
  };
}
