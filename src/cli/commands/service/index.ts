import type { CliCommand, CliOption } from '../command.ts';
import { serviceWords } from './words.ts';

const options = {
  print: { name: 'print', words: (language) => serviceWords[language].options.print },
  force: { name: 'force', words: (language) => serviceWords[language].options.force },
  linger: { name: 'linger', words: (language) => serviceWords[language].options.linger },
  asRoot: { name: 'as-root', words: (language) => serviceWords[language].options.asRoot },
} as const satisfies Readonly<Record<string, CliOption>>;

/** Commands that have Keyturn started by the machine. */
export const serviceCommands: readonly CliCommand[] = [
  {
    name: 'service install',
    section: 'keep',
    words: (language) => serviceWords[language].install,
    options: [options.print, options.force, options.linger, options.asRoot],
    hasJson: true,
    load: async () => (await import('./service-commands.ts')).installService,
  },
  {
    name: 'service status',
    section: 'keep',
    words: (language) => serviceWords[language].status,
    options: [options.asRoot],
    hasJson: true,
    isLight: true,
    load: async () => (await import('./service-commands.ts')).serviceStatus,
  },
  {
    name: 'service remove',
    section: 'keep',
    words: (language) => serviceWords[language].remove,
    options: [options.asRoot],
    hasJson: true,
    isLight: true,
    load: async () => (await import('./service-commands.ts')).removeService,
  },
];
