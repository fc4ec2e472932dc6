import type { FoundTool, ToolRegistry } from '../tools/registry.ts';
import type { ToolScope } from '../tools/tool.ts';

/** More calls than that do not wait at once; the oldest are forgotten, and would get a tool that is made anew. */
const mostCalls = 1000;

/**
 * The tools that calls are made with. However slowly one is made: it is made once for a call, and the same one sees its
 * partial arguments, is judged, and is executed; unless the process ends in between, or another tool takes its place.
 */
export class CallTools {
  readonly #registry: Pick<ToolRegistry, 'get'>;
  readonly #found = new Map<string, Promise<FoundTool | undefined>>();

  constructor(dependencies: { readonly registry: Pick<ToolRegistry, 'get'> }) {
    this.#registry = dependencies.registry;
  }

  /** Undefined if there is no such tool there. */
  of(callId: string, name: string, scope: ToolScope): Promise<FoundTool | undefined> {
    const found = this.#find(this.#found.get(callId), name, scope);
    this.#found.delete(callId);
    this.#found.set(callId, found);
    const [oldest] = this.#found.keys();
    if (oldest !== undefined && this.#found.size > mostCalls) this.release(oldest);
    return found;
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
