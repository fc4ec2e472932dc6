import { z } from 'zod';
import { oneLine } from '../../../lib/plain-text.ts';
import { textInput } from '../../arguments.ts';
import { type RunInWorker, workerFunction } from '../../guard/worker/run-in-worker.ts';
import type {
  Onward,
  TreeEntry,
  Workspace,
  WorkspaceFactory,
  WorkspaceRules,
} from '../../guard/workspace/workspace.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { nameForPeople } from '../../text.ts';
import { defineBuiltin, type Tool } from '../../tool.ts';
import {
  entryLine,
  folderForPeople,
  folderInput,
  longestPattern,
  mostListed,
  passedOverInWords,
  unfinishedWords,
} from '../file-answers.ts';
import type { BuiltinSettings } from '../settings.ts';
import { builtinWords } from '../words.ts';
import type { Glob } from './glob.ts';
import type { searchTree } from './search-tree.ts';

const mostEntries = 1000;

export function listDir(workspaceAt: WorkspaceFactory): Tool {
  return defineBuiltin({
    name: 'list_dir',
    displayName: (language) => builtinWords[language].names.list_dir,
    category: 'filesystem_read',
    description:
      'Lists a directory in the workspace, sorted by name: directories end with "/", links with "@", files have their size.',
    input: z.strictObject({ path: folderInput('The directory, relative to the workspace.') }),
    describeCall:
      ({ path }) =>
      (language) =>
        builtinWords[language].list(folderForPeople(path)),
    async execute({ path }, { workspace }) {
      const { entries, total } = await workspaceAt(workspace).list(path, mostEntries);
      if (total === 0) return llmOnly(`[${oneLine(path, 200)} is empty]`);
      const more = total > mostEntries ? [`[the first ${mostEntries} of ${total} entries]`] : [];
      const lines = entries.map(({ name, type, size }) => entryLine(oneLine(name, 300), type, size));
      return llmOnly([...more, ...lines].join('\n'));
    },
  });
}

export function findFiles(workspaceAt: WorkspaceFactory, { find_files }: Pick<BuiltinSettings, 'find_files'>): Tool {
  return defineBuiltin({
    name: 'find_files',
    displayName: (language) => builtinWords[language].names.find_files,
    category: 'filesystem_read',
    description: `Finds files in the workspace by a pattern for their names, sorted by path, with their sizes; links end with "@" and are not followed. ${passedOverInWords}.`,
    input: z.strictObject({
      pattern: textInput(
        longestPattern,
        'Which files: *, **, ?, [a-z], {one,two}. Without a slash it is a name in any folder ("*.md"), else a path from "path" on ("docs/**/*.md").',
      ),
      path: folderInput('The folder to look in.'),
    }),
    describeCall:
      ({ pattern, path }) =>
      (language) =>
        builtinWords[language].findFiles({ pattern: nameForPeople(pattern), folder: folderForPeople(path) }),
    execute: ({ pattern, path }, { workspace, signal }) =>
      findIn(workspaceAt(workspace), { pattern, path, most: find_files.max_results }, signal),
  });
}

interface FileQuery {
  readonly pattern: string;
  readonly path: string;
  readonly most: number;
}

async function findIn(
  workspace: Workspace,
  { pattern, path, most }: FileQuery,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { parseGlob } = await import('./glob.ts');
  const glob = parseGlob(pattern);
  if (typeof glob === 'string') return error(glob);
  const found = new FoundFiles(glob, most);
  const { ended, unopened } = await workspace.walk(path, (entry) => found.meet(entry), signal);
  const { lines } = found;
  const more = ended ? [`[the first ${lines.length} files; there are more: give a narrower pattern or path]`] : [];
  const none = lines.length > 0 ? [] : [`[no file matches ${oneLine(pattern, 100)}; ${passedOverInWords}]`];
  const closed = unopened === 0 ? [] : [`[folders that could not be opened, or lie too deep: ${unopened}]`];
  return llmOnly([...more, ...lines, ...none, ...closed].join('\n'));
}

/** The entries of a walk that match, as lines. The walk ends when there are enough. */
class FoundFiles {
  readonly #glob: Glob;
  readonly #most: number;
  readonly #lines: string[] = [];
  #length = 0;

  constructor(glob: Glob, most: number) {
    this.#glob = glob;
    this.#most = most;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  async meet({ path, way, type, size }: TreeEntry): Promise<Onward> {
    if (type === 'directory') return this.#glob.mayHold(way) ? 'on' : 'over';
    if (!this.#glob.matches(way)) return 'on';
    if (this.#lines.length >= this.#most || this.#length >= mostListed) return 'end';
    const line = entryLine(oneLine(path, 1000), type, type === 'file' ? ((await size()) ?? 0) : 0);
    this.#lines.push(line);
    this.#length += line.length + 1;
    return 'on';
  }
}

const memory = 256 * 2 ** 20;

/**
 * Finds lines in text files of the workspace. Runs in a process of its own that is killed on timeout, because a regular
 * expression may run forever. That process guards the workspace by the same rules.
 */
export function searchFiles(
  runInWorker: RunInWorker,
  rules: WorkspaceRules,
  settings: Pick<BuiltinSettings, 'search_files' | 'read_file'>,
): Tool {
  const { max_results: maxResults, timeout_secs: seconds } = settings.search_files;
  return defineBuiltin({
    name: 'search_files',
    displayName: (language) => builtinWords[language].names.search_files,
    category: 'filesystem_read',
    description: `Finds lines in the text files of the workspace. The result shows "path:line: text". Links are not followed; ${passedOverInWords}.`,
    input: z.strictObject({
      pattern: textInput(1000, 'What to look for in each line: this text, or a regular expression.'),
      path: folderInput('The folder or file to look in.'),
      files: textInput(longestPattern, 'Only in files with such names: "*.md", "docs/**/*.{md,txt}".').optional(),
      is_regex: z.boolean().default(false).describe('The pattern is a regular expression, as in JavaScript.'),
      ignore_case: z.boolean().default(false),
      context: z.number().int().min(0).max(5).default(0).describe('How many lines to show before and after.'),
    }),
    describeCall:
      ({ pattern, path, files }) =>
      (language) =>
        builtinWords[language].searchFiles({
          pattern: nameForPeople(pattern),
          folder: folderForPeople(path),
          files: files && nameForPeople(files),
        }),
    async execute(args, { workspace, signal }) {
      const timeout = seconds * 1000;
      const order = { root: workspace, rules, args, maxResults, timeout, maxFileBytes: settings.read_file.max_bytes };
      const ending = await runInWorker(search, order, { timeout, memory, signal });
      if (ending.type === 'done') return ending.value;
      return error(
        `${unfinishedWords('The search', ending, seconds)} Search a smaller part, or for a simpler expression.`,
      );
    },
  });
}

const search = workerFunction<typeof searchTree>(import.meta.url, './search-tree', 'searchTree');
