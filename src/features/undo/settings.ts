import { z } from 'zod';
import { block, count, on } from '../../config/setting-kinds.ts';
import { settingsPart } from '../../config/settings-part.ts';

/** The keys `undo`. */
export const undoSettings = settingsPart({
  keys: () =>
    z.object({
      undo: block({
        enabled: on.describe('false: no copies are kept, and those that were are removed.'),
        max_mb: count(200, 100_000).describe(
          'How much the copies of all workspaces may take, in MB. The oldest go first. One workspace has at most a quarter of it.',
        ),
        keep_days: count(7, 365).describe('For how many days a change can be undone.'),
      }).describe('Copies of files as they were before tools changed them, for `/undo`.'),
    }),
});
