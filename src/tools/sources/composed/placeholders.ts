import { parameterNames } from '../parameters.ts';
import type { ComposedTool } from './composed-tool.ts';

/** The names that stand in the words as `{{name}}`. */
function placeholdersIn(action: string): readonly string[] {
  return [...new Set(Array.from(action.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g), ([, name = '']) => name))];
}

/** The names that stand in the words and are no parameters. */
export function undeclaredIn({ action, parameters }: Pick<ComposedTool, 'action' | 'parameters'>): readonly string[] {
  const declared = parameterNames(parameters);
  return placeholdersIn(action).filter((name) => !declared.includes(name));
}
