import { once } from '../../lib/once.ts';
import type { ToolDefinition } from '../../transcript.ts';
import type { ToolRegistration } from '../registry.ts';
import type { Tool } from '../tool.ts';
import definitions from './definitions.json' with { type: 'json' };

/** What each builtin tool says of itself with the default settings. `npm run schema` writes it; a test compares. */
const known: Readonly<Record<string, ToolDefinition>> = definitions;

/** What is known of a tool before its code is loaded. */
export interface LazyTool extends Pick<ToolRegistration, 'name' | 'category'> {
  /** With these settings it says something else of itself than with the default ones. */
  readonly isUnusual?: boolean;
}

/** Loads the tool when it is first used. The start, and every chat without it, does without its code. */
export function lazyTool({ name, category, isUnusual }: LazyTool, load: () => Promise<Tool>): ToolRegistration {
  return { name, category, create: once(load), ...knownOf(name, isUnusual) };
}

/** The same for a tool that is made anew for each scope. */
export function lazyRegistration(
  { name, category, isUnusual }: LazyTool,
  load: () => Promise<ToolRegistration>,
): ToolRegistration {
  const loaded = once(load);
  return { name, category, create: async (scope) => (await loaded()).create(scope), ...knownOf(name, isUnusual) };
}

function knownOf(name: string, isUnusual = false): Pick<ToolRegistration, 'definition'> {
  const definition = isUnusual ? undefined : known[name];
  return definition === undefined ? {} : { definition };
}
