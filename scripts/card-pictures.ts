/*
 * Makes a sheet with a picture of every card, for each platform, language and theme, from real runs: the daemon as a process of its
 * own, a model and the platforms on loopback, or a pseudo-terminal. What is drawn is what was sent; a form that is not known
 * here is an error. Needs chromium on the PATH, and Noto fonts.
 * `node scripts/run.js scripts/card-pictures.ts [FOLDER] [PLATFORM]...`
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Language, languages } from '../src/lib/words.ts';
import { lacking, type Platform, platforms, playCards, type Stage } from './pictures/card-scenes.ts';
import { telegramStyles } from './pictures/chat-page.ts';
import { discordStage } from './pictures/discord-chat.ts';
import { discordStyles } from './pictures/discord-page.ts';
import { photograph } from './pictures/photograph.ts';
import { type Look, sheetPage, type Theme, themes, widthOfSheet } from './pictures/sheet.ts';
import { slackStage } from './pictures/slack-chat.ts';
import { slackStyles } from './pictures/slack-page.ts';
import { telegramStage } from './pictures/telegram-chat.ts';
import { terminalStyles } from './pictures/terminal-page.ts';
import { terminalStage } from './pictures/terminal-seat.ts';

const stages: Readonly<Record<Platform, (language: Language) => Promise<Stage>>> = {
  telegram: telegramStage,
  slack: slackStage,
  discord: discordStage,
  terminal: terminalStage,
};

const [, , folder = join(import.meta.dirname, '../docs/pictures'), ...wanted] = process.argv;
mkdirSync(folder, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'keyturn-cards-'));
try {
  for (const platform of platforms.filter((one) => wanted.length === 0 || wanted.includes(one)))
    for (const language of languages) await drawCards(platform, language);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function drawCards(platform: Platform, language: Language): Promise<void> {
  await using stage = await stages[platform](language);
  const pictures = await playCards(stage, language);
  for (const theme of themes) {
    const look = lookOf(platform, language, theme);
    const name = `cards-${platform}-${language}-${theme}`;
    const page = join(scratch, `${name}.html`);
    writeFileSync(page, sheetPage(pictures, look));
    photograph({ page, picture: join(folder, `${name}.png`), width: widthOfSheet(look), scale: 1 });
  }
}

function lookOf(platform: Platform, language: Language, theme: Theme): Look {
  const shared = { platform, lacking: lacking[language] };
  switch (platform) {
    case 'telegram':
      return { ...shared, styles: telegramStyles(theme), width: 400, columns: 3 };
    case 'slack':
      return { ...shared, styles: slackStyles(theme), width: 560, columns: 2 };
    case 'discord':
      return { ...shared, styles: discordStyles(theme), width: 560, columns: 2 };
    case 'terminal':
      return { ...shared, styles: terminalStyles(theme), width: 604, columns: 2 };
  }
}
