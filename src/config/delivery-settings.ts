import { z } from 'zod';

/** How messages reach people. */
export const deliverySettings = z.strictObject({
  ambiguous_retry_after_ms: z
    .number()
    .int()
    .min(0)
    .max(600_000)
    .default(3000)
    .describe('A message whose answer was lost is sent again after this time, in milliseconds, and ever more seldom.'),
  stream: z
    .boolean()
    .default(true)
    .describe('Whether a reply appears while the model writes it, where a channel can change its messages.'),
  tool_cards: z
    .boolean()
    .default(true)
    .describe('Whether a message shows what tools are doing, where a channel can change its messages.'),
  max_messages: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(5)
    .describe('A text that needs more messages than that is sent as its beginning, and whole as a file.'),
  late_after_secs: z
    .number()
    .int()
    .min(1)
    .max(604_800)
    .default(600)
    .describe('A message that could not be sent for this long says that it is late, and from when.'),
  downtime_after_secs: z
    .number()
    .int()
    .min(0)
    .max(604_800)
    .default(300)
    .describe('After being away for longer than this, the owners are told at the next start. 0: never.'),
});
