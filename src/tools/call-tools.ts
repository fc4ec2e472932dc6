import { Remembered } from '../lib/remembered.ts';
import type { CallFacets } from './category.ts';
import type { FoundTool, ToolRegistry } from './registry.ts';
import { targetsOf } from './targets.ts';
import type { Tool, ToolScope } from './tool.ts';
import { matchesAny } from './tool-pattern.ts';

/** What the operator says of tools, wherever they come from. `targets`: the arguments that say whom or what a call reaches. */
export type ToolWords = Pick<CallFacets, 'private' | 'outbound' | 'trusted' | 'targets'>;

/**
 * The tools that calls are made with. However slowly one is made: it is made once for a call, and the same one sees its
 * partial arguments, is judged, and is executed; unless the process ends in between, or another tool takes its place.
 */
export class CallTools {
  readonly #registry: Pick<ToolRegistry, 'get'>;
  readonly #found = new Remembered<string, Promise<FoundTool | undefined>>(mostCalls);
  readonly #words: Readonly<Record<string, ToolWords>>;

  /** `words`: by patterns of tools' names. Where several fit, the later ones count. */
  constructor(registry: Pick<ToolRegistry, 'get'>, words: Readonly<Record<string, ToolWords>> = {}) {
    this.#registry = registry;
    this.#words = words;
  }

  /** Undefined if there is no such tool there. */
  async of(callId: string, name: string, scope: ToolScope): Promise<FoundTool | undefined> {
    const former = this.#found.get(callId);
    const found = (async () => this.#registry.get(name, scope, await former))();
    this.#found.set(callId, found);
    const entry = await found;
    const words = Object.entries(this.#words).flatMap(([pattern, said]) => (matchesAny([pattern], name) ? [said] : []));
    if (entry === undefined || words.length === 0) return entry;
    return { ...entry, tool: withWords(entry.tool, Object.assign({}, ...words)) };
  }

  /** The call has ended, or was never made. */
  release(callId: string): void {
    this.#found.delete(callId);
  }
}

/** More calls than that do not wait at once; the oldest are forgotten, and would get a tool that is made again. */
const mostCalls = 1000;

function withWords(tool: Tool, { targets, ...words }: ToolWords): Tool {
  const { name, displayName, category } = tool;
  return {
    ...{ name, displayName, category },
    spec: () => tool.spec(),
    prepare: async (args) => {
      const preparation = await tool.prepare(args);
      if (!preparation.valid) return preparation;
      const { call } = preparation;
      const reached = targets === undefined ? {} : { targets: targetsOf({}, call.arguments, targets) };
      return { valid: true, call: { ...call, facets: { ...call.facets, ...words, ...reached } } };
    },
    onPartial: (args, scope) => tool.onPartial?.(args, scope),
  };
}
