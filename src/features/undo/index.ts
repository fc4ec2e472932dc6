import { join } from 'node:path';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { obeyedUndoCommands, undoCommands } from './commands.ts';
import { createCopies } from './copies.ts';
import { createKeeper } from './keeper.ts';
import { undoSettings } from './settings.ts';
import { createUndoStore, undoTables } from './tables.ts';

/** Copies of files from before a call changed them, and `/undo`, which puts them back. */
export const undo: FeatureDefinition = {
  name: 'undo',
  commands: undoCommands.all,
  settings: undoSettings,
  tables: undoTables,
  make: makeUndo,
};

function makeUndo(core: FeatureCore): Feature {
  const values = core.settings(undoSettings);
  const settings = () => values.undo;
  const store = createUndoStore(core.database);
  const copies = createCopies(join(core.config.data_dir, 'undo'));
  const labels = core.store.fileLabels;
  const keeper = createKeeper({ ...core, store, copies, labelsIn: labels.labelsIn, settings });
  return {
    fileCopies: keeper,
    commands: obeyedUndoCommands({ ...core, store, copies, keeper, labels, settings, cards: core.store.approvals }),
    async start() {
      await keeper.recover();
      await keeper.tidy();
    },
    reload: keeper.tidy,
  };
}
