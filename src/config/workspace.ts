import { statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Config } from './schema.ts';
import type { NamedProgram } from './settings-part.ts';

/** Whether everybody works in one folder. With a folder per chat, only members of a group share one. */
export function isSharedFolder(template: string): boolean {
  return !template.includes('{sender}') && !template.includes('{chat_id}');
}

/** A program that the operator runs without a sandbox, in a folder that tools can write. */
interface OwnProgram {
  /** Where the config names it. */
  readonly key: string;
  /** Absolute. */
  readonly path: string;
}

/**
 * Programs of hooks and MCP servers that are in a workspace, as far as their commands name them: changing one changes
 * what limits the agent. Sandboxed servers are excluded: they can do no more than any command. The config's paths are
 * absolute.
 */
export function programsInWorkspace(config: Config, programs: readonly NamedProgram[]): readonly OwnProgram[] {
  return programs.flatMap(({ key, words, folder }) =>
    words.flatMap((word) => {
      const path = resolve(folder, word);
      return word !== '' && isInWorkspace(config, path) && isProgram(word, path) ? { key, path } : [];
    }),
  );
}

/** A missing file counts too: otherwise one created there later would run. */
function isProgram(word: string, path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? /\/|\.(?:[cm]?[jt]s|sh|py|rb|pl)$/.test(word) : found.isFile();
}

/** Whether the path is in a workspace: a tool could then write a missing `.env`, or a config that is being saved. */
export function isInWorkspace({ workspace, agents }: Pick<Config, 'workspace' | 'agents'>, path: string): boolean {
  const templates = [workspace, ...Object.values(agents).flatMap((agent) => agent.workspace ?? [])];
  return templates.some((template) => contains(template.replace(/\{.*$/, ''), path));
}

export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}
