import { z } from 'zod';
import { block, on } from '../../config/setting-kinds.ts';
import { settingsPart } from '../../config/settings-part.ts';

/** The page in the browser. */
const page = block({
  enabled: on.describe(
    'Whether people can open Keyturn in a browser. Nothing listens until somebody asks for a link, except at a terminal.',
  ),
});

/** The key `page`. */
export const pageSettings = settingsPart({
  keys: () => z.object({ page: page.describe('The page in the browser: docs/page.md.') }),
});
