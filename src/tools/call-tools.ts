import { Remembered } from '../lib/remembered.ts';
import type { CallFacets } from './category.ts';
import type { FoundTool, ToolRegistry } from './registry.ts';
import { targetsOf } from './targets.ts';
import type { Tool, ToolScope } from './tool.ts';
import { matchesAny } from './tool-pattern.ts';

/** What the operator says of tools, wherever they come from. `targets`: the arguments that say whom or what a call reaches. */
export type ToolWords = Pick<CallFacets, 'private' | 'outbound' | 'trusted' | 'targets'>;

export type CallTools = ReturnType<typeof createCallTools>;

/**
 * The tools that calls are made with. However slowly one is made: it is made once for a call, and the same one sees its
 * partial arguments, is judged, and is executed; unless the process ends in between, or another tool takes its place.
 * `words`: by patterns of tools' names. Where several fit, the later ones count.
 */
export function createCallTools(registry: Pick<ToolRegistry, 'get'>, words: Readonly<Record<string, ToolWords>> = {}) {
  const made = new Remembered<string, Promise<FoundTool | undefined>>(mostCalls);
  return {
    async of(callId: string, name: string, scope: ToolScope): Promise<FoundTool | undefined> {
      const former = made.get(callId);
      const next = (async () => registry.get(name, scope, await former))();
      made.set(callId, next);
      const found = await next;
      const said = Object.entries(words).flatMap(([pattern, each]) => (matchesAny([pattern], name) ? [each] : []));
      if (found === undefined || said.length === 0) return found;
      return { ...found, tool: withWords(found.tool, Object.assign({}, ...said)) };
    },
    /** The call has ended, or was never made. */
    release: (callId: string) => made.delete(callId),
  };
}

/** More calls than that do not wait at once; the oldest are forgotten, and would get a tool that is made again. */
const mostCalls = 1000;

function withWords(tool: Tool, { targets, ...words }: ToolWords): Tool {
  return {
    ...tool,
    async prepare(args) {
      const preparation = await tool.prepare(args);
      if (!preparation.valid) return preparation;
      const { call } = preparation;
      const reached = targets === undefined ? {} : { targets: targetsOf({}, call.arguments, targets) };
      return { valid: true, call: { ...call, facets: { ...call.facets, ...words, ...reached } } };
    },
  };
}
