import { describe, expect, test } from 'vitest';
import { resolveTranscription } from '../../src/config/choose-model.ts';
import { configSchema } from '../../src/config/schema.ts';

function resolve(transcription: object | undefined, environment: Readonly<Record<string, string>> = {}) {
  return resolveTranscription(configSchema({}).parse({ ...(transcription && { transcription }) }), environment);
}

describe('the model that transcribes', () => {
  test('is none if the config has none, whatever is in the environment', () => {
    expect(resolve(undefined, { OPENAI_API_KEY: 'k' })).toBeUndefined();
  });

  test("is at OpenAI if nothing else is said, with the environment's key", () => {
    expect(resolve({ name: 'whisper-1' }, { OPENAI_API_KEY: 'k' })).toEqual({
      baseUrl: 'https://api.openai.com/v1',
      name: 'whisper-1',
      apiKey: 'k',
      timeout: 120_000,
    });
    expect(resolve({ name: 'whisper-1', api_key: 'own', language: 'de' }, { OPENAI_API_KEY: 'k' })).toMatchObject({
      apiKey: 'own',
      language: 'de',
    });
  });

  test('is refused at OpenAI without a key', () => {
    expect(() => resolve({ name: 'whisper-1' })).toThrow(/transcription\.api_key.*OPENAI_API_KEY/);
  });

  test.each(['http://127.0.0.1:8000/v1', 'https://api.openai.com.example.org/v1'])(
    "is not given OpenAI's key at another place: %s",
    (base_url) => {
      expect(resolve({ name: 'm', base_url }, { OPENAI_API_KEY: 'k' })?.apiKey).toBeUndefined();
    },
  );
});
