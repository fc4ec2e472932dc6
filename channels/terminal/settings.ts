import { z } from 'zod';

/** The config under `channels.terminal`. */
export const settings = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether to chat in the terminal where Keyturn was started, or through the pipe that it reads.'),
});
