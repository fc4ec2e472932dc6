import { z } from 'zod';
import { seconds } from './setting-kinds.ts';

/** How strangers ask to be let in. */
export const pairingSettings = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether a stranger who writes directly is given a code, with which an owner can let him in.'),
  code_secs: seconds(3600).describe('How long a code is good for.'),
  max_codes: z.number().int().min(1).max(1000).default(10).describe('How many codes may be open at a time.'),
});
