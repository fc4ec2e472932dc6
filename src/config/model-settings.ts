import { z } from 'zod';
import { count, text } from './setting-kinds.ts';

const name = text.describe('The model, as the provider calls it.');

/** A token of RFC 9110. */
export const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of an HTTP header, such as "X-Team"')
  .refine((header) => !ownHeaders.test(header), 'expected a header that is not set for each request anyway');

const ownHeaders = /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** Values that HTTP can carry: no line breaks or other controls, only Latin-1. */
export const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'expected one line of Latin-1 characters, as HTTP headers take them');

const money = z.number().min(0).max(1_000_000);

export const apiKey = headerValue.min(1).optional();

/** The base address of an API; paths are appended. */
export const address = z
  .url({ protocol: /^https?$/, error: 'expected an address that begins with http:// or https://' })
  .refine(
    (url) => !/[?#]/.test(url),
    'it must end with the path, as in "http://127.0.0.1:11434/v1": it has a "?" or a "#".',
  )
  .refine((url) => !/^\w+:\/\/[^/]*@/.test(url), 'it has a name or a password in it. Set api_key or headers instead.');

const common = {
  api_key: apiKey.describe(
    `The key of the provider: "\${NAME}" takes it from the environment. Default: the variable that the provider itself documents.`,
  ),
  headers: z.record(headerName, headerValue).optional().describe('HTTP headers that are added to every request.'),
  max_output_tokens: z
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe('The longest answer, in tokens. Default: what the provider allows.'),
  timeout_secs: count(120, 280).describe('How long the model may say nothing before it is given up, in seconds.'),
  tool_schema: z
    .enum(['gemini', 'anthropic', 'openai', 'conservative'])
    .optional()
    .describe(
      'What the model takes of the schemas of tools. Default: what its provider takes, and conservative for openai_compatible.',
    ),
  reasoning: z
    .enum(['none', 'low', 'medium', 'high'])
    .optional()
    .describe('How hard the model thinks before it answers. Default: what the provider does by itself.'),
  fallback: z
    .array(text)
    .optional()
    .describe('The names in models that are asked, in this order, when this one cannot answer. Default: none.'),
  price: z
    .strictObject({
      input_per_million: money.describe('For a million tokens that the model reads.'),
      output_per_million: money.describe('For a million tokens that it writes.'),
      cached_input_per_million: money
        .optional()
        .describe('For a million tokens that the provider had kept from before. Default: as the others that it reads.'),
    })
    .optional()
    .describe('What the model costs, in your money. Without it, no budget of money counts it.'),
  tool_calls: z
    .enum(['native', 'text'])
    .default('native')
    .describe('text: for models without function calling; they read of the tools and call them in plain text.'),
  images: z
    .boolean()
    .optional()
    .describe('Whether the model sees images. Default: true, but false for openai_compatible.'),
};

const otherAddress = address.optional().describe('Where the API is, if not at the provider itself.');

/** One model, discriminated by its provider. */
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
