import { error, llmOnly, type ToolOutput } from '../../output.ts';
import type { ProcessResult } from './process.ts';

/** What the model reads of a command that has ended, or was ended after so many seconds. A failure is an error. */
export function reportProcess(result: ProcessResult, seconds: number): ToolOutput {
  const { stdout, stderr, refusals } = result;
  const text = [
    `[${ending(result, seconds)}]`,
    ...(stdout.trim() === '' ? [] : [stdout.trimEnd()]),
    ...(stderr.trim() === '' ? [] : ['[stderr]', stderr.trimEnd()]),
    ...(stdout.trim() === '' && stderr.trim() === '' ? ['[no output]'] : []),
    ...refusals.map((refusal) => `[${refusal}]`),
  ].join('\n');
  return result.exitCode === 0 && !result.timedOut ? llmOnly(text) : error(text);
}

function ending({ exitCode, signal, timedOut }: ProcessResult, seconds: number): string {
  if (timedOut) return `ended because it took longer than ${seconds} s`;
  return exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`;
}
