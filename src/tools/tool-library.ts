/**
 * What the author of a tool needs: `@keyturn/sdk/tool`. A file of tools that the config names imports it under that name,
 * wherever it lies.
 */
import type { Tool, ToolScope } from './tool.ts';

export { z } from 'zod';
export type { JsonObject, JsonValue } from '../lib/json.ts';
export type { CallFacets, PersonQuestion, ToolCategory } from './category.ts';
export { asyncTask, error, llmOnly, split, type ToolOutput, userVisible } from './output.ts';
export { defineTool, type Tool, type ToolAuthoring, type ToolContext, type ToolScope } from './tool.ts';

/**
 * Makes a tool for a place and a person. A file of tools can export one by default: it is called when the file is loaded,
 * with a scope of nobody's, to learn the tool's name and category, and then again for each call.
 */
export type ToolFactory = (scope: ToolScope) => Tool | Promise<Tool>;
