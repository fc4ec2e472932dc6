import type { CliCommand } from '../command.ts';
import { commandListWords } from '../words.ts';
import { reportWords } from './words.ts';

/** The command that writes a report of a fault. */
export const reportCommands: readonly CliCommand[] = [
  {
    name: 'report',
    section: 'mend',
    words: (language) => reportWords[language].report,
    options: [
      { name: 'print', words: (language) => reportWords[language].options.print },
      { name: 'lines', takes: 'N', words: (language) => commandListWords[language].options.lines },
    ],
    operands: { least: 0, most: 1 },
    load: async () => (await import('./report.ts')).report,
  },
];
