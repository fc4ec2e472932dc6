import { z } from '@keyturn/sdk/channel';

/** What stands under `channels.line`, beside `enabled`, `allow_from` and `groups`, which Keyturn reads itself. */
export const settings = z.strictObject({
  port: z.int().min(1).max(65_535).default(7474).describe('The port of 127.0.0.1 to listen at.'),
  people: z
    .record(z.string().regex(/^[\w-]{1,40}$/), z.string().min(16))
    .describe('Who may connect: id → a secret of at least 16 characters.'),
});

export type LineSettings = z.output<typeof settings>;
