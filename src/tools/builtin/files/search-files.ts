import { z } from 'zod';
import { type RunInWorker, workerFunction } from '../../guard/worker/run-in-worker.ts';
import type { WorkspaceRules } from '../../guard/workspace/workspace.ts';
import { error } from '../../output.ts';
import { nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { folderForPeople, folderInput, longestPattern, passedOverInWords } from '../file-answers.ts';
import type { BuiltinSettings } from '../settings.ts';
import type { searchTree } from './search-tree.ts';

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
  return defineTool({
    name: 'search_files',
    displayName: 'Search in files',
    category: 'filesystem_read',
    description: `Finds lines in the text files of the workspace. The result shows "path:line: text". Links are not followed; ${passedOverInWords}.`,
    input: z.strictObject({
      pattern: z
        .string()
        .min(1)
        .max(1000)
        .describe('What to look for in each line: this text, or a regular expression.'),
      path: folderInput('The folder or file to look in.'),
      files: z
        .string()
        .min(1)
        .max(longestPattern)
        .optional()
        .describe('Only in files with such names: "*.md", "docs/**/*.{md,txt}".'),
      is_regex: z.boolean().default(false).describe('The pattern is a regular expression, as in JavaScript.'),
      ignore_case: z.boolean().default(false),
      context: z.number().int().min(0).max(5).default(0).describe('How many lines to show before and after.'),
    }),
    describeCall: ({ pattern, path, files }) =>
      `search ${folderForPeople(path)} for ${nameForPeople(pattern)}${
        files === undefined ? '' : ` in files like ${nameForPeople(files)}`
      }`,
    async execute(args, { workspace, signal }) {
      const timeout = seconds * 1000;
      const order = { root: workspace, rules, args, maxResults, timeout, maxFileBytes: settings.read_file.max_bytes };
      const ending = await runInWorker(search, order, { timeout, memory, signal });
      switch (ending.type) {
        case 'done':
          return ending.value;
        case 'timed-out':
          return error(
            `The search was ended: it took longer than ${seconds} s. Search a smaller part, or for a simpler expression.`,
          );
        case 'out-of-memory':
          return error('The search was ended: it took too much memory. Search a smaller part.');
        case 'stopped':
          return error('The search was stopped.');
        case 'failed':
          throw new Error(`The search failed: ${ending.message}`);
      }
    },
  });
}

const search = workerFunction<typeof searchTree>(import.meta.url, './search-tree', 'searchTree');
