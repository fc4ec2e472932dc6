import type { CliCommand } from '../command.ts';
import { linesOption } from '../lines-option.ts';
import { reportWords } from './words.ts';

/** The command that writes a report of a fault. */
export const reportCommands: readonly CliCommand[] = [
  {
    name: 'report',
    section: 'mend',
    words: (language) => reportWords[language].report,
    options: [{ name: 'print', words: (language) => reportWords[language].options.print }, linesOption],
    operands: { least: 0, most: 1 },
    load: async () => (await import('./report.ts')).report,
  },
];
