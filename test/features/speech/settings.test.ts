import { describe, expect, test } from 'vitest';
import { configSchema } from '../../../src/config/join-settings.ts';
import { speechSettings } from '../../../src/features/speech/settings.ts';
import { wordsIn } from '../../../src/lib/words.ts';
import { aroundOf } from '../../support/whole-schema.ts';

describe('the model that speaks', () => {
  const loaded = (speech: object | undefined, environment: Readonly<Record<string, string>> = {}) => {
    const config = configSchema({}, [speechSettings], { environment }).parse({ ...(speech && { speech }) });
    const faults = speechSettings.faults(config, aroundOf(config));
    return {
      ...speechSettings.read(config),
      faults: faults.map(({ path, text }) => ({ path, text: wordsIn('en', text) })),
    };
  };

  test('is none unless the config has one, and has its defaults', () => {
    expect(loaded(undefined).speech).toBeUndefined();
    expect(loaded({ name: 't', voice: 'v', base_url: 'http://127.0.0.1:8880/v1' })).toEqual({
      speech: {
        ...{ base_url: 'http://127.0.0.1:8880/v1', name: 't', voice: 'v', format: 'opus' },
        ...{ api_key: undefined, max_chars: 4000, timeout_secs: 60 },
      },
      faults: [],
    });
  });

  test('at OpenAI has the key of the environment, or is refused without one', () => {
    const found = loaded({ name: 't', voice: 'v' }, { OPENAI_API_KEY: 'k' });
    expect(found).toMatchObject({ speech: { api_key: 'k' }, faults: [] });
    expect(loaded({ name: 't', voice: 'v' }).faults).toMatchObject([
      { path: ['speech', 'api_key'], text: expect.stringContaining('OPENAI_API_KEY') },
    ]);
  });
});
