import type { Config } from '../config/schema.ts';
import { liesInWorkspace } from '../tools/guard/workspace/lies-in-workspace.ts';

/** Tells whether nothing may be loaded from a path without links: what tools can write, they could have Keyturn load. */
export function forbiddenPlaces({ agents, workspace, data_dir }: Config): (path: string) => Promise<boolean> {
  const others = Object.values(agents).flatMap((agent) => agent.workspace ?? []);
  return async (path) => {
    const verdicts = await Promise.all(
      [workspace, ...others, data_dir].map((template) => liesInWorkspace(path, template)),
    );
    return verdicts.includes(true);
  };
}
