/* The text of the config at the desk: read and checked without its secrets, and written whole. */

import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type {
  DeskCheck,
  DeskDifference,
  DeskEdit,
  DeskFault,
  DeskSaved,
  DeskText,
  DeskWish,
  EditedText,
  TakenOver,
} from '../../config/config-desk.ts';
import { ConfigError, type Fault } from '../../config/config-error.ts';
import { findDataFolder } from '../../config/data-folder.ts';
import { differencesOf, isOfNextStart } from '../../config/differences.ts';
import { envFileOf, readEnvironment, secretVariables, substitute } from '../../config/environment.ts';
import {
  markedValue,
  type Shield,
  secretsIn,
  shielded,
  shortestKnown,
  unshielded,
  withoutMarks,
} from '../../config/shielded-text.ts';
import { parseSource, placeFaults } from '../../config/source.ts';
import { takenOver } from '../../config/taken-over.ts';
import { systemClock } from '../../lib/clock.ts';
import { type JsonValue, parseJson } from '../../lib/json.ts';
import { ownFolder } from '../../lib/own-version.ts';
import { type Language, wordsIn } from '../../lib/words.ts';
import { redactor } from '../../tools/guard/redact/redact.ts';
import { type CheckedText, checkText, keepIfGood } from '../commands/config/check-text.ts';
import { type ConfigFile, copyBeside, readConfigFile, replaceConfig } from '../commands/config/config-file.ts';
import { editedConfig } from '../setup/config-text.ts';
import { UnansweredError } from '../unanswered-error.ts';
import type { DeskParts } from './desk-parts.ts';
import { deskWords } from './words.ts';

/** The file as it is: with its secrets, and how they are shielded. */
export interface PresentFile {
  readonly file: ConfigFile;
  /** Undefined: it is not UTF-8. Empty: there is no file. */
  readonly text: string | undefined;
  readonly stamp: string;
  readonly shield: Shield;
  readonly dataFolder: string;
}

export async function presentFile(parts: DeskParts): Promise<PresentFile> {
  const { place, key } = parts;
  const file = await readConfigFile(place);
  const { present, dataFolder } = await findDataFolder(place);
  const text = textIn(file);
  return {
    file,
    text,
    stamp: stampOf(file, key),
    shield: {
      key,
      redact: redactor([...(await knownElsewhere(parts, present)), ...secretsIn(text ?? '')], shortestKnown),
    },
    dataFolder,
  };
}

/** Undefined if the bytes are no text that could be written back as it is. */
function textIn({ bytes = Buffer.from('') }: ConfigFile): string | undefined {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

function stampOf({ bytes }: ConfigFile, key: Uint8Array): string {
  return bytes === undefined ? 'none' : createHmac('sha256', key).update(bytes).digest('hex').slice(0, 32);
}

/** The values of variables that are secret by their names, or that the config uses where secrets stand. */
async function knownElsewhere({ place }: DeskParts, present: JsonValue): Promise<readonly string[]> {
  const folder = dirname(resolve(place.cwd, place.path));
  const read = readEnvironment(folder, place.env, (file) => readFile(file));
  const environment = await read.then((found) => found.environment).catch(() => place.env);
  const variables = Object.values(environment);
  const used = substitute(present, environment, envFileOf(folder)).secrets.filter((one) => variables.includes(one));
  return [...secretVariables(environment), ...used];
}

/** The file, as its owner may see it. */
export async function readText(parts: DeskParts, language: Language): Promise<DeskText> {
  const present = await presentFile(parts);
  return shownText(present, parts, language);
}

export async function shownText(present: PresentFile, parts: DeskParts, language: Language): Promise<DeskText> {
  const { file, text, stamp, shield } = present;
  const shown = text === undefined ? undefined : shielded(text, shield);
  // What can be shown is checked as it is typed.
  const faults =
    shown === undefined ? (await checkAtDesk(file.bytes ?? Buffer.from(''), present, { parts, language })).faults : [];
  return { stamp, text: shown, isThere: file.bytes !== undefined, faults: deskFaults(faults) };
}

/** What would be said of a text of the desk. */
export async function checkDeskText(text: string, parts: DeskParts, language: Language): Promise<DeskCheck> {
  const present = await presentFile(parts);
  const whole = wholeText(text, present, language);
  if ('faults' in whole) return { ...nothingFound, faults: whole.faults };
  return deskCheck(await checkAtDesk(Buffer.from(whole.text), present, { parts, language }), present, whole.text);
}

const nothingFound: DeskCheck = { faults: [], warnings: [], notes: [], differences: [], calls: [] };

function deskCheck(checked: CheckedText, present: PresentFile, text: string): DeskCheck {
  const { faults, warnings, notes, policy } = checked;
  const differences = shownDifferences(present, text);
  return { faults: deskFaults(faults), warnings, notes, differences, calls: policy?.calls ?? [] };
}

/** Which values differ. Of secrets, only that they do. */
export function shownDifferences(
  { text: before = '', shield }: Pick<PresentFile, 'text' | 'shield'>,
  after: string,
): readonly DeskDifference[] {
  const { redact } = shield;
  return differencesOf(markedValue(before, shield) ?? {}, markedValue(after, shield)).map(({ key, old, now }) => ({
    key,
    old: old === undefined ? undefined : withoutMarks(old, redact),
    now: now === undefined ? undefined : withoutMarks(now, redact),
    isLate: isOfNextStart(key),
  }));
}

interface Reading {
  readonly parts: DeskParts;
  readonly language: Language;
}

/** As the command checks it; what is said quotes no secret of the file. */
export async function checkAtDesk(
  bytes: Uint8Array,
  { shield: { redact } }: Pick<PresentFile, 'shield'>,
  { parts: { place, program }, language }: Reading,
): Promise<CheckedText> {
  const { faults, warnings, notes, ...checked } = await checkText(bytes, { place, program, language }, language);
  return {
    ...checked,
    faults: faults.map((fault) => ({ ...fault, key: redact(fault.key), text: redact(fault.text) })),
    warnings: warnings.map(redact),
    notes: notes.map(redact),
  };
}

export function deskFaults(faults: readonly (Omit<Fault, 'text'> & { readonly text: string })[]): readonly DeskFault[] {
  return faults.map(({ line, column, key, text }) => ({ line, column, key, text }));
}

/** The text with its secrets, or why it cannot have them. */
export function wholeText(
  text: string,
  { text: base = '', shield, file }: Pick<PresentFile, 'text' | 'shield' | 'file'>,
  language: Language,
): { readonly text: string } | { readonly faults: readonly DeskFault[] } {
  const whole = unshielded(text, base, shield);
  if (whole.type === 'whole') return whole;
  const findings = whole.paths.map((path) => ({ path, text: deskWords[language].misplacedMark }));
  const placed = placeFaults(parseSource(file.path, text), findings);
  return { faults: deskFaults(placed.map((fault) => ({ ...fault, text: wordsIn(language, fault.text) }))) };
}

/** The text of now with these keys set. */
export async function editedText(
  edits: readonly DeskEdit[],
  parts: DeskParts,
  language: Language,
): Promise<EditedText> {
  const present = await presentFile(parts);
  const before = await shownText(present, parts, language);
  if (before.text === undefined || present.text === undefined)
    return { before, text: undefined, check: { ...nothingFound, faults: before.faults } };
  const text = editedConfig(before.isThere ? present.text : undefined, edits, language);
  const check = deskCheck(await checkAtDesk(Buffer.from(text), present, { parts, language }), present, text);
  return { before, text: shielded(text, present.shield), check };
}

export async function saveText({ text, stamp, ...wish }: DeskWish, parts: DeskParts): Promise<DeskSaved> {
  const { language } = wish;
  const present = await presentFile(parts);
  if (stamp !== present.stamp) return { type: 'conflict', now: await shownText(present, parts, language) };
  const whole = wholeText(text, present, language);
  if ('faults' in whole) return { type: 'faulty', faults: whole.faults };
  return writeWhole(whole.text, present, { wish, parts });
}

interface Writing {
  readonly wish: Pick<DeskWish, 'language' | 'held'>;
  readonly parts: DeskParts;
}

/** Writes a text that has its secrets, once it has been found usable; what stood there is kept. */
export async function writeWhole(text: string, present: PresentFile, { wish, parts }: Writing): Promise<DeskSaved> {
  const { language, held } = wish;
  const { place, program } = parts;
  const checked = await checkAtDesk(Buffer.from(text), present, { parts, language });
  if (checked.faults.length > 0) return { type: 'faulty', faults: deskFaults(checked.faults) };
  try {
    const before = held(language);
    const context = { place, program, language };
    const isKept = await keepIfGood(present.file, present.dataFolder, context);
    const isLost = !isKept && present.file.bytes !== undefined && present.file.bytes.toString() !== text;
    const kept = isLost
      ? await copyBeside(present.file, present.file.bytes ?? Buffer.from(''), systemClock.now())
      : undefined;
    if (!(await replaceConfig(present.file, Buffer.from(text)))) return conflict(parts, language);
    const outcome = await takenOver(checked.config, before, async () => held(language));
    return {
      type: 'saved',
      now: await readText(parts, language),
      differences: shownDifferences(present, text),
      warnings: checked.warnings,
      outcome: outcome === 'none' || outcome === 'unknown' ? { type: 'not-yet' } : saidOutcome(outcome, present),
      kept,
    };
  } catch (error) {
    if (error instanceof UnansweredError) return { type: 'refused', why: error.saidIn(language) };
    if (error instanceof ConfigError) return { type: 'refused', why: error.in(language) };
    throw error;
  }
}

function saidOutcome(outcome: TakenOver, { shield: { redact } }: PresentFile): TakenOver {
  return outcome.type === 'refused' ? { ...outcome, fault: redact(outcome.fault) } : outcome;
}

async function conflict(parts: DeskParts, language: Language): Promise<DeskSaved> {
  return { type: 'conflict', now: await readText(parts, language) };
}

export function configJsonSchema(): JsonValue {
  return parseJson(readFileSync(join(ownFolder(), 'config.schema.json'), 'utf8')) ?? {};
}
