import type { CliCommand, CliOption } from './command.ts';
import { configCommands } from './config/index.ts';
import { dataCommands } from './data/index.ts';
import { demoCommands } from './demo/index.ts';
import { linesOption } from './lines-option.ts';
import { logLevelCommands } from './log-level/index.ts';
import { migrateCommands } from './migrate/index.ts';
import { reportCommands } from './report/index.ts';
import { serviceCommands } from './service/index.ts';
import { setupCommands } from './setup/index.ts';
import { talkCommands } from './talk/index.ts';
import { updateCommands } from './update/index.ts';
import { webCommands } from './web/index.ts';
import { commandListWords } from './words.ts';

const options = {
  strict: { name: 'strict', words: (language) => commandListWords[language].options.strict },
  lastGood: { name: 'last-good', words: (language) => commandListWords[language].options.lastGood },
  limit: { name: 'limit', takes: 'N', words: (language) => commandListWords[language].options.limit },
  days: { name: 'days', takes: 'N', words: (language) => commandListWords[language].options.days },
  follow: { name: 'follow', short: 'f', words: (language) => commandListWords[language].options.follow },
  level: { name: 'level', takes: 'LEVEL', words: (language) => commandListWords[language].options.level },
  chat: { name: 'chat', takes: 'ID', words: (language) => commandListWords[language].options.chat },
  person: { name: 'person', takes: 'ID', words: (language) => commandListWords[language].options.person },
} as const satisfies Readonly<Record<string, CliOption>>;

/** All commands of the program, in the order of its help. The first one, without a name, starts it. */
export const commands: readonly CliCommand[] = [
  {
    name: '',
    section: 'see',
    words: (language) => commandListWords[language].start,
    options: [options.strict, options.lastGood],
    load: async () => (await import('./start.ts')).start,
  },
  {
    name: 'status',
    section: 'see',
    words: (language) => commandListWords[language].status,
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/status.ts')).status,
  },
  {
    name: 'runs',
    section: 'see',
    words: (language) => commandListWords[language].runs,
    options: [options.limit, options.chat],
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/runs.ts')).runs,
  },
  {
    name: 'runs show',
    section: 'see',
    words: (language) => commandListWords[language].runsShow,
    operands: { least: 1, most: 1 },
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/runs-show.ts')).runsShow,
  },
  {
    name: 'usage',
    section: 'see',
    words: (language) => commandListWords[language].usage,
    options: [options.days, options.person],
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/usage.ts')).usage,
  },
  {
    name: 'logs',
    section: 'see',
    words: (language) => commandListWords[language].logs,
    options: [linesOption, options.level, options.follow],
    isLight: true,
    load: async () => (await import('./see/logs.ts')).logs,
  },
  {
    name: 'people',
    section: 'see',
    words: (language) => commandListWords[language].people,
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/people.ts')).people,
  },
  {
    name: 'devices',
    section: 'see',
    words: (language) => commandListWords[language].devices,
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/people.ts')).devices,
  },
  {
    name: 'tools',
    section: 'see',
    words: (language) => commandListWords[language].tools,
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/tools.ts')).tools,
  },
  {
    name: 'approvals',
    section: 'decide',
    words: (language) => commandListWords[language].approvals,
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/approvals.ts')).approvals,
  },
  {
    name: 'approvals approve',
    section: 'decide',
    words: (language) => commandListWords[language].approvalsApprove,
    operands: { least: 1, most: 1 },
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/approvals.ts')).approve,
  },
  {
    name: 'approvals deny',
    section: 'decide',
    words: (language) => commandListWords[language].approvalsDeny,
    operands: { least: 1, most: 200 },
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/approvals.ts')).deny,
  },
  {
    name: 'grants',
    section: 'decide',
    words: (language) => commandListWords[language].grants,
    hasJson: true,
    isLight: true,
    load: async () => (await import('./see/grants.ts')).grants,
  },
  ...setupCommands,
  {
    name: 'config check',
    section: 'mend',
    words: (language) => commandListWords[language].configCheck,
    operands: { least: 0, most: 1 },
    hasJson: true,
    load: async () => (await import('./config-check.ts')).configCheck,
  },
  {
    name: 'config schema',
    section: 'mend',
    words: (language) => commandListWords[language].configSchema,
    isLight: true,
    load: async () => (await import('./config-schema.ts')).configSchema,
  },
  ...configCommands,
  {
    name: 'doctor',
    section: 'mend',
    words: (language) => commandListWords[language].doctor,
    hasJson: true,
    load: async () => (await import('./doctor.ts')).doctor,
  },
  ...talkCommands,
  ...webCommands,
  ...demoCommands,
  ...dataCommands,
  ...logLevelCommands,
  ...migrateCommands,
  ...serviceCommands,
  ...updateCommands,
  {
    name: 'doctor model',
    section: 'mend',
    words: (language) => commandListWords[language].doctorModel,
    options: [{ name: 'quick', words: (language) => commandListWords[language].options.quick }],
    operands: { least: 0, most: 1 },
    hasJson: true,
    load: async () => (await import('./doctor-model.ts')).doctorModel,
  },
  ...reportCommands,
  {
    name: 'completion',
    section: 'keep',
    words: (language) => commandListWords[language].completion,
    operands: { least: 1, most: 1 },
    isLight: true,
    load: async () => (await import('./completion.ts')).completion,
  },
];
