import { z } from 'zod';
import { oneLine } from '../../../lib/plain-text.ts';
import type { Onward, TreeEntry } from '../../guard/workspace/tree.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { error, llmOnly } from '../../output.ts';
import { nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import {
  entryLine,
  folderForPeople,
  folderInput,
  longestPattern,
  mostListed,
  passedOverInWords,
} from '../file-answers.ts';
import type { BuiltinSettings } from '../settings.ts';

const mostEntries = 1000;

export function listDir(workspaceAt: WorkspaceFactory): Tool {
  return defineTool({
    name: 'list_dir',
    displayName: 'List directory',
    category: 'filesystem_read',
    description:
      'Lists a directory in the workspace, sorted by name: directories end with "/", links with "@", files have their size.',
    input: z.strictObject({ path: folderInput('The directory, relative to the workspace.') }),
    describeCall: ({ path }) => `list ${folderForPeople(path)}`,
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
  return defineTool({
    name: 'find_files',
    displayName: 'Find files',
    category: 'filesystem_read',
    description: `Finds files in the workspace by a pattern for their names, sorted by path, with their sizes; links end with "@" and are not followed. ${passedOverInWords}.`,
    input: z.strictObject({
      pattern: z
        .string()
        .min(1)
        .max(longestPattern)
        .describe(
          'Which files: *, **, ?, [a-z], {one,two}. Without a slash it is a name in any folder ("*.md"), else a path from "path" on ("docs/**/*.md").',
        ),
      path: folderInput('The folder to look in.'),
    }),
    describeCall: ({ pattern, path }) => `find ${nameForPeople(pattern)} in ${folderForPeople(path)}`,
    async execute({ pattern, path }, { workspace, signal }) {
      const { parseGlob } = await import('./glob.ts');
      const glob = parseGlob(pattern);
      if (typeof glob === 'string') return error(glob);
      const lines: string[] = [];
      let length = 0;
      const meet = async ({ path: found, way, type, size }: TreeEntry): Promise<Onward> => {
        if (type === 'directory') return glob.mayHold(way) ? 'on' : 'over';
        if (!glob.matches(way)) return 'on';
        if (lines.length >= find_files.max_results || length >= mostListed) return 'end';
        const line = entryLine(oneLine(found, 1000), type, type === 'file' ? ((await size()) ?? 0) : 0);
        lines.push(line);
        length += line.length + 1;
        return 'on';
      };
      const { ended, unopened } = await workspaceAt(workspace).walk(path, meet, signal);
      const more = ended ? [`[the first ${lines.length} files; there are more: give a narrower pattern or path]`] : [];
      const none = lines.length > 0 ? [] : [`[no file matches ${oneLine(pattern, 100)}; ${passedOverInWords}]`];
      const closed = unopened === 0 ? [] : [`[folders that could not be opened, or lie too deep: ${unopened}]`];
      return llmOnly([...more, ...lines, ...none, ...closed].join('\n'));
    },
  });
}
