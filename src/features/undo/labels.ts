/*
 * What comes back bears the label of untrusted content that it had. A label ends when its file does, so a call keeps those
 * that were there when it began; whoever puts its files back gives them again.
 */

import type { Clock } from '../../lib/clock.ts';
import { type FileLabel, type FileLabelStore, labelFor } from '../../tools/file-watch.ts';
import { taintSource } from '../../tools/taint-sources.ts';
import type { KeptLabel } from './file-facts.ts';
import type { PutBack } from './put-back.ts';
import type { KeptCall } from './tables.ts';

/** More are one label for all. */
const mostLabels = 500;

const all = { path: '', source: taintSource('workspaceFiles') } as const;

/** The labels of a workspace, as a call keeps them. */
export function keptLabels(labels: readonly FileLabel[]): readonly KeptLabel[] {
  return labels.length > mostLabels ? [all] : labels.map(({ path, source }) => ({ path, source }));
}

export interface LabelParts {
  readonly clock: Clock;
  readonly labels: Pick<FileLabelStore, 'began' | 'ended'>;
}

/**
 * Puts the files of a call back, and gives them their labels. What a kill leaves unlabelled gets its labels at the next start,
 * as what any call was writing.
 */
export async function labelling(
  { id, workspace, labels, isShared }: KeptCall,
  putBack: () => Promise<PutBack>,
  parts: LabelParts,
): Promise<PutBack> {
  // Something else was writing then: what came from where is not known.
  const kept = isShared ? [...labels, all] : labels;
  if (kept.length === 0) return putBack();
  const sources = [...new Set(kept.map(({ source }) => source))];
  // Of no conversation: none may write such a file again without being asked.
  const watched = { callId: `undo:${id}`, workspace, conversationId: '', sources };
  await parts.labels.began(watched, BigInt(Math.floor(parts.clock.now())) * 1_000_000n);
  const result = await putBack();
  const written = result.done.filter(({ step }) => step === 'write');
  const labelled = await Promise.all(written.map(({ path }) => labelAgain(path, workspace, kept)));
  await parts.labels.ended(watched, { labelled: labelled.filter((label) => label !== undefined), gone: [] });
  return result;
}

async function labelAgain(path: string, workspace: string, kept: readonly KeptLabel[]): Promise<FileLabel | undefined> {
  const own = kept.find((label) => label.path === path) ?? kept.find((label) => label.path === '');
  const label = own && (await labelFor(workspace, path, own.source));
  return label && { ...label, source: own?.path === '' ? label.source : (own?.source ?? label.source) };
}
