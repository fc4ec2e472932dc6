import type { Onward, TreeEntry, TreeReport } from '../../guard/workspace/tree.ts';
import { type WorkspaceRules, workspaces } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import { formatSize } from '../../text.ts';
import { type Glob, parseGlob } from './glob.ts';
import { type LineMatcher, type LineQuery, matcherOf } from './line-matcher.ts';
import { MatchList } from './match-list.ts';
import { mayHold } from './passed-over.ts';
import { linesOf, utf8Text } from './text-file.ts';

export interface SearchOrder {
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
