import type { CliCommand, CliOption } from '../command.ts';
import { setupCommandWords } from './words.ts';

const options = {
  yes: { name: 'yes', words: (language) => setupCommandWords[language].options.yes },
  model: { name: 'model', takes: 'NAME', words: (language) => setupCommandWords[language].options.model },
  baseUrl: { name: 'base-url', takes: 'URL', words: (language) => setupCommandWords[language].options.baseUrl },
  channel: { name: 'channel', takes: 'NAME', words: (language) => setupCommandWords[language].options.channel },
  tokenFile: { name: 'token-file', takes: 'FILE', words: (language) => setupCommandWords[language].options.tokenFile },
} as const satisfies Readonly<Record<string, CliOption>>;

/** Sets Keyturn up. */
export const setupCommands: readonly CliCommand[] = [
  {
    name: 'setup',
    section: 'mend',
    words: (language) => setupCommandWords[language].setup,
    options: [options.yes, options.model, options.baseUrl, options.channel, options.tokenFile],
    hasJson: true,
    load: async () => (await import('./setup.ts')).setup,
  },
];
