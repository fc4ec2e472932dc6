/*
 * What undoing a call would do now. Each file is compared with what it was before the call and after it: only a person who
 * was shown that somebody else has changed it may undo that, too. The token stands for all that was shown.
 */

import { hash } from 'node:crypto';
import type { SurveyedFile } from '../../tools/guard/workspace/survey.ts';
import type { Workspace } from '../../tools/guard/workspace/workspace.ts';
import { type Copies, digestOf } from './copies.ts';
import { type FileChange, type FileFacts, isSameFile, type NoCopy } from './file-facts.ts';
import { largestCopy } from './stock.ts';

/** Why a file cannot be brought back: see `NoCopy`; or the copy is gone, or it is no file, or a folder is in the way. */
export type Impossible = NoCopy | 'gone' | 'kind' | 'in-the-way';

/** A file, and what undoing would do with it. */
export interface PlannedFile extends FileChange {
  readonly now: FileFacts | undefined;
  /** `none`: it is already as it was. */
  readonly step: 'none' | 'write' | 'remove' | 'impossible';
  readonly why?: Impossible | undefined;
  /** Somebody else has changed it since. */
  readonly isChangedSince: boolean;
  /** What is there now is not kept if it is replaced. */
  readonly isLost: boolean;
  /** For the diff, if both are small: what is there now, and what would be. */
  readonly contents?: { readonly now: Buffer; readonly former: Buffer } | undefined;
}

export interface UndoPlan {
  readonly files: readonly PlannedFile[];
  /** Stands for the files as they are now. */
  readonly token: string;
  /** The token that was given for the files as the call left them. */
  readonly firstToken: string;
}

interface PlanParts {
  readonly folder: Workspace;
  readonly copies: Copies;
}

/** How many files are held in memory at once, and how many of them are shown. */
const atOnce = 8;
const mostShown = 20;

/** In bytes. */
const largestShown = 200_000;

export async function planUndo(changes: readonly FileChange[], parts: PlanParts): Promise<UndoPlan> {
  const files: PlannedFile[] = [];
  for (let start = 0; start < changes.length; start += atOnce) {
    const some = changes.slice(start, start + atOnce);
    const found = await parts.folder.look(
      some.map(({ path }) => path),
      largestCopy,
    );
    const planned = some.map((change, index) => planFile(change, found[index], files.length < mostShown, parts));
    files.push(...(await Promise.all(planned)));
  }
  const made = new Set(changes.filter(({ before }) => before === undefined).map(({ path }) => path));
  const final = files.map((file) => withoutObstacle(file, made));
  return {
    files: final,
    token: tokenOf(final, ({ now }) => now),
    firstToken: tokenOf(final, ({ after }) => after),
  };
}

async function planFile(
  change: FileChange,
  found: SurveyedFile | undefined,
  isShown: boolean,
  { copies }: PlanParts,
): Promise<PlannedFile> {
  const now = found && nowOf(found);
  const copy = change.before?.digest === undefined ? undefined : await copies.read(change.before.digest);
  const { step, why } = stepOf(change, now, copy !== undefined);
  const isChangedSince = step !== 'none' && !isSameFile(now, change.after);
  const isLost = (step === 'write' || step === 'remove') && now?.type === 'file' && now.digest === undefined;
  const there = now === undefined ? Buffer.alloc(0) : found?.content;
  const former = step === 'remove' ? Buffer.alloc(0) : copy;
  const isSmall =
    isShown && now?.type !== 'directory' && [there, former].every((each) => (each?.length ?? 0) <= largestShown);
  const contents = isSmall && there !== undefined && former !== undefined ? { now: there, former } : undefined;
  return { ...change, now, step, why, isChangedSince, isLost, contents };
}

function nowOf({ state: { type, size, mode, stamp }, content }: SurveyedFile): FileFacts {
  return { type, size, mode, stamp, isSettled: false, digest: content && digestOf(content) };
}

function stepOf(
  { before }: FileChange,
  now: FileFacts | undefined,
  hasCopy: boolean,
): Pick<PlannedFile, 'step' | 'why'> {
  if (isSameFile(now, before)) return { step: 'none' };
  if (now?.type === 'link' || now?.type === 'other') return { step: 'impossible', why: 'kind' };
  if (before === undefined) return { step: 'remove' };
  // Folders come back with their files.
  if (before.type === 'directory') return now === undefined ? { step: 'none' } : { step: 'remove' };
  if (before.type !== 'file') return { step: 'impossible', why: 'kind' };
  if (!hasCopy) return { step: 'impossible', why: before.lacks ?? 'gone' };
  return { step: 'write' };
}

/** A folder that stays is in the way of a file. */
function withoutObstacle(file: PlannedFile, made: ReadonlySet<string>): PlannedFile {
  if (file.step !== 'write' || file.now?.type !== 'directory') return file;
  return file.after?.type === 'directory' || made.has(file.path)
    ? file
    : { ...file, step: 'impossible', why: 'in-the-way' };
}

function tokenOf(files: readonly PlannedFile[], stateOf: (file: PlannedFile) => FileFacts | undefined): string {
  const states = files.map((file) => {
    const state = stateOf(file);
    return [file.path, state?.type, state?.digest ?? state?.stamp, state?.mode];
  });
  return hash('sha256', JSON.stringify(states), 'hex').slice(0, 8);
}

/**
 * Whether a person who was given this token was shown what undoing would do now. Files that are already as they were do not
 * matter: the process may have been killed while it brought them back.
 */
export function isShownState({ token, firstToken, files }: UndoPlan, given: string): boolean {
  if (given === token) return true;
  return given === firstToken && files.every(({ isChangedSince }) => !isChangedSince);
}
