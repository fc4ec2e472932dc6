import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { allFindings, type CommandKind, type CommandReading, commandKinds, type Finding } from './command-reading.ts';
import { isReadOnly } from './read-only.ts';

/** About how long the sentences are at most together, in characters. */
const longest = 170;

/**
 * What a command will do, in a few words of markdown for the person who decides: the most dangerous first. It is called
 * read-only exactly where the grammar of `read-only.ts` accepts all of it. Never relied upon: what it does is what runs.
 */
export function describeCommand(reading: CommandReading): string {
  if (isReadOnly(reading)) return 'Read-only.';
  const findings = allFindings(reading);
  const kinds = commandKinds.filter((kind) => findings.some((found) => found.kind === kind));
  const sentences = kinds.filter((kind) => isSaid(kind, kinds)).map((kind) => sentence(kind, findings));
  if (sentences.length === 0) return 'Keyturn cannot tell what it does.';
  const kept = fitting(sentences);
  if (kinds.includes('unknown')) kept.push('Keyturn cannot tell what else it does');
  else if (kept.length < sentences.length) kept.push('And more');
  return `${kept.join('. ')}.`;
}

/** The line of markdown that stands for a command: itself, as far as there is room. */
export function describeRun({ text }: CommandReading): string {
  const code = inlineCode(oneLine(text, 280));
  return `run ${code.length <= 300 ? code : inlineCode(oneLine(text, 80))}`;
}

/** To send or to listen is to use the network. */
function isSaid(kind: CommandKind, kinds: readonly CommandKind[]): boolean {
  if (kind === 'network') return !kinds.includes('upload') && !kinds.includes('network_listener');
  if (kind === 'deletion') return !kinds.includes('recursive_deletion');
  return kind !== 'unknown';
}

function fitting(sentences: readonly string[]): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const text of sentences) {
    length += text.length + 2;
    if (length > longest && kept.length > 0) break;
    kept.push(text);
  }
  return kept;
}

/** For each kind: `%` stands for what it concerns, or else for the word behind it. Without it, that follows in brackets. */
const words: Readonly<Record<CommandKind, readonly [sentence: string, otherwise?: string]>> = {
  downloaded_code: ['Runs code from the network'],
  recursive_deletion: ['Deletes % and everything inside', 'files'],
  system_change: ['Changes the system'],
  privilege: ['Runs with other rights'],
  upload: ['Sends data to %', 'the network'],
  network_listener: ['Lets others connect'],
  hidden_code: ['Runs code that Keyturn cannot read'],
  deletion: ['Deletes %', 'files'],
  permission_change: ['Changes permissions'],
  process_ending: ['Ends processes'],
  network: ['Uses the network'],
  writing: ['Writes files'],
  unknown: ['Keyturn cannot tell what it does'],
  reading: ['Reads'],
};

function sentence(kind: CommandKind, findings: readonly Finding[]): string {
  const all = findings.filter((found) => found.kind === kind).flatMap(({ of }) => of);
  const of = [...new Set(all.filter((what) => what !== ''))];
  const [text, otherwise = ''] = words[kind];
  if (text.includes('%')) return text.replace('%', () => listed(of, otherwise));
  return of.length === 0 ? text : `${text} (${listed(of, '')})`;
}

/** Two of them by name, the others by number. */
function listed(of: readonly string[], otherwise: string): string {
  const [first, second, ...more] = of;
  if (first === undefined) return otherwise;
  if (second === undefined) return code(first);
  if (more.length === 0) return `${code(first)} and ${code(second)}`;
  return `${code(first)}, ${code(second)} and ${more.length} more`;
}

function code(text: string): string {
  return inlineCode(oneLine(text, 40));
}
