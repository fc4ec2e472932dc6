import { mkdir, writeFile as write } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../../src/lib/clock.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';
import { findFiles, listDir, searchFiles } from '../../../../src/tools/builtin/files/find-files.ts';
import { readDocument, readFile } from '../../../../src/tools/builtin/files/read-files.ts';
import { editFile, writeFile } from '../../../../src/tools/builtin/files/write-files.ts';
import { workerProcesses } from '../../../../src/tools/guard/worker/run-in-worker.ts';
import { type WorkspaceRules, workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
import { createToolRunner } from '../../../../src/tools/runner.ts';
import type { ToolContext } from '../../../../src/tools/tool.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { contextIn, prepared } from '../../setting.ts';

export interface FileToolsOptions {
  readonly rules?: WorkspaceRules;
  readonly maxResults?: number;
  readonly timeout?: number;
  readonly maxFileBytes?: number;
}

/** The tools for files, on a real folder: the workspace, and what is outside. */
export async function fileToolsSetting(options: FileToolsOptions = {}) {
  const folder = await newFolder();
  const workspace = join(folder, 'workspace');
  await mkdir(workspace);
  return fileToolsIn(folder, workspace, options);
}

/** The same on a workspace that is there. */
export function fileToolsIn(folder: string, workspace: string, options: FileToolsOptions = {}) {
  const { maxResults = 20, timeout = 100_000, maxFileBytes = 100_000, rules = {} } = options;
  const workspaceAt = workspaces(rules);
  const runInWorker = workerProcesses({ clock: systemClock });
  const settings = {
    max_result_chars: 50_000,
    read_file: { max_bytes: maxFileBytes },
    read_document: { max_bytes: maxFileBytes, timeout_secs: timeout / 1000, page_chars: 40_000 },
    find_files: { max_results: maxResults },
    search_files: { max_results: maxResults, timeout_secs: timeout / 1000 },
  };
  const tools = [
    readFile(workspaceAt, settings),
    readDocument(workspaceAt, { runInWorker, clock: systemClock }, settings),
    listDir(workspaceAt),
    writeFile(workspaceAt),
    editFile(workspaceAt),
    findFiles(workspaceAt, settings),
    searchFiles(runInWorker, rules, settings),
  ];
  const runner = createToolRunner({ clock: systemClock });
  return {
    folder,
    workspace,
    /** Prepared and executed by the runner, as the loop does it. */
    call: async (name: string, args: JsonValue, changed?: Partial<ToolContext>) => {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      const { output } = await runner.run(await prepared(tool, args), contextIn(workspace, changed));
      return output;
    },
  };
}

/** Makes the files with these contents, and the folders that they lie in. */
export async function plant(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, path, '..'), { recursive: true });
    await write(join(root, path), content);
  }
}
