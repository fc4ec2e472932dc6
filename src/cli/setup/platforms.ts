/* The platforms that a set-up can connect, and their tokens. */

import { join } from 'node:path';
import { ownFolder } from '../../lib/own-version.ts';
import type { Language } from '../../lib/words.ts';
import type { Check } from '../doctor/check.ts';
import { checkDiscord } from '../doctor/platforms/discord.ts';
import { checkSlack } from '../doctor/platforms/slack.ts';
import { checkTelegram } from '../doctor/platforms/telegram.ts';
import { setupWords } from './words.ts';

export interface Platform {
  /** In the config. */
  readonly name: string;
  readonly title: string;
  readonly tokens: readonly PlatformToken[];
  /** Asks the platform whether it takes the tokens, and what would keep it from working. */
  readonly check: Check;
  /** How a person gets the tokens. */
  readonly help: (language: Language) => string;
}

export interface PlatformToken {
  /** In the channel's settings. */
  readonly key: string;
  readonly variable: string;
  /** No token of another kind looks like this. */
  readonly shape: RegExp;
  readonly question: (language: Language) => string;
}

export const platforms: readonly Platform[] = [
  {
    name: 'telegram',
    title: 'Telegram',
    check: checkTelegram,
    help: (language) => setupWords[language].helpTelegram,
    tokens: [
      {
        key: 'token',
        variable: 'TELEGRAM_BOT_TOKEN',
        shape: /^\d+:[\w-]+$/,
        question: (language) => setupWords[language].tokenOfTelegram,
      },
    ],
  },
  {
    name: 'slack',
    title: 'Slack',
    check: checkSlack,
    help: (language) =>
      setupWords[language].helpSlack({ manifest: join(ownFolder(), 'channels', 'slack', 'manifest.json') }),
    tokens: [
      {
        key: 'app_token',
        variable: 'SLACK_APP_TOKEN',
        shape: /^xapp-/,
        question: (language) => setupWords[language].appTokenOfSlack,
      },
      {
        key: 'bot_token',
        variable: 'SLACK_BOT_TOKEN',
        shape: /^xoxb-/,
        question: (language) => setupWords[language].botTokenOfSlack,
      },
    ],
  },
  {
    name: 'discord',
    title: 'Discord',
    check: checkDiscord,
    help: (language) => setupWords[language].helpDiscord,
    tokens: [
      {
        key: 'token',
        variable: 'DISCORD_BOT_TOKEN',
        shape: /^[\w-]{10,}\.[\w-]{3,}\.[\w-]{10,}$/,
        question: (language) => setupWords[language].tokenOfDiscord,
      },
    ],
  },
];
