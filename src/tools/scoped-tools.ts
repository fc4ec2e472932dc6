import type { ToolScope } from './tool.ts';
import type { ToolRegistration } from './tool-registration.ts';
import type { ToolSource } from './tool-source.ts';

/** A tool that is to be had in some scopes only. */
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

/** Where nobody has tools of his own. */
export const noScopedTools: ScopedTools = { toolsFor: () => [], toolFor: () => undefined };
