import { z } from 'zod';

const tokens = z.number().int().min(1).max(1_000_000_000_000).optional();
const money = z.number().min(0.000_001).max(1_000_000_000).optional();

/** What may be spent on models. A day is one of the time zone in `tools.schedule.time_zone`, or of the machine. */
export const budgetSettings = z.strictObject({
  tokens_per_run: tokens.describe('Tokens, read and written, for answering one message. Default: no bound.'),
  money_per_run: money.describe('Money for answering one message, as the prices in models say. Default: no bound.'),
  tokens_per_person_per_day: tokens.describe('Tokens for one person in a day. Default: no bound.'),
  money_per_person_per_day: money.describe('Money for one person in a day. Default: no bound.'),
  tokens_per_day: tokens.describe('Tokens for all people in a day. Default: no bound.'),
  money_per_day: money.describe('Money for all people in a day. Default: no bound.'),
  ask_timeout_secs: z
    .number()
    .int()
    .min(1)
    .max(604_800)
    .default(1800)
    .describe('How long a run that has reached a bound waits for somebody to let it go on. Then it ends.'),
});
