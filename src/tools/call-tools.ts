import { Remembered } from '../lib/remembered.ts';
import type { CallFacets } from './category.ts';
import type { FoundTool, ToolRegistry } from './registry.ts';
import { targetsOf } from './targets.ts';
import type { Tool, ToolScope } from './tool.ts';
import { matchesAny } from './tool-pattern.ts';

/** The operator's settings for tools of any source. `targets`: the arguments that name a call's targets. */
export type ToolWords = Pick<CallFacets, 'private' | 'outbound' | 'trusted' | 'targets'>;

export type CallTools = ReturnType<typeof createCallTools>;

/**
 * Creates the tool of a call once, however slow: the same object gets the partial arguments, is judged and executed,
 * unless the process restarts or another tool replaces it. `words`: by patterns of tool names; later ones win.
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
    /** Call it when the call has ended, or was never made. */
    release: (callId: string) => made.delete(callId),
  };
}

/** No more calls wait at once. The oldest are forgotten, and would get a new tool. */
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
