import type { CliCommand } from '../command.ts';
import { logLevelWords } from './words.ts';

export const logLevelCommands: readonly CliCommand[] = [
  {
    name: 'log-level',
    section: 'mend',
    words: (language) => logLevelWords[language].command,
    operands: { least: 0, most: 1 },
    hasJson: true,
    isLight: true,
    load: async () => (await import('./log-level.ts')).logLevel,
  },
];
