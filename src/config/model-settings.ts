import { z } from 'zod';
import { choice, count, headerName, headerValue, seconds, settingText, text } from './setting-kinds.ts';

const name = text.describe("The provider's name for the model.");
const money = z.number().min(0).max(1_000_000);
export const apiKey = headerValue.min(1).optional();

/** The base address of an API; paths are appended. */
export const apiAddress = z
  .url({ protocol: /^https?$/, error: settingText('apiAddress') })
  .refine((url) => !/[?#]/.test(url), settingText('apiPath'))
  .refine((url) => !/^\w+:\/\/[^/]*@/.test(url), settingText('apiPassword'));

const common = {
  api_key: apiKey.describe(
    `The provider's key. "\${NAME}" takes it from the environment. Default: the variable that the provider documents.`,
  ),
  headers: z.optional(z.record(headerName, headerValue)).describe('HTTP headers added to every request.'),
  max_output_tokens: z
    .optional(z.number().int().min(1).max(10_000_000))
    .describe('The longest answer, in tokens. Default: what the provider allows.'),
  timeout_secs: count(120, 280).describe('A request fails if the model sends nothing for this long, in seconds.'),
  tool_schema: z
    .optional(z.enum(['gemini', 'anthropic', 'openai', 'conservative']))
    .describe(
      'Which JSON Schemas of tools the model accepts: gemini (the fewest), anthropic, openai (the most), conservative. Default: as its provider, or conservative for openai_compatible.',
    ),
  reasoning: z
    .optional(z.enum(['none', 'low', 'medium', 'high']))
    .describe('How much the model reasons before it answers. Default: what the provider chooses.'),
  fallback: z
    .optional(z.array(text))
    .describe('The names in models to try, in this order, if this one cannot answer. Default: none.'),
  price: z
    .optional(
      z.strictObject({
        input_per_million: money.describe('For a million tokens that the model reads.'),
        output_per_million: money.describe('For a million tokens that it writes.'),
        cached_input_per_million: z
          .optional(money)
          .describe('For a million tokens that the provider has cached. Default: input_per_million.'),
      }),
    )
    .describe('The price of the model, in your currency. Without it, limits on money do not count this model.'),
  context_tokens: z
    .optional(z.number().int().min(256).max(100_000_000))
    .describe(
      "The model's window, in tokens: the largest request with its answer. Default: agent.context_tokens, or less if its server says so.",
    ),
  tool_calls: choice(['auto', 'native', 'text'], 'auto').describe(
    'text: for models without function calling. They read about tools and call them in plain text, in any form that models know. native: never so. auto: so if its server says that the model has no tools, or refuses or ignores them.',
  ),
  images: z
    .optional(z.boolean())
    .describe(
      'Whether the model can see images. Default: what its server says, or else true, but false for openai_compatible.',
    ),
};

const otherAddress = z.optional(apiAddress).describe("The address of the API, if it is not the provider's own.");

/** One model, discriminated by its provider. */
export const modelSettings = z.discriminatedUnion('provider', [
  z.strictObject({
    provider: z.enum(['anthropic', 'openai', 'google']).describe('Whose model it is.'),
    name,
    base_url: otherAddress,
    ...common,
  }),
  z.strictObject({
    provider: z.literal('openai_compatible'),
    name,
    base_url: apiAddress.describe('The address of the API: "http://127.0.0.1:11434/v1".'),
    ...common,
  }),
]);

export type ModelSettings = z.output<typeof modelSettings>;

/** The transcription model, at a server with OpenAI's API. */
export const transcriptionSettings = z.strictObject({
  base_url: apiAddress
    .default('https://api.openai.com/v1')
    .describe('The address of the API. /audio/transcriptions is added to it.'),
  name: text.describe('The server\'s name for the model: "whisper-1".'),
  api_key: apiKey.describe(`The server's key, if it needs one. "\${NAME}" takes it from the environment.`),
  language: z
    .optional(z.string().regex(/^[a-z]{2,3}$/, settingText('spokenLanguage')))
    .describe('The spoken language, by its ISO 639 code. Default: the model detects it.'),
  timeout_secs: seconds(120).describe('How long one transcription may take.'),
});
