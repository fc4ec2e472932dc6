import { z } from 'zod';
import { type RunInWorker, type WorkerEnding, workerFunction } from '../../guard/worker/run-in-worker.ts';
import type { WorkspaceRules } from '../../guard/workspace/workspace.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { longestPattern, passedOverInWords } from '../file-answers.ts';
import type { SearchAnswer, searchTree } from './search-tree.ts';

export interface SearchFilesSettings {
  /** How many lines are shown at most. */
  readonly maxResults: number;
  /** A search that takes longer is ended, in milliseconds. */
  readonly timeout: number;
  /** Larger files are passed over, in bytes. Default 10 MB. */
  readonly maxFileBytes?: number;
}

/** How much memory a search may take, in bytes. */
const memory = 256 * 2 ** 20;

const input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('What to look for in each line: this text, or a regular expression.'),
  path: z.string().min(1).default('.').describe('The folder or file to look in. Default: the workspace itself.'),
  files: z
    .string()
    .min(1)
    .max(longestPattern)
    .optional()
    .describe('Only in files with such names: "*.md", "docs/**/*.{md,txt}".'),
  is_regex: z.boolean().default(false).describe('The pattern is a regular expression, as in JavaScript.'),
  ignore_case: z.boolean().default(false),
  context: z.number().int().min(0).max(5).default(0).describe('How many lines to show before and after.'),
});

/**
 * Finds lines in text files of the workspace. A process of its own does it, which is ended when the time is over: a regular
 * expression may take for ever. It guards the workspace by the same rules as this one.
 */
export function searchFiles({
  runInWorker,
  rules,
  settings,
}: {
  readonly runInWorker: RunInWorker;
  readonly rules: WorkspaceRules;
  readonly settings: SearchFilesSettings;
}): Tool {
  return defineTool({
    name: 'search_files',
    displayName: 'Search in files',
    category: 'filesystem_read',
    description: `Finds lines in the text files of the workspace. The result shows "path:line: text". Links are not followed; ${passedOverInWords}.`,
    input,
    describeCall: ({ pattern, path, files }) =>
      `search ${path === '.' ? 'the workspace' : nameForPeople(path)} for ${nameForPeople(pattern)}${
        files === undefined ? '' : ` in files like ${nameForPeople(files)}`
      }`,
    async execute(args, { workspace, signal }) {
      const { timeout } = settings;
      const ending = await runInWorker(
        search,
        { ...settings, maxFileBytes: settings.maxFileBytes ?? 10 * 2 ** 20, rules, root: workspace, args },
        { timeout, memory, signal },
      );
      return toOutput(ending, timeout);
    },
  });
}

const search = workerFunction<typeof searchTree>(import.meta.url, './search-tree', 'searchTree');

function toOutput(ending: WorkerEnding<SearchAnswer>, timeout: number): ToolOutput {
  switch (ending.type) {
    case 'done':
      return ending.value.isError ? error(ending.value.text) : llmOnly(ending.value.text);
    case 'timed-out':
      return error(
        `The search was ended: it took longer than ${timeout / 1000} s. Search a smaller part, or for a simpler expression.`,
      );
    case 'out-of-memory':
      return error('The search was ended: it took too much memory. Search a smaller part.');
    case 'stopped':
      return error('The search was stopped.');
    case 'failed':
      throw new Error(`The search failed: ${ending.message}`);
  }
}
