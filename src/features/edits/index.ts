import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import type { Language } from '../../lib/words.ts';
import { configCommand, editCommands } from './commands.ts';
import { createEditStore, editTables } from './tables.ts';

/** Records config edits in the audit, and tells owners what now allows more or less. */
export const edits: FeatureDefinition = {
  name: 'edits',
  commands: editCommands.all,
  tables: editTables,
  make: makeEdits,
};

function makeEdits(core: FeatureCore): Feature {
  const { database, clock, tellOwners, redact } = core;
  const stored = createEditStore(database);
  return {
    commands: configCommand(core, stored),
    async reload({ from, to }) {
      // Loaded only here: most daemons never see an edit.
      const { changesOf } = await import('./changes.ts');
      const changed = changesOf(from, to).map((edit) => {
        return { ...edit, words: (language: Language) => redact(edit.words(language)) };
      });
      if (changed.length === 0) return;
      // Shown newest first, so the most important is added last.
      await stored.add(changed.toReversed(), clock.now());
    },
    // What was wanted is stored at once; owners are told what has become of it.
    async edited(change, faults) {
      const { noticeOf } = await import('./notice.ts');
      const words = await noticeOf(change, faults, core);
      if (words !== undefined) tellOwners(words);
    },
  };
}
