/* What is known at the desk, as the page is told it. */

import type {
  DeskCheck,
  DeskDifference,
  DeskDraft,
  DeskEdit,
  DeskFault,
  DeskSaved,
  DeskText,
  EditedText,
  VersionText,
} from '../../../config/config-desk.ts';
import type {
  CheckWire,
  ConfigTextWire,
  DifferenceWire,
  DraftWire,
  EditedWire,
  EditWire,
  FaultWire,
  SavedWire,
  VersionTextWire,
} from '../wire/settings.ts';

export function shownText({ stamp, text, isThere, faults }: DeskText): ConfigTextWire {
  return { stamp, text: text ?? null, isThere, faults: faults.map(shownFault) };
}

function shownFault({ line, column, key, text }: DeskFault): FaultWire {
  return { line: line ?? null, column: column ?? null, key, text };
}

export function shownCheck({ faults, warnings, notes, differences, calls }: DeskCheck): CheckWire {
  return { faults: faults.map(shownFault), warnings, notes, differences: differences.map(shownDifference), calls };
}

function shownDifference({ key, old = null, now = null, isLate }: DeskDifference): DifferenceWire {
  return { key, old, now, isLate };
}

export function shownEdited({ before, text, check }: EditedText): EditedWire {
  return { before: shownText(before), text: text ?? null, check: shownCheck(check) };
}

export function shownVersion({ before, text, lacking, faults, differences }: VersionText): VersionTextWire {
  return {
    before: shownText(before),
    text: text ?? null,
    lacking,
    faults: faults.map(shownFault),
    differences: differences.map(shownDifference),
  };
}

export function shownSaved(saved: DeskSaved): SavedWire {
  switch (saved.type) {
    case 'saved': {
      const { type, now, differences, warnings, outcome, kept = null } = saved;
      return { type, now: shownText(now), differences: differences.map(shownDifference), warnings, outcome, kept };
    }
    case 'conflict':
      return { type: 'conflict', now: shownText(saved.now) };
    case 'faulty':
      return { type: 'faulty', faults: saved.faults.map(shownFault) };
    case 'refused':
      return saved;
  }
}

export function shownDraft({ edits, variables }: DeskDraft): DraftWire {
  return { edits: edits.map(shownEdit), variables };
}

function shownEdit({ path, value }: DeskEdit): EditWire {
  return value === undefined ? { path } : { path, value };
}
