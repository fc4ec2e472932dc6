import type { ToolDefinition } from '../transcript.ts';
import type { ToolCategory } from './category.ts';
import type { Tool, ToolScope } from './tool.ts';

/** A tool as it is brought: made anew for each use, so that it may depend on where and for whom. */
export interface ToolRegistration {
  /** At most 64 of `[a-zA-Z0-9_-]`: what all models take. */
  readonly name: string;
  readonly category: ToolCategory;
  /** What the model is told differs from scope to scope, or from time to time: it is asked for anew each time. */
  readonly dynamic?: boolean;
  /** Whether it is to be had there, beside what the config says. Left out: everywhere. */
  isOffered?(scope: ToolScope): boolean;
  /** What the model is told, where that is known before the tool is made. */
  readonly definition?: ToolDefinition;
  /** Makes the tool. Its name and category are those of the registration. */
  create(scope: ToolScope): Tool | Promise<Tool>;
}

/** A registration of a tool that needs to know nothing of its scope. */
export function registrationOf(tool: Tool): ToolRegistration {
  return { name: tool.name, category: tool.category, create: () => tool };
}
