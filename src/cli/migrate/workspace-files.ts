import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoundMemory, FoundText } from './findings.ts';
import { type Gathering, modelTextOf, shortName } from './gathering.ts';
import { entriesOf } from './memory-entries.ts';
import { migrateWords } from './words.ts';

/** More than this is read before each answer, and is not what somebody wrote by hand. In characters. */
const mostInstructions = 12_000;

/** Files for the model, in this order. What tells it of the other program's own files is left. */
export async function instructionsIn(
  folder: string,
  names: readonly string[],
  gathered: Gathering,
): Promise<readonly FoundText[]> {
  const found: FoundText[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const text = (await modelTextOf(folder, name, gathered))?.trim() ?? '';
    const [file, size] = [shortName(path, gathered), text.length];
    if (text === '') continue;
    if (machinery.test(text))
      gathered.left.push({ what: name, file, why: (language) => migrateWords[language].aboutFormer });
    else if (size > mostInstructions)
      gathered.left.push({
        what: name,
        file,
        why: (language) => migrateWords[language].longText({ size, most: mostInstructions }),
      });
    else found.push({ file, text });
  }
  return found;
}

/** Names of files and commands that these programs have, and Keyturn has not. */
const machinery =
  /HEARTBEAT(?:\.md|_OK)|BOOTSTRAP\.md|memory\/YYYY|(?:read|update|edit)[^.\n]{0,40}\b(?:SOUL|USER|MEMORY|IDENTITY)\.md|\b(?:openclaw|clawdbot|nanobot|hermes|zeroclaw|zeptoclaw) (?:cron|memory|gateway|agent|config)\b/i;

/** The entries of Markdown files, tagged with the file's name. */
export async function memoriesIn(
  folder: string,
  names: readonly string[],
  gathered: Gathering,
): Promise<readonly FoundMemory[]> {
  const found: FoundMemory[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const text = await modelTextOf(folder, name, gathered);
    if (text !== undefined) found.push(...entriesOf(text, shortName(path, gathered), []));
  }
  return found;
}

/** Names what is there and has no place: skills by their folders, notes of days by their number. */
export async function leaveFolders(
  places: readonly (readonly [folder: string, kind: 'skills' | 'days' | 'sessions'])[],
  gathered: Gathering,
): Promise<void> {
  for (const [folder, kind] of places) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => fits(kind, entry.name, entry.isDirectory())).map(({ name }) => name);
    if (names.length === 0) continue;
    const file = shortName(folder, gathered);
    const shown = kind === 'skills' ? names.slice(0, 8).join(', ') : String(names.length);
    const more = kind === 'skills' && names.length > 8 ? ` +${names.length - 8}` : '';
    gathered.left.push({ what: `${file}: ${shown}${more}`, file, why: (language) => migrateWords[language][kind] });
  }
}

function fits(kind: 'skills' | 'days' | 'sessions', name: string, isFolder: boolean): boolean {
  if (name.startsWith('.')) return false;
  if (kind === 'skills') return isFolder;
  return kind === 'sessions' || /^\d{4}-\d\d-\d\d.*\.md$/.test(name);
}
