/* The command that shows what Keyturn promises. */

import type { CliCommand } from '../command.ts';
import { demoWords } from './words.ts';

export const demoCommands: readonly CliCommand[] = [
  {
    name: 'demo',
    section: 'see',
    words: (language) => demoWords[language].command,
    options: [{ name: 'fast', words: (language) => demoWords[language].fast }],
    isLight: true,
    load: async () => (await import('./demo.ts')).demo,
  },
];
