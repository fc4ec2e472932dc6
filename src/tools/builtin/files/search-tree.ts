/** Searches lines in the files of a workspace. Runs in a worker that is ended from outside. */
import { readText } from '../../../lib/charset/text-charset.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { type Onward, type TreeEntry, type WorkspaceRules, workspaces } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { formatSize } from '../../text.ts';
import { linesOf, mostListed } from '../file-answers.ts';
import { type Glob, parseGlob } from './glob.ts';

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
  const query = { glob, matcher, maxFileBytes, endsAt: performance.now() + timeout * 0.8 };
  const found = new TreeSearch(query, new MatchList(args.context, maxResults));
  try {
    const visit = (entry: TreeEntry): Promise<Onward> => found.meet(entry);
    const { ended, unopened } = await workspaces(rules)(root).walk(args.path, visit, new AbortController().signal);
    const notes = [
      ended && '[the time was over before all files were searched: search a smaller part]',
      ...found.passedOver(),
      unopened > 0 && `[folders that could not be opened, or lie too deep: ${unopened}]`,
    ].filter((note) => note !== false);
    return llmOnly([...found.matches.toLines(), ...notes].join('\n'));
  } catch (cause) {
    if (cause instanceof WorkspaceError) return error(cause.message);
    throw cause;
  }
}

interface TreeQuery {
  readonly glob: Glob;
  readonly matcher: LineMatcher;
  readonly maxFileBytes: number;
  /** By `performance.now`. */
  readonly endsAt: number;
}

/** Searches the files of a walk, one after the other. */
class TreeSearch {
  readonly #query: TreeQuery;
  readonly matches: MatchList;
  #binary = 0;
  #large = 0;
  #refused = 0;

  constructor(query: TreeQuery, matches: MatchList) {
    this.#query = query;
    this.matches = matches;
  }

  async meet(entry: TreeEntry): Promise<Onward> {
    const { glob, matcher, maxFileBytes, endsAt } = this.#query;
    if (performance.now() > endsAt) return 'end';
    if (entry.type === 'directory') return glob.mayHold(entry.way) ? 'on' : 'over';
    if (entry.type !== 'file' || !glob.matches(entry.way)) return 'on';
    if (((await entry.size()) ?? 0) > maxFileBytes) {
      this.#large += 1;
      return 'on';
    }
    try {
      const read = readText(await entry.read(maxFileBytes));
      if (read === undefined) this.#binary += 1;
      else this.matches.add(entry.path, linesOf(read.text), matcher);
    } catch (cause) {
      if (!(cause instanceof WorkspaceError)) throw cause;
      this.#refused += 1;
    }
    return 'on';
  }

  /** Which files were not searched, in one line if there are any. */
  passedOver(): readonly string[] {
    const left = [
      this.#binary > 0 && `${this.#binary} binary`,
      this.#large > 0 && `${this.#large} above ${formatSize(this.#query.maxFileBytes)}`,
      this.#refused > 0 && `${this.#refused} that may not be read`,
    ].filter((part) => part !== false);
    return left.length === 0 ? [] : [`[files passed over: ${left.join(', ')}]`];
  }
}

/** How much of a longer line is shown, in UTF-16 units: in all, and before the match. */
const mostOfALine = 300;
const mostBefore = 100;

/** The matching lines with their context, in order. Beyond the limit, matches are only counted. */
class MatchList {
  readonly #context: number;
  readonly #most: number;
  readonly #shownLines: string[] = [];
  #length = 0;
  #searched = 0;
  readonly #found = { lines: 0, files: 0 };
  readonly #shown = { lines: 0, files: 0 };

  constructor(context: number, most: number) {
    this.#context = context;
    this.#most = most;
  }

  add(path: string, lines: readonly string[], matcher: LineMatcher): void {
    const name = oneLine(path, 1000);
    this.#searched += 1;
    const [found, shown] = [this.#found, this.#shown];
    const before = { found: found.lines, shown: shown.lines };
    /** The first line that was not shown yet, and the last line of context after a match. */
    let [next, until] = [0, -1];
    for (const [index, line] of lines.entries()) {
      const start = matcher(line);
      if (start === -1 && index <= until) {
        this.#push(lineAround(name, index, lines));
        next = index + 1;
      }
      if (start === -1) continue;
      found.lines += 1;
      if (shown.lines >= this.#most || this.#length >= mostListed) continue;
      shown.lines += 1;
      const first = Math.max(next, index - this.#context);
      const isApart = first > next || next === 0;
      if (this.#context > 0 && isApart && this.#shownLines.length > 0) this.#push('--');
      for (let around = first; around < index; around += 1) this.#push(lineAround(name, around, lines));
      this.#push(`${name}:${index + 1}: ${cut(line, start)}`);
      next = index + 1;
      until = index + this.#context;
    }
    if (found.lines > before.found) found.files += 1;
    if (shown.lines > before.shown) shown.files += 1;
  }

  toLines(): readonly string[] {
    const [found, shown] = [this.#found, this.#shown];
    const all = `${count(found.lines, 'line')} in ${count(found.files, 'file')}`;
    if (found.lines === 0) return [`[no line matches; ${count(this.#searched, 'file')} searched]`];
    if (found.lines === shown.lines) return [`[${all}]`, ...this.#shownLines];
    const part = `${shown.lines} of ${all}, from ${count(shown.files, 'file')}`;
    return [`[the first ${part}; give a narrower pattern]`, ...this.#shownLines];
  }

  #push(line: string): void {
    this.#shownLines.push(line);
    this.#length += line.length + 1;
  }
}

function lineAround(name: string, index: number, lines: readonly string[]): string {
  return `${name}-${index + 1}- ${cut(lines[index] ?? '', 0)}`;
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
