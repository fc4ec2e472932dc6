import { assessCode } from './assess-code.ts';
import { assessDeletion } from './assess-deletion.ts';
import { assessFiles } from './assess-files.ts';
import { assessListening } from './assess-listening.ts';
import { assessNetwork } from './assess-network.ts';
import { assessSystem } from './assess-system.ts';
import { type Assessed, isVerbDoubtful, verbOf } from './assessed.ts';
import { type Finding, finding } from './command-kind.ts';
import type { ReadAssignment, ReadCommand, ReadRedirect } from './command-reading.ts';
import { readOptions } from './options.ts';
import { isSocketPath, isStream, isSystemPath, isSystemProgram } from './paths.ts';
import { isShell } from './programs.ts';
import { isPowerfulVariable } from './syntax-doubts.ts';

/** What a command does by itself; what the commands do that it runs is found with them. */
export function assessCommand(command: Omit<ReadCommand, 'findings'>, isPiped: boolean): readonly Finding[] {
  const { program, programPath, words, assignments, redirects, isWrapper } = command;
  const around = [...assignments.flatMap(ofAssignment), ...redirects.flatMap(ofRedirect)];
  if (program === '' && programPath === '') return around;
  if (programPath === undefined) return [...around, finding('unknown', program)];
  const options = readOptions(words);
  const hasInput = isPiped || redirects.some(({ operator }) => operator.startsWith('<'));
  const assessed = { program, words, options, verb: verbOf(program, words, options), hasInput };
  const found = assessors.flatMap((assess) => assess(assessed));
  const byPath = isSystemProgram(programPath) ? [] : [finding('hidden_code', programPath)];
  const isClear = found.length > 0 || byPath.length > 0 || isWrapper || isShell(program) || ownMatters.has(program);
  const isSure = isClear && !isVerbDoubtful(program, words);
  return [...around, ...byPath, ...found, ...(isSure ? [] : [finding('unknown', program)])];
}

/** What they run is found in their arguments. */
const ownMatters: ReadonlySet<string> = new Set(['eval', 'exec', 'command', 'builtin']);

const assessors: readonly ((command: Assessed) => readonly Finding[])[] = [
  assessDeletion,
  assessSystem,
  assessListening,
  assessNetwork,
  assessCode,
  assessFiles,
];

function ofAssignment({ name }: ReadAssignment): readonly Finding[] {
  return isPowerfulVariable(name) ? [finding('hidden_code', name)] : [];
}

function ofRedirect({ operator, target }: ReadRedirect): readonly Finding[] {
  if (isSocketPath(target.beginning)) return [finding('network', target.text), finding('upload', target.text)];
  if (operator.startsWith('<<') || operator === '<&') return [];
  if (operator === '<') return isStream(target.text) ? [] : [finding('reading', target.text)];
  if (operator === '>&' && /^(?:\d+-?|-)$/.test(target.text)) return [];
  if (target.isKnown && isStream(target.text)) return [];
  return [finding(isSystemPath(target) ? 'system_change' : 'writing', target.text)];
}
