import { describe, expect, test } from 'vitest';
import { resolveModels } from '../../src/config/choose-model.ts';
import { loadText } from './load-text.ts';

const main =
  '"main": {"provider": "anthropic", "name": "claude", "api_key": "k", "fallback": ["spare"], "reasoning": "low"}';
const spare = '"spare": {"provider": "openai", "name": "gpt"}';
const local = '"local": {"provider": "openai_compatible", "name": "qwen", "base_url": "http://127.0.0.1:1/v1"}';
const other = '"other": {"provider": "google", "name": "gemini"}';

async function choose(text: string, env: Readonly<Record<string, string>> = {}) {
  const { config, environment } = await loadText(text, { env });
  return resolveModels(config, environment);
}

describe('the models that can be chosen', () => {
  test('are all that have what they need, the default first', async () => {
    const { defaultName, models, why } = await choose(
      `{"model": "main", "models": {${local}, ${spare}, ${main}, ${other}}}`,
      {
        OPENAI_API_KEY: 'o',
      },
    );
    expect([defaultName, [...models.keys()], why]).toEqual([
      'main',
      ['main', 'local', 'spare'],
      'chosen in the config',
    ]);
    expect(models.get('main')).toMatchObject({ key: 'main', fallback: ['spare'], reasoning: 'low' });
    expect(models.get('spare')).toMatchObject({ key: 'spare', apiKey: 'o' });
  });

  test('are the one of the environment, or none, where the config has none', async () => {
    const { defaultName, models } = await choose('', { OPENAI_API_KEY: 'o' });
    expect([defaultName, [...models.keys()]]).toEqual(['openai', ['openai']]);
    expect([...(await choose('')).models]).toEqual([['offline', { provider: 'offline' }]]);
  });

  test('are those of the config beside the offline one, where that is the default', async () => {
    const { models } = await choose(`{"model": "offline", "models": {${local}}}`);
    expect([...models.keys()]).toEqual(['offline', 'local']);
  });
});

describe('a model that stands in for the default', () => {
  test('has to have its key', async () => {
    await expect(choose(`{"model": "main", "models": {${main}, ${spare}}}`)).rejects.toThrow(
      'models.spare.api_key: missing, and OPENAI_API_KEY is not set in the environment or .env.',
    );
  });

  test('has to have its variables set, and one that nothing depends on has not', async () => {
    const withVariable = (name: string): string =>
      `"${name}": {"provider": "openai", "name": "gpt", "api_key": "\${NOT_SET}", "fallback": []}`;
    await expect(choose(`{"model": "main", "models": {${main}, ${withVariable('spare')}}}`)).rejects.toThrow('NOT_SET');
    const text = `{"model": "main", "models": {${main}, ${spare}, ${withVariable('other')}}}`;
    expect([...(await choose(text, { OPENAI_API_KEY: 'o' })).models.keys()]).toEqual(['main', 'spare']);
  });
});
