import { z } from 'zod';
import { oneLine } from '../../../lib/plain-text.ts';
import type { Onward, TreeEntry, TreeReport } from '../../guard/workspace/tree.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { orRefusal } from '../or-refusal.ts';
import { entryLine } from './entry-line.ts';
import { type Glob, longestPattern, parseGlob } from './glob.ts';
import { mayHold, passedOverInWords } from './passed-over.ts';

export interface FindFilesSettings {
  /** How many files are listed at most. */
  readonly maxResults: number;
}

/** Less than what a runner keeps of an output by default, so that a long list is cut at a line, and the model told so. */
const mostCharacters = 45_000;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(longestPattern)
    .describe(
      'Which files: *, **, ?, [a-z], {one,two}. Without a slash it is a name in any folder ("*.md"), else a path from "path" on ("docs/**/*.md").',
    ),
  path: z.string().min(1).default('.').describe('The folder to look in. Default: the workspace itself.'),
});

/** Finds files of the workspace by their names. */
export function findFiles(dependencies: {
  readonly workspaceAt: WorkspaceFactory;
  readonly settings: FindFilesSettings;
}): Tool {
  return defineTool({
    name: 'find_files',
    displayName: 'Find files',
    category: 'filesystem_read',
    description: `Finds files in the workspace by a pattern for their names, sorted by path, with their sizes; links end with "@" and are not followed. ${passedOverInWords}.`,
    input,
    describeCall: ({ pattern, path }) =>
      `find ${nameForPeople(pattern)} in ${path === '.' ? 'the workspace' : nameForPeople(path)}`,
    execute: ({ pattern, path }, { workspace, signal }) =>
      orRefusal(async () => {
        const parsing = parseGlob(pattern);
        if (!parsing.valid) return error(parsing.message);
        const list = new FoundList(parsing.glob, dependencies.settings.maxResults);
        const report = await dependencies.workspaceAt(workspace).walk(path, (entry) => list.meet(entry), signal);
        return list.toOutput(pattern, report);
      }),
  });
}

class FoundList {
  readonly #glob: Glob;
  readonly #most: number;
  readonly #lines: string[] = [];
  #length = 0;

  constructor(glob: Glob, most: number) {
    this.#glob = glob;
    this.#most = most;
  }

  async meet(entry: TreeEntry): Promise<Onward> {
    const { way, type } = entry;
    if (type === 'directory') return mayHold(this.#glob, way) ? 'on' : 'over';
    if (!this.#glob.matches(way)) return 'on';
    if (this.#lines.length >= this.#most || this.#length >= mostCharacters) return 'end';
    const line = await describe(entry);
    this.#lines.push(line);
    this.#length += line.length + 1;
    return 'on';
  }

  toOutput(pattern: string, { ended, unopened }: TreeReport): ToolOutput {
    const shown = this.#lines.length;
    const more = ended ? [`[the first ${shown} files; there are more: give a narrower pattern or path]`] : [];
    const closed = unopened === 0 ? [] : [`[folders that could not be opened, or lie too deep: ${unopened}]`];
    if (shown > 0) return llmOnly([...more, ...this.#lines, ...closed].join('\n'));
    return llmOnly([`[no file matches ${oneLine(pattern, 100)}; ${passedOverInWords}]`, ...closed].join('\n'));
  }
}

async function describe({ path, type, size }: TreeEntry): Promise<string> {
  // A name may contain a line end: it must not look like two files.
  return entryLine(oneLine(path, 1000), type, type === 'file' ? ((await size()) ?? 0) : 0);
}
