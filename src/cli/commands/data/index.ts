import type { CliCommand, CliOption } from '../command.ts';
import { dataCommandWords } from './words.ts';

const options = {
  withSecrets: { name: 'with-secrets', words: (language) => dataCommandWords[language].options.withSecrets },
  force: { name: 'force', words: (language) => dataCommandWords[language].options.force },
  yes: { name: 'yes', words: (language) => dataCommandWords[language].options.yes },
  since: { name: 'since', takes: 'TIME', words: (language) => dataCommandWords[language].options.since },
  person: { name: 'person', takes: 'ID', words: (language) => dataCommandWords[language].options.person },
  tool: { name: 'tool', takes: 'NAME', words: (language) => dataCommandWords[language].options.tool },
  last: { name: 'last', takes: 'N', words: (language) => dataCommandWords[language].options.last },
  whole: { name: 'whole', words: (language) => dataCommandWords[language].options.whole },
  contains: { name: 'contains', takes: 'HASH', words: (language) => dataCommandWords[language].options.contains },
} as const satisfies Readonly<Record<string, CliOption>>;

/** Commands that keep the data, and prove what was done. */
export const dataCommands: readonly CliCommand[] = [
  {
    name: 'audit',
    section: 'see',
    words: (language) => dataCommandWords[language].audit,
    options: [options.since, options.person, options.tool, options.last, options.whole],
    hasJson: true,
    load: async () => (await import('./audit-commands.ts')).audit,
  },
  {
    name: 'audit verify',
    section: 'see',
    words: (language) => dataCommandWords[language].auditVerify,
    options: [options.contains],
    hasJson: true,
    load: async () => (await import('./audit-commands.ts')).auditVerify,
  },
  {
    name: 'backup',
    section: 'keep',
    words: (language) => dataCommandWords[language].backup,
    options: [options.withSecrets, options.force],
    operands: { least: 0, most: 1 },
    hasJson: true,
    load: async () => (await import('./backup-commands.ts')).backup,
  },
  {
    name: 'restore',
    section: 'keep',
    words: (language) => dataCommandWords[language].restore,
    operands: { least: 1, most: 1 },
    hasJson: true,
    load: async () => (await import('./backup-commands.ts')).restore,
  },
  {
    name: 'verify',
    section: 'keep',
    words: (language) => dataCommandWords[language].verify,
    operands: { least: 0, most: 1 },
    hasJson: true,
    load: async () => (await import('./backup-commands.ts')).verify,
  },
  {
    name: 'export',
    section: 'keep',
    words: (language) => dataCommandWords[language].exportPerson,
    operands: { least: 1, most: 2 },
    hasJson: true,
    load: async () => (await import('./export-command.ts')).exportPerson,
  },
  {
    name: 'forget',
    section: 'keep',
    words: (language) => dataCommandWords[language].forget,
    options: [options.yes],
    operands: { least: 1, most: 1 },
    hasJson: true,
    load: async () => (await import('./forget-command.ts')).forget,
  },
];
