import { z } from 'zod';
import { audioKey, lacksKey, noOpenAiKey } from '../../config/choose-model.ts';
import { apiAddress, apiKey } from '../../config/model-settings.ts';
import { choice, type SettingsContext, seconds, text, whole } from '../../config/setting-kinds.ts';
import { settingsPart } from '../../config/settings-part.ts';
import { endpointWarnings } from '../../config/warnings.ts';
import { speechSettingWords } from './settings/words.ts';

/** The key `speech`: the model that speaks answers. Without it, none is spoken. */
export const speechSettings = settingsPart({
  keys: (context) =>
    z.object({
      speech: z.optional(speaker(context)).describe('The model that speaks the answers to voice messages.'),
    }),
  brings: ({ speech }) => {
    if (speech === undefined) return {};
    const hasKey = (speech.api_key ?? '') !== '';
    return { servers: [{ path: ['speech', 'base_url'], address: speech.base_url, hasKey }] };
  },
  *faults({ speech }) {
    if (speech !== undefined && lacksKey(speech.base_url, speech.api_key))
      yield { path: ['speech', 'api_key'], text: noOpenAiKey };
  },
  *warnings({ speech }, { config }) {
    if (speech === undefined) return;
    yield* endpointWarnings('speech', speech.base_url);
    if (config.transcription === undefined) yield (language) => speechSettingWords[language].idle;
  },
});

/** The formats of speech that servers with OpenAI's API write. */
const speechFormats = ['opus', 'mp3', 'aac', 'flac', 'wav'] as const;

/** At a server with OpenAI's API. */
function speaker({ environment }: SettingsContext) {
  return z
    .strictObject({
      base_url: apiAddress
        .default('https://api.openai.com/v1')
        .describe('The address of the API. /audio/speech is added to it.'),
      name: text.describe('The server\'s name for the model: "gpt-4o-mini-tts".'),
      api_key: apiKey.describe(`The server's key, if it needs one. "\${NAME}" takes it from the environment.`),
      voice: text.describe('The server\'s name for the voice: "alloy".'),
      format: choice(speechFormats, 'opus').describe(
        'The format of the recording. Telegram shows opus and mp3 as a voice message, the others as a file.',
      ),
      max_chars: whole(4000, 100, 100_000).describe(
        'How much of an answer is spoken, in characters. OpenAI takes 4096.',
      ),
      timeout_secs: seconds(60).describe('How long speaking one answer may take.'),
    })
    .overwrite((speech) => ({ ...speech, api_key: audioKey(speech.base_url, speech.api_key, environment) }));
}
