/** Searches lines in the files of a workspace. Runs in a worker that is ended from outside. */
import { readText } from '../../../lib/charset/text-charset.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { type Onward, type TreeEntry, type WorkspaceRules, workspaces } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { formatSize } from '../../text.ts';
import { linesOf, mostListed } from '../file-answers.ts';
import { parseGlob } from './glob.ts';

interface SearchOrder {
  readonly root: string;
  readonly rules: WorkspaceRules;
  readonly args: LineQuery & {
    readonly path: string;
    readonly files?: string | undefined;
    readonly context: number;
  };
  readonly maxResults: number;
  readonly maxFileBytes: number;
  /** The limit for the whole search, in ms. Returns what it found shortly before. */
  readonly timeout: number;
}

export async function searchTree(order: SearchOrder): Promise<ToolOutput> {
  const { root, rules, args, maxResults, maxFileBytes, timeout } = order;
  const matcher = matcherOf(args);
  const glob = parseGlob(args.files ?? '**');
  if (typeof matcher === 'string') return error(matcher);
  if (typeof glob === 'string') return error(glob);
  const endsAt = performance.now() + timeout * 0.8;
  const matches = createMatchList(args.context, maxResults);
  let [binary, large, refused] = [0, 0, 0];
  const meet = async (entry: TreeEntry): Promise<Onward> => {
    if (performance.now() > endsAt) return 'end';
    if (entry.type === 'directory') return glob.mayHold(entry.way) ? 'on' : 'over';
    if (entry.type !== 'file' || !glob.matches(entry.way)) return 'on';
    if (((await entry.size()) ?? 0) > maxFileBytes) {
      large += 1;
      return 'on';
    }
    try {
      const read = readText(await entry.read(maxFileBytes));
      if (read === undefined) binary += 1;
      else matches.add(entry.path, linesOf(read.text), matcher);
    } catch (cause) {
      if (!(cause instanceof WorkspaceError)) throw cause;
      refused += 1;
    }
    return 'on';
  };
  try {
    const { ended, unopened } = await workspaces(rules)(root).walk(args.path, meet, new AbortController().signal);
    const left = [
      binary > 0 && `${binary} binary`,
      large > 0 && `${large} above ${formatSize(maxFileBytes)}`,
      refused > 0 && `${refused} that may not be read`,
    ].filter((part) => part !== false);
    const notes = [
      ended && '[the time was over before all files were searched: search a smaller part]',
      left.length > 0 && `[files passed over: ${left.join(', ')}]`,
      unopened > 0 && `[folders that could not be opened, or lie too deep: ${unopened}]`,
    ].filter((note) => note !== false);
    return llmOnly([...matches.toLines(), ...notes].join('\n'));
  } catch (cause) {
    if (cause instanceof WorkspaceError) return error(cause.message);
    throw cause;
  }
}

/** How much of a longer line is shown, in UTF-16 units: in all, and before the match. */
const mostOfALine = 300;
const mostBefore = 100;

/** The matching lines with their context, in order. Beyond the limit, matches are only counted. */
function createMatchList(context: number, most: number) {
  const shownLines: string[] = [];
  let length = 0;
  let searched = 0;
  const found = { lines: 0, files: 0 };
  const shown = { lines: 0, files: 0 };

  function push(line: string): void {
    shownLines.push(line);
    length += line.length + 1;
  }

  return {
    add(path: string, lines: readonly string[], matcher: LineMatcher): void {
      const name = oneLine(path, 1000);
      searched += 1;
      const before = { found: found.lines, shown: shown.lines };
      /** The first line that was not shown yet, and the last line of context after a match. */
      let [next, until] = [0, -1];
      const showAround = (index: number): void => push(`${name}-${index + 1}- ${cut(lines[index] ?? '', 0)}`);
      for (const [index, line] of lines.entries()) {
        const start = matcher(line);
        if (start === -1 && index <= until) {
          showAround(index);
          next = index + 1;
        }
        if (start === -1) continue;
        found.lines += 1;
        if (shown.lines >= most || length >= mostListed) continue;
        shown.lines += 1;
        const first = Math.max(next, index - context);
        const isApart = first > next || next === 0;
        if (context > 0 && isApart && shownLines.length > 0) push('--');
        for (let around = first; around < index; around += 1) showAround(around);
        push(`${name}:${index + 1}: ${cut(line, start)}`);
        next = index + 1;
        until = index + context;
      }
      if (found.lines > before.found) found.files += 1;
      if (shown.lines > before.shown) shown.files += 1;
    },
    toLines(): readonly string[] {
      const all = `${count(found.lines, 'line')} in ${count(found.files, 'file')}`;
      if (found.lines === 0) return [`[no line matches; ${count(searched, 'file')} searched]`];
      if (found.lines === shown.lines) return [`[${all}]`, ...shownLines];
      const part = `${shown.lines} of ${all}, from ${count(shown.files, 'file')}`;
      return [`[the first ${part}; give a narrower pattern]`, ...shownLines];
    },
  };
}

function cut(line: string, start: number): string {
  const from = Math.max(0, Math.min(start - mostBefore, line.length - mostOfALine));
  // A carriage return would start a new line, which looks like another match.
  const shown = line.slice(from, from + mostOfALine).replaceAll('\r', '\\r');
  return `${from > 0 ? '…' : ''}${shown}${from + mostOfALine < line.length ? '…' : ''}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

interface LineQuery {
  readonly pattern: string;
  readonly is_regex: boolean;
  readonly ignore_case: boolean;
}

/** The start of the first match in a line; -1 if there is none. */
type LineMatcher = (line: string) => number;

/** Compiles a text or a regular expression, or tells the model what to fix. An expression may run forever. */
function matcherOf({ pattern, is_regex: isRegex, ignore_case: ignoreCase }: LineQuery): LineMatcher | string {
  if (!isRegex && /[\r\n]/.test(pattern)) {
    return 'The pattern has a line end, but only single lines are searched. Give one line.';
  }
  if (!isRegex && !ignoreCase) return (line) => line.indexOf(pattern);
  const source = isRegex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  let fault = '';
  // In Unicode mode, if its stricter rules allow the pattern.
  for (const unicode of ['u', '']) {
    try {
      const expression = new RegExp(source, `${ignoreCase ? 'i' : ''}${unicode}`);
      return (line) => line.search(expression);
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      fault = cause.message;
    }
  }
  return `The pattern cannot be read. ${fault}. To look for it as text, leave out is_regex.`;
}
