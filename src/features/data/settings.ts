import { z } from 'zod';
import { block, whole } from '../../config/setting-kinds.ts';
import { settingsPart } from '../../config/settings-part.ts';

/** The keys `data`. */
export const dataSettings = settingsPart({
  keys: () =>
    z.object({
      data: block({
        backups: whole(7, 0, 365).describe(
          'How many daily backups are kept in the folder `backups` of `data_dir`; one is made each day. 0: none are made.',
        ),
        keep_days: whole(0, 0, 36_500).describe(
          'For how many days messages, answers, tool calls and their results are kept. What is older is removed, a little at a time. Memories, schedules, permissions and the audit stay. 0: all is kept.',
        ),
      }).describe('Daily backups, and for how long conversations are kept.'),
    }),
});
