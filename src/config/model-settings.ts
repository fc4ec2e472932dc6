import { z } from 'zod';

const name = z.string().min(1).describe('The model, as the provider calls it.');

const common = {
  api_key: z
    .string()
    .min(1)
    .optional()
    .describe(
      `The key of the provider: "\${NAME}" takes it from the environment. Default: the variable that the provider itself documents.`,
    ),
  headers: z.record(z.string().min(1), z.string()).optional().describe('HTTP headers that are added to every request.'),
  max_output_tokens: z
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe('The longest answer, in tokens. Default: what the provider allows.'),
};

const address = z.url({ protocol: /^https?$/, error: 'expected an address that begins with http:// or https://' });
const otherAddress = address.optional().describe('Where the API is, if not at the provider itself.');

/** One model, by the dialect that its provider speaks. */
export const modelSettings = z.discriminatedUnion('provider', [
  z.strictObject({ provider: z.literal('anthropic'), name, base_url: otherAddress, ...common }),
  z.strictObject({ provider: z.literal('openai'), name, base_url: otherAddress, ...common }),
  z.strictObject({ provider: z.literal('google'), name, base_url: otherAddress, ...common }),
  z.strictObject({
    provider: z.literal('openai_compatible'),
    name,
    base_url: address.describe('Where the API is: "http://127.0.0.1:11434/v1".'),
    ...common,
  }),
]);

export type ModelSettings = z.output<typeof modelSettings>;
