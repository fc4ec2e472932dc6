import { readText } from '../../lib/charset/text-charset.ts';
import { folded } from '../../lib/folds.ts';
import { fenced, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Reader } from '../../lib/time-words.ts';
import { formatSize } from '../../tools/text.ts';
import { type ListAnswer, leadingButton } from '../../words/command-buttons.ts';
import { lineDiff } from './line-diff.ts';
import type { PlannedFile, UndoPlan } from './plan.ts';
import type { KeptCall } from './tables.ts';
import { undoWords } from './words.ts';

/** What is asked before a call is undone: everything that decides stands before the fold. */
export interface UndoCard {
  readonly call: KeptCall;
  readonly plan: UndoPlan;
  /** What was done later, and cannot be undone. As markdown. */
  readonly later: readonly string[];
  /** Stands above it. */
  readonly note?: string | undefined;
}

/** Lines of the diff that are shown, and those that are folded. */
const mostLines = 20;
const mostFolded = 150;

/** How many paths are named at a place. */
const mostNamed = 8;

type UndoWords = (typeof undoWords)['en'];

export function undoCard({ call, plan, later, note }: UndoCard, reader: Reader): string {
  const words = undoWords[reader.language];
  const { what, isOutside, isShared, beganAt: at } = call;
  const files = plan.files.filter(({ step }) => step === 'write' || step === 'remove');
  const stays = plan.files.filter(({ step }) => step === 'impossible');
  const lines = files.flatMap((file) => diffOf(file, words));
  const shown = lines.length <= mostLines ? lines : lines.slice(0, mostLines - 1);
  const left = lines.length - shown.length;
  const all = left > 0 ? diffBlock(cut(lines, mostFolded, words)) : [];
  return [
    ...(note === undefined ? [] : [note]),
    words.question({ what, at, reader }),
    [
      ...files.slice(0, mostNamed).map((file) => stepWords(file, words)),
      ...(files.length > mostNamed ? [words.more(files.length - mostNamed)] : []),
    ].join('\n'),
    ...named(
      files.filter(({ isChangedSince }) => isChangedSince),
      words.changedSince,
    ),
    ...named(
      files.filter(({ isLost }) => isLost),
      words.lost,
    ),
    ...diffBlock(left > 0 ? [...shown, words.moreLines(left)] : shown),
    ...stays.slice(0, mostNamed).map(({ path, why = 'gone' }) => words.stays({ path, why })),
    ...(stays.length > mostNamed ? [words.staysMore(stays.length - mostNamed)] : []),
    ...(isShared ? [words.shared] : []),
    ...(isOutside ? [words.outside] : []),
    ...(later.length > 0 ? [words.laterStays(later)] : []),
    ...(all.length > 0 ? [folded(words.details, all.join('\n\n'))] : []),
  ].join('\n\n');
}

export function undoButtons({ call: { id }, plan }: UndoCard, { language }: Reader): ListAnswer['rows'] {
  const { buttonUndo, buttonKeep } = undoWords[language];
  return [
    [leadingButton(buttonUndo, `undo ${id} ${plan.token}`, 'danger'), leadingButton(buttonKeep, `undo ${id} keep`)],
  ];
}

function stepWords({ path, step, now }: PlannedFile, words: UndoWords): string {
  if (step === 'remove') return words.goesAway(path);
  return now === undefined ? words.comesBack(path) : words.asBefore(path);
}

function named(
  files: readonly PlannedFile[],
  say: (named: { readonly paths: readonly string[]; readonly more: number }) => string,
): readonly string[] {
  if (files.length === 0) return [];
  const paths = files.slice(0, mostNamed).map(({ path }) => path);
  return [say({ paths, more: files.length - paths.length })];
}

function diffBlock(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [fenced(lines.join('\n').toWellFormed(), 'diff')];
}

function cut(lines: readonly string[], most: number, words: UndoWords): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most), words.moreLines(lines.length - most)];
}

/** From what is there now to what would be. */
function diffOf({ path, contents }: PlannedFile, words: UndoWords): readonly string[] {
  if (contents === undefined) return [];
  const name = `--- ${oneLine(path, 100)}`;
  const [now, former] = [textOf(contents.now), textOf(contents.former)];
  if (now !== undefined && former !== undefined) return [name, ...lineDiff(now, former)];
  const sizes = { now: formatSize(contents.now.length), former: formatSize(contents.former.length) };
  return [name, words.binary(sizes)];
}

function textOf(bytes: Buffer): string | undefined {
  return bytes.length === 0 ? '' : readText(bytes)?.text;
}

/** Names that tell a person which call is meant. */
export function shownId(id: string): string {
  return inlineCode(oneLine(id, 20));
}
