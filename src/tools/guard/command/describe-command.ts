import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { type CommandKind, commandKinds, type Finding } from './command-kind.ts';
import { allFindings, type CommandReading } from './command-reading.ts';

/** About how long the phrase is at most, in characters. */
const longest = 150;

/** What is said if there is any doubt; it is never left out. */
const doubt = 'Keyturn cannot tell all of what it does';

/**
 * What a command will do, in one short phrase of markdown for the person who decides: the most dangerous first. Where not
 * all of it is known, it says so. Never to be relied upon: what it does is what runs.
 */
export function describeCommand(reading: CommandReading): string {
  const findings = allFindings(reading);
  const isUnknown = findings.some(({ kind }) => kind === 'unknown');
  const kinds = commandKinds.filter((kind) => findings.some((found) => found.kind === kind));
  const told = kinds.filter((kind) => isTold(kind, kinds));
  const phrases = told.map((kind) => phrase(kind, findings));
  const kept = fitting(phrases, longest - (isUnknown ? doubt.length + 2 : 0));
  if (kept.length < phrases.length && !isUnknown) kept.push('and more');
  if (isUnknown) kept.push(doubt);
  return kept.length === 0 ? 'does nothing that Keyturn knows of' : kept.join('; ');
}

/** What merely looks would reassure, and to send or to listen is to talk to the network. */
function isTold(kind: CommandKind, kinds: readonly CommandKind[]): boolean {
  if (kind === 'reading') return kinds.length === 1;
  if (kind === 'network') return !kinds.includes('upload') && !kinds.includes('network_listener');
  return kind !== 'unknown';
}

function fitting(phrases: readonly string[], room: number): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const text of phrases) {
    length += text.length + 2;
    if (length > room && kept.length > 0) break;
    kept.push(text);
  }
  return kept;
}

function phrase(kind: CommandKind, findings: readonly Finding[]): string {
  const all = findings.filter((found) => found.kind === kind).flatMap((found) => found.of);
  const of = [...new Set(all.filter((what) => what !== ''))];
  switch (kind) {
    case 'downloaded_code':
      return 'runs code that comes from the network';
    case 'recursive_deletion':
      return `deletes ${listed(of, 'files')} and all in it, by force`;
    case 'system_change':
      return `changes the system${aside(of)}`;
    case 'privilege':
      return `takes the rights of somebody else${aside(of)}`;
    case 'upload':
      return sending(of);
    case 'network_listener':
      return `lets others connect from the network${aside(of)}`;
    case 'hidden_code':
      return `runs code that Keyturn cannot look into${aside(of)}`;
    case 'deletion':
      return `deletes ${listed(of, 'files')}`;
    case 'permission_change':
      return `changes who may use ${listed(of, 'files')}`;
    case 'process_ending':
      return `ends processes${aside(of)}`;
    case 'network':
      return `talks to the network${aside(of)}`;
    case 'writing':
      return `writes ${listed(of, 'files')}`;
    case 'unknown':
      return doubt;
    case 'reading':
      return `only looks${aside(of)}`;
  }
}

function sending(of: readonly string[]): string {
  const host = of.at(-1);
  if (host === undefined) return 'sends data to the network';
  return `sends ${listed(of.slice(0, -1), 'data')} to ${code(host)}`;
}

function aside(of: readonly string[]): string {
  return of.length === 0 ? '' : ` (${listed(of, '')})`;
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
