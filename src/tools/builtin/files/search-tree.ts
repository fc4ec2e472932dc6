import { oneLine } from '../../../lib/plain-text.ts';
import type { Onward, TreeEntry, TreeReport } from '../../guard/workspace/tree.ts';
import { type WorkspaceRules, workspaces } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import { formatSize } from '../../text.ts';
import { linesOf, utf8Text } from '../file-answers.ts';
import { type Glob, mayHold, parseGlob } from './glob.ts';

/** What is looked for in the lines of files. */
interface LineQuery {
  readonly pattern: string;
  readonly is_regex: boolean;
  readonly ignore_case: boolean;
}

interface SearchOrder {
  readonly root: string;
  readonly rules: WorkspaceRules;
  readonly args: LineQuery & {
    readonly path: string;
    readonly files?: string | undefined;
    readonly context: number;
  };
  readonly maxResults: number;
  /** In bytes. */
  readonly maxFileBytes: number;
  /** In milliseconds: how long all may take. What was found until shortly before is answered. */
  readonly timeout: number;
}

export interface SearchAnswer {
  readonly isError: boolean;
  readonly text: string;
}

/** Searches the files of a workspace, guarded by the rules. Made for a thread that can be ended. */
export async function searchTree(order: SearchOrder): Promise<SearchAnswer> {
  const { root, rules, args } = order;
  const matching = matcherOf(args);
  const parsing = parseGlob(args.files ?? '**');
  if (!matching.valid) return { isError: true, text: matching.message };
  if (!parsing.valid) return { isError: true, text: parsing.message };
  const search = new TreeSearch(order, parsing.glob, matching.matcher);
  try {
    // The thread is ended from outside: nothing here aborts.
    const { signal } = new AbortController();
    const report = await workspaces(rules)(root).walk(args.path, (entry) => search.meet(entry), signal);
    return { isError: false, text: search.describe(report) };
  } catch (cause) {
    if (cause instanceof WorkspaceError) return { isError: true, text: cause.message };
    throw cause;
  }
}

class TreeSearch {
  readonly #order: SearchOrder;
  readonly #glob: Glob;
  readonly #matcher: LineMatcher;
  readonly #matches: MatchList;
  readonly #endsAt: number;
  #binary = 0;
  #large = 0;
  #refused = 0;

  constructor(order: SearchOrder, glob: Glob, matcher: LineMatcher) {
    this.#order = order;
    this.#glob = glob;
    this.#matcher = matcher;
    this.#matches = new MatchList(order.args.context, order.maxResults);
    this.#endsAt = performance.now() + order.timeout * 0.8;
  }

  async meet(entry: TreeEntry): Promise<Onward> {
    const { way, type } = entry;
    if (performance.now() > this.#endsAt) return 'end';
    if (type === 'directory') return mayHold(this.#glob, way) ? 'on' : 'over';
    if (type === 'file' && this.#glob.matches(way)) await this.#look(entry);
    return 'on';
  }

  /** What was found, and what was left out. */
  describe({ ended, unopened }: TreeReport): string {
    const left = [
      ...(this.#binary > 0 ? [`${this.#binary} binary`] : []),
      ...(this.#large > 0 ? [`${this.#large} above ${formatSize(this.#order.maxFileBytes)}`] : []),
      ...(this.#refused > 0 ? [`${this.#refused} that may not be read`] : []),
    ];
    const notes = [
      ...(ended ? ['[the time was over before all files were searched: search a smaller part]'] : []),
      ...(left.length === 0 ? [] : [`[files passed over: ${left.join(', ')}]`]),
      ...(unopened === 0 ? [] : [`[folders that could not be opened, or lie too deep: ${unopened}]`]),
    ];
    return [...this.#matches.toLines(), ...notes].join('\n');
  }

  async #look(entry: TreeEntry): Promise<void> {
    const { maxFileBytes } = this.#order;
    if (((await entry.size()) ?? 0) > maxFileBytes) {
      this.#large += 1;
      return;
    }
    const bytes = await this.#read(entry);
    if (bytes === undefined) return;
    const text = utf8Text(bytes);
    if (text === undefined) this.#binary += 1;
    else this.#matches.add(entry.path, linesOf(text), this.#matcher);
  }

  async #read(entry: TreeEntry): Promise<Buffer | undefined> {
    try {
      return await entry.read(this.#order.maxFileBytes);
    } catch (cause) {
      if (!(cause instanceof WorkspaceError)) throw cause;
      this.#refused += 1;
      return undefined;
    }
  }
}

/** Of a longer line the part around the match is shown: so many UTF-16 units, of them so many before the match. */
const mostOfALine = 300;
const mostBefore = 100;
/** Less than what a runner keeps of an output by default, so that a long list is cut at a line, and the model told so. */
const mostCharacters = 45_000;

/** The lines that matched, with those around them, in the order in which they came. Beyond the limit they are counted only. */
class MatchList {
  readonly #context: number;
  readonly #most: number;
  readonly #lines: string[] = [];
  #length = 0;
  #searched = 0;
  readonly #found = { lines: 0, files: 0 };
  readonly #shown = { lines: 0, files: 0 };

  constructor(context: number, most: number) {
    this.#context = context;
    this.#most = most;
  }

  /** Looks through a file. */
  add(path: string, lines: readonly string[], matcher: LineMatcher): void {
    this.#searched += 1;
    const found = this.#found.lines;
    const shown = this.#shown.lines;
    const excerpt = new Excerpt(oneLine(path, 1000), lines, this.#context);
    for (const [index, line] of lines.entries()) {
      const start = matcher(line);
      if (start === -1) {
        this.#push(excerpt.pass(index));
        continue;
      }
      this.#found.lines += 1;
      if (this.#isFull()) continue;
      this.#shown.lines += 1;
      this.#push(excerpt.match(index, start));
    }
    if (this.#found.lines > found) this.#found.files += 1;
    if (this.#shown.lines > shown) this.#shown.files += 1;
  }

  /** A line that says how much there is, and what is shown of it. */
  toLines(): readonly string[] {
    const found = `${count(this.#found.lines, 'line')} in ${count(this.#found.files, 'file')}`;
    if (this.#found.lines === 0) return [`[no line matches; ${count(this.#searched, 'file')} searched]`];
    if (this.#found.lines === this.#shown.lines) return [`[${found}]`, ...this.#lines];
    const { lines, files } = this.#shown;
    return [`[the first ${lines} of ${found}, from ${count(files, 'file')}; give a narrower pattern]`, ...this.#lines];
  }

  #isFull(): boolean {
    return this.#shown.lines >= this.#most || this.#length >= mostCharacters;
  }

  #push(lines: readonly string[]): void {
    // Where nothing is around matches, nothing divides them.
    const divided = this.#context > 0 && lines[0] === divider && this.#lines.length > 0;
    for (const line of lines[0] === divider && !divided ? lines.slice(1) : lines) {
      this.#lines.push(line);
      this.#length += line.length + 1;
    }
  }
}

const divider = '--';

/** What is shown of one file. */
class Excerpt {
  readonly #path: string;
  readonly #lines: readonly string[];
  readonly #context: number;
  /** The first line that was not shown yet, and until which one those after a match go. */
  #next = 0;
  #until = -1;

  constructor(path: string, lines: readonly string[], context: number) {
    this.#path = path;
    this.#lines = lines;
    this.#context = context;
  }

  match(index: number, start: number): readonly string[] {
    const first = Math.max(this.#next, index - this.#context);
    const isApart = first > this.#next || this.#next === 0;
    const around = this.#lines.slice(first, index).map((line, offset) => this.#around(first + offset, line));
    this.#next = index + 1;
    this.#until = index + this.#context;
    const line = `${this.#path}:${index + 1}: ${cut(this.#lines[index] ?? '', start)}`;
    return [...(isApart ? [divider] : []), ...around, line];
  }

  pass(index: number): readonly string[] {
    if (index > this.#until) return [];
    this.#next = index + 1;
    return [this.#around(index, this.#lines[index] ?? '')];
  }

  #around(index: number, line: string): string {
    return `${this.#path}-${index + 1}- ${cut(line, 0)}`;
  }
}

function cut(line: string, start: number): string {
  if (line.length <= mostOfALine) return flat(line);
  const from = Math.max(0, Math.min(start - mostBefore, line.length - mostOfALine));
  const shown = flat(line.slice(from, from + mostOfALine));
  return `${from > 0 ? '…' : ''}${shown}${from + mostOfALine < line.length ? '…' : ''}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Else a carriage return would begin a new line, which looks like a find of its own. */
function flat(line: string): string {
  return line.replaceAll('\r', '\\r');
}

/** Where in a line the first match begins; -1 if there is none. */
type LineMatcher = (line: string) => number;

type MatcherReading =
  | { readonly valid: true; readonly matcher: LineMatcher }
  /** The message tells the model what to mend. */
  | { readonly valid: false; readonly message: string };

/** Reads a text or a regular expression. A regular expression may take for ever on a line. */
function matcherOf({ pattern, is_regex: isRegex, ignore_case: ignoreCase }: LineQuery): MatcherReading {
  if (!isRegex && /[\r\n]/.test(pattern)) {
    return { valid: false, message: 'The pattern has a line end, but only single lines are searched. Give one line.' };
  }
  if (!isRegex && !ignoreCase) return { valid: true, matcher: (line) => line.indexOf(pattern) };
  try {
    const expression = expressionOf(isRegex ? pattern : escaped(pattern), ignoreCase ? 'i' : '');
    return { valid: true, matcher: (line) => line.search(expression) };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return {
      valid: false,
      message: `The pattern cannot be read. ${cause.message}. To look for it as text, leave out is_regex.`,
    };
  }
}

/** With Unicode, as far as its stricter rules allow what is written. */
function expressionOf(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return new RegExp(source, flags);
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
