import type { CliCommand } from '../command.ts';
import { migrateCommandWords } from './words.ts';

/** What takes over from other programs. */
export const migrateCommands: readonly CliCommand[] = [
  {
    name: 'migrate',
    section: 'keep',
    words: (language) => migrateCommandWords[language].migrate,
    operands: { least: 0, most: 1 },
    options: [
      { name: 'from', takes: 'FOLDER', words: (language) => migrateCommandWords[language].options.from },
      { name: 'person', takes: 'ID', words: (language) => migrateCommandWords[language].options.person },
      { name: 'yes', words: (language) => migrateCommandWords[language].options.yes },
    ],
    hasJson: true,
    load: async () => (await import('./migrate.ts')).migrate,
  },
];
