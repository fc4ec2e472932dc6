import type { Config } from '../config/schema.ts';
import { liesInWorkspace } from '../tools/guard/workspace/workspace.ts';

/** Whether loading from a path (without links) is forbidden, because tools could write there. */
export type IsForbidden = (path: string) => Promise<boolean>;

/** Where tools write, as templates of folders. */
export function writtenByTools({ agents, workspace, data_dir }: Config): readonly string[] {
  return [workspace, ...Object.values(agents).flatMap((agent) => agent.workspace ?? []), data_dir];
}

export function forbiddenIn(templates: readonly string[]): IsForbidden {
  return async (path) =>
    (await Promise.all(templates.map((template) => liesInWorkspace(path, template)))).includes(true);
}
