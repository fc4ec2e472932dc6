/*
 * Makes the pictures of README from a real run: the daemon as a process of its own, a model and a Telegram on loopback.
 * What is drawn is what was sent: texts, their formatting, and buttons. Needs chromium on the PATH.
 * `node scripts/run.js scripts/pictures.ts [FOLDER]`
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { languages } from '../src/lib/words.ts';
import { chatPage } from './pictures/chat-page.ts';
import { photograph } from './pictures/photograph.ts';
import { recordingOf } from './pictures/recording.ts';
import { playScenes } from './pictures/scenes.ts';
import { themes } from './pictures/sheet.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '../docs/pictures');
mkdirSync(folder, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'keyturn-pictures-'));
try {
  for (const language of languages) {
    const { chat, kill } = await playScenes(language);
    for (const theme of themes) {
      const page = join(scratch, `${language}-${theme}.html`);
      writeFileSync(page, chatPage(chat, theme));
      photograph({ page, picture: join(folder, `chat-${language}-${theme}.png`), width: 440, scale: 2 });
      writeFileSync(join(folder, `kill-${language}-${theme}.svg`), recordingOf(kill, theme));
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
