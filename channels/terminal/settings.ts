import { z } from 'zod';

/** The config under `channels.terminal`. */
export const settings = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether the terminal in which Keyturn was started, or the pipe that it reads, is a channel.'),
});
