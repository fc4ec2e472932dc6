import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { allFindings, type CommandKind, type CommandReading, commandKinds, type Finding } from './command-reading.ts';
import { isReadOnly } from './read-only.ts';

/** The approximate limit of the sentences together, in characters. */
const longest = 170;

/**
 * What a command will do, in a few words of markdown for the approver, the most dangerous first. Says read-only exactly
 * if `read-only.ts` accepts all of it. For people only: no decision relies on it.
 */
export function describeCommand(reading: CommandReading): string {
  if (isReadOnly(reading)) return 'Read-only.';
  const findings = allFindings(reading);
  const kinds = new Set(findings.map(({ kind }) => kind));
  // Sending and listening use the network.
  if (kinds.has('upload') || kinds.has('network_listener')) kinds.delete('network');
  if (kinds.has('recursive_deletion')) kinds.delete('deletion');
  const isUnknown = kinds.delete('unknown');
  const sentences = commandKinds.filter((kind) => kinds.has(kind)).map((kind) => sentence(kind, findings));
  if (sentences.length === 0) return 'Keyturn cannot tell what it does.';
  const kept: string[] = [];
  for (const text of sentences) {
    if (kept.length > 0 && [...kept, text].join('. ').length + 2 > longest) break;
    kept.push(text);
  }
  if (isUnknown) kept.push('Keyturn cannot tell what else it does');
  else if (kept.length < sentences.length) kept.push('And more');
  return `${kept.join('. ')}.`;
}

/** The command as a line of markdown, cut if it is too long. */
export function describeRun({ text }: CommandReading): string {
  const code = inlineCode(oneLine(text, 280));
  return `run ${code.length <= 300 ? code : inlineCode(oneLine(text, 80))}`;
}

/** `%` stands for what the sentence concerns, or else for the second text. Without `%`, it follows in brackets. */
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
  const [first, second, ...more] = [...new Set(all.filter((what) => what !== ''))].map((what) =>
    inlineCode(oneLine(what, 40)),
  );
  const named = second === undefined ? first : more.length === 0 ? `${first} and ${second}` : `${first}, ${second}`;
  // Two by name, the others as a number.
  const listed = more.length === 0 ? named : `${named} and ${more.length} more`;
  const [text, otherwise = ''] = words[kind];
  if (text.includes('%')) return text.replace('%', () => listed ?? otherwise);
  return listed === undefined ? text : `${text} (${listed})`;
}
