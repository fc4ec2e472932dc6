import type { CliCommand, CliOption } from '../command.ts';
import { updateWords } from './words.ts';

const options = {
  check: { name: 'check', words: (language) => updateWords[language].options.check },
  yes: { name: 'yes', words: (language) => updateWords[language].options.yes },
  try: { name: 'try', takes: 'FILE', words: (language) => updateWords[language].options.try },
} as const satisfies Readonly<Record<string, CliOption>>;

/** The command that brings a newer version. It loads no package: it must work where an update has left them half installed. */
export const updateCommands: readonly CliCommand[] = [
  {
    name: 'update',
    section: 'keep',
    words: (language) => updateWords[language].update,
    options: [options.check, options.yes, options.try],
    hasJson: true,
    isLight: true,
    load: async () => (await import('./update-command.ts')).update,
  },
];
