/* The commands that talk. */

import type { CliCommand } from '../command.ts';
import { talkWords } from './words.ts';

export const talkCommands: readonly CliCommand[] = [
  {
    name: 'chat',
    section: 'see',
    words: (language) => talkWords[language].chat,
    options: [
      { name: 'once', takes: 'TEXT', words: (language) => talkWords[language].once },
      { name: 'name', takes: 'NAME', words: (language) => talkWords[language].name },
    ],
    hasJson: true,
    load: async () => (await import('./chat.ts')).chat,
  },
];
