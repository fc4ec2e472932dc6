import { nearest } from '../../../lib/nearest.ts';
import { type CommandKind, commandKinds } from './command-kind.ts';
import { baseName } from './paths.ts';

/** An entry of `tools.shell.deny` or `tools.shell.allow`. */
export type CommandRule =
  | { readonly type: 'kind'; readonly text: string; readonly kind: CommandKind }
  | { readonly type: 'read-only'; readonly text: string }
  | { readonly type: 'words'; readonly text: string; readonly program: string; readonly words: readonly string[] };

/** What an entry may be: what it is in, the other is not. */
export type RuleList = 'deny' | 'allow';

const readOnly = '@read_only';

/** The names of kinds that an entry may have in the list. */
function ruleKinds(list: RuleList): readonly string[] {
  return list === 'allow' ? [readOnly] : commandKinds.map((kind) => `@${kind}`);
}

/** Why the entry is no rule, in words for the operator; undefined if it is one. */
export function checkCommandRule(text: string, list: RuleList): string | undefined {
  const entry = text.trim();
  if (entry === '') return 'expected a command such as "git push --force", or a kind such as "@network"';
  if (entry.startsWith('@')) return checkKind(entry, list);
  if (/["'`$\\|&;<>(){}[\]?!#~\n]/.test(entry)) {
    return 'expected the plain words of one command, such as "git push --force", without quotes, pipes or variables';
  }
  if (/(?:^|\s)\*\s/.test(entry) || /\S\*|\*\S/.test(entry))
    return 'expected a "*" only as the last word, such as "docker *"';
  return entry === '*' ? 'expected a command before the "*"' : undefined;
}

function checkKind(entry: string, list: RuleList): string | undefined {
  const kinds = ruleKinds(list);
  if (kinds.includes(entry)) return undefined;
  if (list === 'allow' && ruleKinds('deny').includes(entry)) {
    return `of kinds, only "${readOnly}" can be allowed: name the commands instead`;
  }
  if (list === 'deny' && entry === readOnly) return `"${readOnly}" is for tools.shell.allow alone`;
  const meant = nearest(entry, kinds);
  return `expected one of ${kinds.map((kind) => `"${kind}"`).join(', ')}${meant === undefined ? '' : `: did you mean "${meant}"?`}`;
}

/** Reads an entry. Throws if it is no rule, for which `checkCommandRule` tells why. */
export function parseCommandRule(text: string, list: RuleList): CommandRule {
  const problem = checkCommandRule(text, list);
  if (problem !== undefined) throw new Error(`"${text}" is no rule of tools.shell.${list}: ${problem}`);
  const entry = text.trim();
  if (entry === readOnly) return { type: 'read-only', text: entry };
  const kind = commandKinds.find((known) => `@${known}` === entry);
  if (kind !== undefined) return { type: 'kind', text: entry, kind };
  const [program = '', ...words] = entry.split(/\s+/).filter((word) => word !== '*');
  return { type: 'words', text: entry, program: baseName(program), words };
}
