import { z } from 'zod';
import { bytes, seconds } from './setting-kinds.ts';

/** What to do with what people send beside text. */
export const attachmentSettings = z.strictObject({
  folder: z
    .string()
    .regex(
      /^(?!\.{1,2}$)[^/\\\0]{1,100}$/,
      'expected the name of one folder, without slashes: it is made in the workspace',
    )
    .default('received')
    .describe('The folder of the workspace in which files are saved that people send.'),
  max_bytes: bytes(20_971_520).describe('A larger file is not fetched, and its sender is told so.'),
  timeout_secs: seconds(120).describe('How long fetching one file may take.'),
});

/** The model that writes down what voice messages say, at a server that speaks OpenAI's dialect. */
export const transcriptionSettings = z.strictObject({
  base_url: z
    .url({ protocol: /^https?$/, error: 'expected an address that begins with http:// or https://' })
    .default('https://api.openai.com/v1')
    .describe('Where the API is: /audio/transcriptions is added to it.'),
  name: z.string().min(1).describe('The model, as the server calls it: "whisper-1".'),
  api_key: z
    .string()
    .min(1)
    .optional()
    .describe(`The key, if the server wants one: "\${NAME}" takes it from the environment.`),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, 'expected a code of two or three letters, such as "de"')
    .optional()
    .describe('The language that is spoken, as ISO 639 has it. Left out: the model finds out.'),
  timeout_secs: seconds(120).describe('How long one transcription may take.'),
});
