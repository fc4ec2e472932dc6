import { z } from 'zod';
import { count, shared, switchedTool, toolSwitch, whole } from '../../config/setting-kinds.ts';
import { settingsPart } from '../../config/settings-part.ts';

const schedule = shared({
  enabled: toolSwitch,
  max_entries: count(50, 10_000).describe('How many tasks and reminders one person may have.'),
  catch_up_secs: whole(86_400, 0, 2_592_000).describe(
    'A task or reminder that was missed while Keyturn was off runs once, late, if it is not later than this.',
  ),
});

/** The keys `tools.schedule`, but for the time zone, and `tools.remind`. */
export const planningSettings = settingsPart({
  keys: () =>
    z.object({
      tools: shared({
        schedule: schedule.describe('Does something at a set time, once or repeatedly.'),
        remind: switchedTool('Reminds a person at a set time.'),
      }),
    }),
});
