import { z } from 'zod';
import { toolCategories } from '../tools/category.ts';
import { bytes, toolPattern } from './setting-kinds.ts';

const callTime = z.number().int().min(1).max(600);

/** What devices may offer through the gateway, and how it is called. */
export const remoteToolSettings = z.strictObject({
  enabled: z.boolean().default(true).describe('Whether devices may offer tools. false: they can only chat.'),
  allowed: z
    .record(z.string().min(1), z.array(toolPattern))
    .default({ '*': ['*'] })
    .describe(
      'Which tools a device may offer, by its id or name: names, "prefix*", "*suffix" or "*". "*": all other devices.',
    ),
  categories: z
    .record(toolPattern, z.enum(toolCategories))
    .default({})
    .describe('What the tools touch: approval goes by it. All others are hardware, so that each call asks.'),
  timeout_secs: callTime
    .default(30)
    .describe(
      'A call without a sign of life for so long is given up. At most 600, which no call may take longer than.',
    ),
  timeouts: z.record(toolPattern, callTime).default({}).describe('The same for some tools, in seconds.'),
  max_result_bytes: bytes(10_485_760).describe('The most that is taken of one result, text and files together.'),
  idempotent: z
    .array(toolPattern)
    .default([])
    .describe('Tools that do no harm if they run twice: asked again when their device was disconnected and is back.'),
});
