/*
 * Makes the pictures of README from a real run: the daemon as a process of its own, a model and a Telegram on loopback.
 * What is drawn is what was sent: texts, their formatting, and buttons. Needs chromium on the PATH.
 * `node scripts/run.js scripts/pictures.ts [FOLDER]`
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { languages } from '../src/lib/words.ts';
import { chatPage } from './pictures/chat-page.ts';
import { recordingOf } from './pictures/recording.ts';
import { playScenes } from './pictures/scenes.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '../docs/pictures');
mkdirSync(folder, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'keyturn-pictures-'));
try {
  for (const language of languages) {
    const { chat, kill } = await playScenes(language);
    for (const theme of ['light', 'dark'] as const) {
      const page = join(scratch, `${language}-${theme}.html`);
      writeFileSync(page, chatPage(chat, theme));
      photograph(page, join(folder, `chat-${language}-${theme}.png`));
      writeFileSync(join(folder, `kill-${language}-${theme}.svg`), recordingOf(kill, theme));
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function photograph(page: string, picture: string): void {
  const width = 440;
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'];
  const run = (...more: readonly string[]): string =>
    execFileSync('chromium', [...flags, ...more, `file://${page}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const [, height = '800'] = /<title>(\d+)/.exec(run(`--window-size=${width},2000`, '--dump-dom')) ?? [];
  run(`--window-size=${width},${height}`, '--force-device-scale-factor=2', `--screenshot=${picture}`);
}
