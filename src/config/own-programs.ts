import { statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Config } from './schema.ts';

/** A file that the operator has run outside of any bounds, and that lies where tools work. */
interface OwnProgram {
  /** Where the config names it. */
  readonly key: string;
  /** Absolute. */
  readonly path: string;
}

/**
 * What hooks and MCP servers run that lies in a workspace, as far as their commands name it: who changes it decides what
 * holds the agent. A server in the sandbox reaches no more than any command. The paths of the config are absolute.
 */
export function programsInWorkspace(config: Config): readonly OwnProgram[] {
  const { before_tool_call: before, after_tool_call: after } = config.hooks;
  const hooks = Object.entries({ before_tool_call: before, after_tool_call: after }).flatMap(([kind, list]) =>
    list.map(({ command = '', working_dir: folder }, index) => ({
      ...{ key: `hooks.${kind}[${index}]`, words: command.split(/[\s'"`;|&()<>=]+/), folder },
    })),
  );
  const servers = Object.entries(config.mcp_servers)
    .filter(([, { sandbox }]) => !sandbox)
    .map(([name, { command, args, cwd: folder = '.' }]) => ({
      ...{ key: `mcp_servers.${name}`, words: [command ?? '', ...args.flatMap((each) => each.split('='))], folder },
    }));
  return [...hooks, ...servers].flatMap(({ key, words, folder }) =>
    words.flatMap((word) => {
      const path = resolve(folder, word);
      return word !== '' && isInWorkspace(config, path) && isProgram(word, path) ? { key, path } : [];
    }),
  );
}

/** One that is missing is a program, too: else the one that somebody makes there later would run. */
function isProgram(word: string, path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? /\/|\.(?:[cm]?[jt]s|sh|py|rb|pl)$/.test(word) : found.isFile();
}

/** Whether tools have a workspace around the config: what runs in it could write its missing `.env`, or what is being saved. */
export function isInWorkspace({ workspace, agents }: Pick<Config, 'workspace' | 'agents'>, path: string): boolean {
  const all = [workspace, ...Object.values(agents).flatMap((agent) => agent.workspace ?? [])];
  return all.some((template) => contains(template.replace(/\{.*$/, ''), path));
}

export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}
