import type { ShellWord } from './shell-word.ts';

/** Options of git's looking subcommands that neither write nor run anything. */
const looking =
  /^-(?:\d+|[asbvpuwzitlrqnMCcDR]+|[UnSGLMC]\S*|-(?:oneline|stat|shortstat|numstat|dirstat|summary|name-only|name-status|graph|all|decorate(?:=\w+)?|no-decorate|cached|staged|porcelain(?:=\w+)?|short|long|branch|show-stash|no-color|color(?:=\w+)?|no-pager|abbrev-commit|abbrev(?:=\d+)?|pretty(?:=.+)?|format=.+|date=\S+|since=.+|until=.+|after=.+|before=.+|author=.+|grep=.+|max-count=\d+|follow|reverse|first-parent|merges|no-merges|no-ext-diff|no-textconv|no-patch|patch|word-diff(?:=\w+)?|unified=\d+|ignore-all-space|ignore-space-change|ignored(?:=\w+)?|untracked-files(?:=\w+)?|diff-filter=\w+|find-renames(?:=\S+)?|minimal|histogram|patience|relative(?:=.*)?|show-toplevel|abbrev-ref|is-inside-work-tree|git-dir|verify|others|modified|deleted|exclude-standard|tags|always|dirty|contains(?:=.+)?|merge-base|topo-order|date-order|left-right|cherry-pick|count|line-number|ignore-case|fixed-strings|extended-regexp|perl-regexp|files-with-matches|heads|verbose|remotes|list|show-current|merged|no-merged|sort=\S+|get|get-all|get-regexp|show-origin|show-scope|name-rev|points-at=\S+|check|raw|root|no-renames|full-index|binary|exit-code|quiet|simplify-by-decoration|numbered))$/;

const subcommands =
  /^(?:status|log|diff|show|blame|annotate|rev-parse|rev-list|ls-files|ls-tree|describe|shortlog|cat-file|grep|merge-base|name-rev|for-each-ref|count-objects|whatchanged|cherry|show-ref|diff-tree|diff-index|diff-files|check-ignore|version)$/;

/** Whether git only looks, as far as its arguments tell: no pager, no other program, nothing written, no configuration. */
export function isLookingGit(words: readonly ShellWord[]): boolean {
  if (words.length === 1 && words[0]?.text === '--version') return true;
  const rest = behindFolder(words);
  const [subcommand, ...args] = rest;
  if (subcommand?.isKnown !== true || !args.every(isPlain)) return false;
  const texts = args.map(({ text }) => text);
  // Options are read by the subcommand: what opens a pager for one may be harmless for another.
  if (subcommand.text === 'grep' && texts.some((text) => text.startsWith('-O'))) return false;
  return subcommands.test(subcommand.text) || isListing(subcommand.text, texts);
}

/** What stands behind `-C folder` and `--no-pager`. */
function behindFolder(words: readonly ShellWord[]): readonly ShellWord[] {
  const [first, folder] = words;
  if (first?.text === '--no-pager') return behindFolder(words.slice(1));
  return first?.text === '-C' && folder?.isKnown === true ? behindFolder(words.slice(2)) : words;
}

function isPlain({ text, isKnown, beginning }: ShellWord): boolean {
  if (text === '--') return true;
  if (text.startsWith('-')) return isKnown && looking.test(text);
  return (isKnown || (beginning !== '' && !beginning.startsWith('-'))) && !/^ext::/.test(text);
}

function isListing(subcommand: string, texts: readonly string[]): boolean {
  switch (subcommand) {
    case 'branch':
    case 'tag':
      return texts.every((text) =>
        /^-(?:[arvl]+|-(?:list|all|remotes|show-current|merged|no-merged|verbose|sort=\S+))$/.test(text),
      );
    case 'remote':
      return (
        texts.every((text) => text === '-v' || text === '--verbose') || (texts.length === 2 && texts[0] === 'get-url')
      );
    case 'stash':
      return texts[0] === 'list' || texts[0] === 'show';
    case 'worktree':
      return texts[0] === 'list';
    case 'config':
      return /^(?:-l|--list|--get|--get-all|--get-regexp)$/.test(texts[0] ?? '');
    default:
      return false;
  }
}
