import type { CliCommand } from '../command.ts';
import { webWords } from './words.ts';

export const webCommands: readonly CliCommand[] = [
  {
    name: 'web',
    section: 'see',
    words: (language) => webWords[language].command,
    options: [{ name: 'qr', words: (language) => webWords[language].qr }],
    hasJson: true,
    isLight: true,
    load: async () => (await import('./web.ts')).web,
  },
];
