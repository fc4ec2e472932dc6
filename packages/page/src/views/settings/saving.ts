/* What is about to be written: drawn up by a form, the editor or a former version, looked at, then saved. */

import { signal } from '@preact/signals';
import type {
  CheckWire,
  ConfigTextWire,
  EditedWire,
  EditWire,
  SavedWire,
} from '../../../../../src/features/page/wire/settings.ts';
import { AskError, tell } from '../../lib/ask.ts';
import { toast } from '../../lib/toasts.ts';

/** A text that may become the file. */
export interface Proposal {
  readonly before: ConfigTextWire;
  readonly text: string;
  readonly check: CheckWire;
  /** Of a former version: it is written by its number. */
  readonly version?: number;
}

export type Proposing =
  | { readonly step: 'looking'; readonly proposal: Proposal }
  | { readonly step: 'saving'; readonly proposal: Proposal }
  | { readonly step: 'done'; readonly saved: SavedWire };

/** What is looked at now. */
export const proposing = signal<Proposing | undefined>(undefined);

/** What somebody has written in the editor and not saved. It stays while they look at other things. */
export interface Draft {
  readonly base: ConfigTextWire;
  readonly text: string;
}

export const draft = signal<Draft | undefined>(undefined);

/** Counts up when the file was written here: what was asked of it is old. */
export const writes = signal(0);

/** Shows what these keys would change. */
export async function proposeEdits(edits: readonly EditWire[]): Promise<void> {
  await unlessRefused(async () => {
    const { before, text, check } = await tell<EditedWire>('settings/edit', { edits });
    if (text === null) toast(check.faults.map((fault) => fault.text).join('\n'), 'fault');
    else proposing.value = { step: 'looking', proposal: { before, text, check } };
  });
}

/** Shows what this text would change. */
export async function proposeText(before: ConfigTextWire, text: string): Promise<void> {
  await unlessRefused(async () => {
    const check = await tell<CheckWire>('settings/check', { text });
    proposing.value = { step: 'looking', proposal: { before, text, check } };
  });
}

/** Writes what is looked at. */
export async function saveProposal(proposal: Proposal): Promise<void> {
  proposing.value = { step: 'saving', proposal };
  const { before, text, version } = proposal;
  const { stamp } = before;
  try {
    const saved = await (version === undefined
      ? tell<SavedWire>('settings/save', { text, stamp })
      : tell<SavedWire>('settings/restore', { version, stamp }));
    if (saved.type === 'saved') {
      if (draft.peek()?.text === text) draft.value = undefined;
      writes.value += 1;
    }
    proposing.value = { step: 'done', saved };
  } catch (error) {
    proposing.value = { step: 'looking', proposal };
    sayRefused(error);
  }
}

/** What the daemon does not do is said; the page stays as it is. */
export async function unlessRefused(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    sayRefused(error);
  }
}

function sayRefused(error: unknown): void {
  if (!(error instanceof AskError)) throw error;
  toast(error.message, 'fault');
}
