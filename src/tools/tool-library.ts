/** What tool authors need: `@keyturn/sdk/tool`. Tool files of the config import it by that name, wherever they are. */
import type { Tool, ToolScope } from './tool.ts';

export { z } from 'zod';
export type { JsonObject, JsonValue } from '../lib/json.ts';
export { asyncTask, error, llmOnly, split, type ToolOutput, userVisible } from './output.ts';
export type { CallFacets, PersonQuestion, ToolCategory } from './tool.ts';
export { defineTool, type Tool, type ToolAuthoring, type ToolContext, type ToolScope } from './tool.ts';

/**
 * Makes a tool for a scope. A tool file may export one by default: it is called on load with a scope of nobody, to
 * learn the tool's name and category, and again for each call.
 */
export type ToolFactory = (scope: ToolScope) => Tool | Promise<Tool>;
