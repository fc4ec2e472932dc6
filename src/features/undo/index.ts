import { join } from 'node:path';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { obeyedUndoCommands, undoCommands } from './commands.ts';
import { createCopies } from './copies.ts';
import { createKeeper, type Keeper } from './keeper.ts';
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

/** How often what is too old is removed, in ms. */
const tidyEvery = 6 * 3_600_000;

function makeUndo(core: FeatureCore): Feature {
  const values = core.settings(undoSettings);
  const settings = () => values.undo;
  const store = createUndoStore(core.database);
  const copies = createCopies(join(core.config.data_dir, 'undo'));
  const keeper = createKeeper({ ...core, store, copies, settings });
  return {
    fileCopies: keeper,
    commands: obeyedUndoCommands({ ...core, store, copies, keeper, settings }),
    async start() {
      await keeper.recover();
      await tidyFromNowOn(keeper, core);
    },
    reload: () => tidy(keeper, core),
  };
}

async function tidyFromNowOn(keeper: Keeper, core: FeatureCore): Promise<void> {
  if (core.ending.aborted) return;
  core.clock.after(tidyEvery, () => void tidyFromNowOn(keeper, core));
  await tidy(keeper, core);
}

async function tidy(keeper: Keeper, { log, ending }: FeatureCore): Promise<void> {
  try {
    await keeper.tidy();
  } catch (cause) {
    if (!ending.aborted) log.warn({ err: cause }, 'old copies of files could not be removed');
  }
}
