import type { CliCommand, CliOption } from '../command.ts';
import { configCommandWords } from './words.ts';

const options = {
  defaults: { name: 'defaults', words: (language) => configCommandWords[language].options.defaults },
  list: { name: 'list', words: (language) => configCommandWords[language].options.list },
} as const satisfies Readonly<Record<string, CliOption>>;

/** Commands that change the config, and tell what has changed in it. */
export const configCommands: readonly CliCommand[] = [
  {
    name: 'config edit',
    section: 'mend',
    words: (language) => configCommandWords[language].edit,
    load: async () => (await import('./edit.ts')).configEdit,
  },
  {
    name: 'config diff',
    section: 'mend',
    words: (language) => configCommandWords[language].diff,
    options: [options.defaults],
    operands: { least: 0, most: 1 },
    hasJson: true,
    load: async () => (await import('./diff.ts')).configDiff,
  },
  {
    name: 'config rollback',
    section: 'mend',
    words: (language) => configCommandWords[language].rollback,
    options: [options.list],
    operands: { least: 0, most: 1 },
    hasJson: true,
    load: async () => (await import('./rollback.ts')).configRollback,
  },
];
