import type { z } from 'zod';
import type { Channel } from '../src/contract.ts';
import { settings as discordSettings } from './discord/settings.ts';
import { settings as slackSettings } from './slack/settings.ts';
import { settings as telegramSettings } from './telegram/settings.ts';
import { settings as terminalSettings } from './terminal/settings.ts';

/** The config under `channels.<name>`, for every channel. Loads no platform library. */
export const channelSettings: Readonly<Record<string, z.ZodType>> = {
  terminal: terminalSettings,
  telegram: telegramSettings,
  slack: slackSettings,
  discord: discordSettings,
};

/** Channels are loaded only when enabled, since platform libraries are heavy. */
export const channelLoaders: Readonly<Record<string, () => Promise<Channel>>> = {
  terminal: async () => (await import('./terminal/index.ts')).terminal,
  telegram: async () => (await import('./telegram/index.ts')).telegram,
  slack: async () => (await import('./slack/index.ts')).slack,
  discord: async () => (await import('./discord/index.ts')).discord,
};
