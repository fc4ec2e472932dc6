import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { CommandReading } from './command-reading.ts';
import { describeCommand } from './describe-command.ts';

/** The line of markdown that an approver reads of a command: itself, as far as there is room, and what it would do. */
export function describeRun(reading: CommandReading): string {
  return `run ${shown(reading.text)}: ${describeCommand(reading)}`;
}

/** Short enough that what is said of the command stands behind it in full. */
function shown(command: string): string {
  const code = inlineCode(oneLine(command, 280));
  return code.length <= 300 ? code : inlineCode(oneLine(command, 80));
}
