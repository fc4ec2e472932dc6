import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlainValues } from '../lib/catalogue-values.ts';
import { type CatalogueEntry, entriesIn } from '../support/catalogue-entries.ts';

/*
 * One file for reviewers: all that commands say, in both languages, each sentence with values of all kinds. Delete it and
 * run this test to write it anew.
 */
const reviewed = join(import.meta.dirname, 'command-answers.md');
const root = join(import.meta.dirname, '../..');
const folders = [
  'src/conversation/commands/**/words.ts',
  'src/extension-kit/{,trust/}words.ts',
  'src/features/*/words.ts',
];
const files = globSync(folders, { cwd: root }).toSorted();

const named: PlainValues = { texts: (name) => [`‹${name}›`], numbers: [2, 1] };

function shown(entry: CatalogueEntry, language: string): string {
  const said = entry.said(language, named).map(({ key, text }) => (key === undefined ? `${text}` : `${key}: ${text}`));
  return [...new Set(said)].map((words) => words.replaceAll(/^/gm, '> ')).join('\n>\n');
}

test('what commands say is in the reviewed file, in both languages', async () => {
  const chapters = await Promise.all(
    files.map(async (file) => {
      const entries = await entriesIn(file);
      const sentences = entries.map((entry) => `**${entry.key}**\n\n${shown(entry, 'en')}\n\n${shown(entry, 'zh')}`);
      return [`## ${file}`, ...sentences].join('\n\n');
    }),
  );
  const text = `# What commands say\n\nWritten by \`command-answers.test.ts\`; ‹values› stand for what is put in.\n\n${chapters.join('\n\n')}\n`;
  await expect(text).toMatchFileSnapshot(reviewed);
});
