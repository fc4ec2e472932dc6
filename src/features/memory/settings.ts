import { z } from 'zod';
import { block, count, shared, switchedTool, toolSwitch } from '../../config/setting-kinds.ts';
import { settingsPart } from '../../config/settings-part.ts';

const memoryStore = block({
  enabled: toolSwitch,
  max_entries: count(1000, 100_000).describe('How many entries are kept for one person.'),
  max_chars: count(4000, 100_000).describe('The longest text that is kept, in characters.'),
});

/** The keys `tools.memory_*`. */
export const memorySettings = settingsPart({
  keys: () =>
    z.object({
      tools: shared({
        memory_store: memoryStore.describe(
          'Remembers something for a person, in all of their conversations or in one. Runs of other people do not find it.',
        ),
        memory_search: switchedTool('Finds what was remembered.'),
        memory_forget: switchedTool('Forgets something remembered.'),
      }),
    }),
});
