/*
 * Makes the pictures of the page that README shows, from real runs: the daemon as a process of its own, a model and a Telegram on
 * loopback, and a browser. Needs chromium, and Noto fonts.
 * `node scripts/run.js scripts/page-pictures.ts [FOLDER]`
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { languages } from '../src/lib/words.ts';
import { photographPage } from './pictures/page-scenes.ts';

const folder = process.argv[2] ?? join(import.meta.dirname, '../docs/pictures');
mkdirSync(folder, { recursive: true });
for (const language of languages) await photographPage(language, folder);
