/* Going back to a former config at the desk, as `config rollback` does: the text that is there gets the values of the version. */

import type { DeskSaved, DeskVersion, DeskWish, VersionText } from '../../config/config-desk.ts';
import { ConfigError } from '../../config/config-error.ts';
import { findDataFolder } from '../../config/data-folder.ts';
import { differencesOf } from '../../config/differences.ts';
import { completed, type KeptVersion, keptVersions } from '../../config/last-good.ts';
import { shielded } from '../../config/shielded-text.ts';
import type { Language } from '../../lib/words.ts';
import { turnedInto } from '../commands/config/turned-into.ts';
import { writtenValue } from '../commands/config/versions.ts';
import {
  checkAtDesk,
  deskFaults,
  type PresentFile,
  presentFile,
  shownDifferences,
  shownText,
  writeWhole,
} from './desk-file.ts';
import type { DeskParts } from './desk-parts.ts';
import { deskWords } from './words.ts';

/** The versions that one can go back to, and what differs in them from the file as it is. */
export async function listVersions(parts: DeskParts): Promise<readonly DeskVersion[]> {
  const { text } = await presentFile(parts);
  const now = text === undefined ? undefined : writtenValue(text);
  const versions = await keptVersions(parts.place);
  return versions.map(({ number, keptAt, text: kept }) => {
    const differences = now === undefined ? undefined : differencesOf(now, writtenValue(kept));
    return { number, keptAt, differs: differences?.map(({ key }) => key) };
  });
}

/** What the file would be: whole, with its secrets. */
interface WantedText {
  readonly present: PresentFile;
  readonly text: string;
  readonly lacking: readonly string[];
}

async function wantedText(number: number, parts: DeskParts): Promise<WantedText | undefined> {
  const version = await versionAt(number, parts);
  if (version === undefined) return undefined;
  const present = await presentFile(parts);
  const { present: value } = await findDataFolder(parts.place);
  const { text, lacking } = completed(version, value);
  return { present, text: turnedInto(present.text ?? '', text), lacking };
}

async function versionAt(number: number, { place }: DeskParts): Promise<KeptVersion | undefined> {
  return (await keptVersions(place)).find((version) => version.number === number);
}

export async function versionText(
  number: number,
  parts: DeskParts,
  language: Language,
): Promise<VersionText | undefined> {
  const wanted = await wantedText(number, parts);
  if (wanted === undefined) return undefined;
  const { present, text, lacking } = wanted;
  const { faults } = await checkAtDesk(Buffer.from(text), present, { parts, language });
  return {
    before: await shownText(present, parts, language),
    text: lacking.length > 0 ? undefined : shielded(text, present.shield),
    lacking,
    faults: lacking.length > 0 ? [] : deskFaults(faults),
    differences: shownDifferences(present, text),
  };
}

/** Undefined: there is no such version. */
export async function restoreVersion(
  number: number,
  { stamp, ...wish }: Omit<DeskWish, 'text'>,
  parts: DeskParts,
): Promise<DeskSaved | undefined> {
  const wanted = await wantedText(number, parts);
  if (wanted === undefined) return undefined;
  const { present, text, lacking } = wanted;
  const { language } = wish;
  if (present.stamp !== stamp) return { type: 'conflict', now: await shownText(present, parts, language) };
  if (lacking.length > 0) return { type: 'refused', why: deskWords[language].lacksSecrets({ keys: lacking }) };
  try {
    return await writeWhole(text, present, { wish, parts });
  } catch (error) {
    if (error instanceof ConfigError) return { type: 'refused', why: error.in(language) };
    throw error;
  }
}
