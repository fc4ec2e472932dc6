import type { TranscriptionDescription } from '../model/openai-transcriber.ts';
import { ConfigError } from './config-error.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';

/**
 * The model that writes down what is spoken, if the config has one. At OpenAI its key is that of the environment, if the
 * config has none. Throws `ConfigError` if there is no key there either.
 */
export function resolveTranscription(
  { transcription }: Pick<Config, 'transcription'>,
  environment: Environment,
): TranscriptionDescription | undefined {
  if (transcription === undefined) return undefined;
  const { base_url: baseUrl, name, language, timeout_secs } = transcription;
  const isOpenAi = URL.parse(baseUrl)?.hostname === 'api.openai.com';
  const apiKey = transcription.api_key ?? (isOpenAi ? environment.OPENAI_API_KEY : undefined);
  if (isOpenAi && (apiKey === undefined || apiKey === ''))
    throw new ConfigError([{ key: 'transcription.api_key', text: noKey }]);
  return {
    baseUrl,
    name,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(language === undefined ? {} : { language }),
    timeout: timeout_secs * 1000,
  };
}

const noKey = 'missing, and OPENAI_API_KEY is not set in the environment or .env.';
