import { assessCommand } from './assess-command.ts';
import { type Finding, finding } from './command-kind.ts';
import type { ReadAssignment, ReadCommand, ReadRedirect } from './command-reading.ts';
import { innerCalls } from './inner-calls.ts';
import { baseName } from './paths.ts';
import { interpreters, isShell } from './programs.ts';
import type { InnerCalls } from './shell-texts.ts';
import type { ShellWord } from './shell-word.ts';

/** A command as it stands in the text. */
export interface WrittenCommand {
  /** Its name and its arguments. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ReadAssignment[];
  readonly redirects: readonly ReadRedirect[];
}

/** Where a command stands. */
export interface CallSite {
  /** The programs that run it. */
  readonly via: readonly string[];
  /** The commands whose output it may read. */
  readonly upstream: readonly ReadCommand[];
  readonly isPiped: boolean;
  /** The commands whose output becomes a part of it. */
  readonly filledIn?: readonly ReadCommand[];
}

/** A text for a shell that a command runs. */
export interface InnerText {
  readonly text: string;
  readonly via: readonly string[];
}

export interface ReadCall {
  /** The command, and those in its arguments. */
  readonly commands: readonly ReadCommand[];
  readonly texts: readonly InnerText[];
  /** None of them was too deep to be read. */
  readonly isWhole: boolean;
}

/** How many programs may run each other. */
const mostWrappers = 10;
const tooDeep: InnerCalls = { calls: [], texts: [], findings: [finding('unknown', 'deep nesting')] };

/** Reads one command with those that it runs in turn. */
export function readCall(written: WrittenCommand, site: CallSite): ReadCall {
  const { words, assignments, redirects } = written;
  const [name, ...args] = words;
  const programPath = name === undefined ? '' : name.isKnown ? name.text : undefined;
  const program = programPath === undefined ? (name?.text ?? '') : baseName(programPath);
  const isDeep = site.via.length > mostWrappers;
  const inner = isDeep ? tooDeep : innerCalls(program, args, { redirects, upstream: site.upstream });
  const isWrapper = inner.calls.length + inner.texts.length > 0;
  const base = { program, programPath, words: args, assignments, redirects, via: site.via, isWrapper };
  const findings = [...assessCommand(base, site.isPiped), ...inner.findings];
  const command = { ...base, findings: [...findings, ...downloaded(program, findings, site)] };
  const via = [...site.via, program];
  const calls = inner.calls.map((call) =>
    readCall({ words: call, assignments: [], redirects: [] }, { upstream: site.upstream, isPiped: site.isPiped, via }),
  );
  return {
    commands: [command, ...calls.flatMap(({ commands }) => commands)],
    texts: [...inner.texts.map((text) => ({ text, via })), ...calls.flatMap(({ texts }) => texts)],
    isWhole: !isDeep && calls.every((call) => call.isWhole),
  };
}

/** Code that cannot be seen, where the network is what it may have come from. */
function downloaded(program: string, findings: readonly Finding[], site: CallSite): readonly Finding[] {
  const takesCode = isShell(program) || interpreters.has(program) || ['eval', 'source', '.', 'xargs'].includes(program);
  if (!takesCode || !findings.some(({ kind }) => kind === 'hidden_code' || kind === 'unknown')) return [];
  const sources = [...site.upstream, ...(site.filledIn ?? [])];
  const network = sources.find((source) => source.findings.some(({ kind }) => kind === 'network'));
  return network === undefined ? [] : [finding('downloaded_code', network.program)];
}
