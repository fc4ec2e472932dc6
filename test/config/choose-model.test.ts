import { describe, expect, test } from 'vitest';
import { settings as telegram } from '../../channels/telegram/settings.ts';
import { resolveModels, resolveTranscription } from '../../src/config/choose-model.ts';
import { configWords } from '../../src/config/words.ts';
import { wholeSchema } from '../support/whole-schema.ts';
import { loadText } from './load-text.ts';

const local = '"local": {"provider": "openai_compatible", "name": "qwen", "base_url": "http://127.0.0.1:1/v1"}';
const main =
  '"main": {"provider": "anthropic", "name": "claude", "api_key": "k", "headers": {"A": "b"}, "max_output_tokens": 9, "timeout_secs": 7, "images": false}';

async function choose(text: string, env: Readonly<Record<string, string>> = {}) {
  const { config, environment } = await loadText(text, { env });
  const { defaultName, models, why } = resolveModels(config, environment);
  return { model: models.get(defaultName), why };
}

describe('the model that answers', () => {
  test('is the one that the config chooses, with all that its calls need', async () => {
    expect(await choose(`{"model": "main", "models": {${main}, ${local}}}`)).toEqual({
      model: {
        key: 'main',
        provider: 'anthropic',
        name: 'claude',
        apiKey: 'k',
        headers: { A: 'b' },
        maxOutputTokens: 9,
        timeoutSecs: 7,
        seesImages: false,
      },
      why: { because: 'chosen' },
    });
  });

  test('is the only one of the config, which may need no key', async () => {
    expect(await choose(`{"models": {${local}}}`, { OPENAI_API_KEY: 'not for this server' })).toEqual({
      model: {
        key: 'local',
        provider: 'openai_compatible',
        name: 'qwen',
        baseUrl: 'http://127.0.0.1:1/v1',
        timeoutSecs: 120,
      },
      why: { because: 'only' },
    });
  });

  test('calls tools in its text only where the config says so', async () => {
    const chosenWith = (setting: string) =>
      choose(`{"models": {${local.replace('}', `, "tool_calls": "${setting}"}`)}}}`);
    expect((await chosenWith('text')).model).toMatchObject({ toolCalls: 'text' });
    expect((await chosenWith('native')).model).toMatchObject({ toolCalls: 'native' });
    expect((await chosenWith('auto')).model).not.toHaveProperty('toolCalls');
    await expect(chosenWith('xml')).rejects.toThrow(
      'models.local.tool_calls: expected "auto", "native" or "text", but found "xml".',
    );
  });

  test('is that of the first provider whose key is in the environment, if the config has none', async () => {
    const keys = {
      GOOGLE_GENERATIVE_AI_API_KEY: 'g2',
      GEMINI_API_KEY: 'g',
      OPENAI_API_KEY: 'o',
      ANTHROPIC_API_KEY: 'a',
    };
    const { ANTHROPIC_API_KEY: _a, ...withoutAnthropic } = keys;
    const { OPENAI_API_KEY: _o, ...google } = withoutAnthropic;
    const { GEMINI_API_KEY: _g, ...last } = google;
    expect((await choose('', keys)).model).toMatchObject({ provider: 'anthropic', apiKey: 'a' });
    expect((await choose('', withoutAnthropic)).model).toMatchObject({ provider: 'openai', apiKey: 'o' });
    expect((await choose('', google)).model).toMatchObject({ provider: 'google', apiKey: 'g' });
    expect(await choose('', last)).toMatchObject({
      model: { provider: 'google', apiKey: 'g2' },
      why: { because: 'variable', variable: 'GOOGLE_GENERATIVE_AI_API_KEY' },
    });
  });

  test('is none where there is nothing to choose, or the config says so', async () => {
    const offline = { provider: 'offline' };
    expect((await choose('')).model).toEqual(offline);
    expect(await choose(`{"model": "offline", "models": {${main}}}`, { OPENAI_API_KEY: 'o' })).toEqual({
      model: offline,
      why: { because: 'offline' },
    });
  });

  test('takes its key from the variable of its provider', async () => {
    const text = '{"models": {"main": {"provider": "google", "name": "gemini"}}}';
    expect((await choose(text, { GOOGLE_GENERATIVE_AI_API_KEY: 'k' })).model).toMatchObject({ apiKey: 'k' });
    await expect(choose(text)).rejects.toThrow(
      `models.main.api_key: ${configWords.en.noKey({ variables: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'] })}`,
    );
  });
});

const withSpare =
  '"main": {"provider": "anthropic", "name": "claude", "api_key": "k", "fallback": ["spare"], "reasoning": "low"}';
const spare = '"spare": {"provider": "openai", "name": "gpt"}';
const other = '"other": {"provider": "google", "name": "gemini"}';

async function chooseAll(text: string, env: Readonly<Record<string, string>> = {}) {
  const { config, environment } = await loadText(text, { env });
  return resolveModels(config, environment);
}

describe('the models that can be chosen', () => {
  test('are all that have what they need, the default first', async () => {
    const { defaultName, models, why } = await chooseAll(
      `{"model": "main", "models": {${local}, ${spare}, ${withSpare}, ${other}}}`,
      {
        OPENAI_API_KEY: 'o',
      },
    );
    expect([defaultName, [...models.keys()], why]).toEqual(['main', ['main', 'local', 'spare'], { because: 'chosen' }]);
    expect(models.get('main')).toMatchObject({ key: 'main', fallback: ['spare'], reasoning: 'low' });
    expect(models.get('spare')).toMatchObject({ key: 'spare', apiKey: 'o' });
  });

  test('are the one of the environment, or none, where the config has none', async () => {
    const { defaultName, models } = await chooseAll('', { OPENAI_API_KEY: 'o' });
    expect([defaultName, [...models.keys()]]).toEqual(['openai', ['openai']]);
    expect([...(await chooseAll('')).models]).toEqual([['offline', { provider: 'offline' }]]);
  });

  test('are those of the config beside the offline one, where that is the default', async () => {
    const { models } = await chooseAll(`{"model": "offline", "models": {${local}}}`);
    expect([...models.keys()]).toEqual(['offline', 'local']);
  });
});

describe('a model that stands in for the default', () => {
  test('has to have its key', async () => {
    await expect(chooseAll(`{"model": "main", "models": {${withSpare}, ${spare}}}`)).rejects.toThrow(
      `models.spare.api_key: ${configWords.en.noKey({ variables: ['OPENAI_API_KEY'] })}`,
    );
  });

  test('has to have its variables set, and one that nothing depends on has not', async () => {
    const withVariable = (name: string): string =>
      `"${name}": {"provider": "openai", "name": "gpt", "api_key": "\${NOT_SET}", "fallback": []}`;
    await expect(chooseAll(`{"model": "main", "models": {${withSpare}, ${withVariable('spare')}}}`)).rejects.toThrow(
      'NOT_SET',
    );
    const text = `{"model": "main", "models": {${withSpare}, ${spare}, ${withVariable('other')}}}`;
    expect([...(await chooseAll(text, { OPENAI_API_KEY: 'o' })).models.keys()]).toEqual(['main', 'spare']);
  });
});

function resolve(transcription: object | undefined, environment: Readonly<Record<string, string>> = {}) {
  return resolveTranscription(wholeSchema().parse({ ...(transcription && { transcription }) }), environment);
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

describe('the model of a chat', () => {
  const models = {
    main: { provider: 'openai_compatible', name: 'a', base_url: 'http://127.0.0.1:1' },
    big: { provider: 'anthropic', name: 'b' },
  };

  test('needs its key, like that of an agent', () => {
    const config = wholeSchema({ telegram }).parse({ model: 'main', models, chats: { telegram: { model: 'big' } } });
    expect(() => resolveModels(config, {})).toThrow(/models\.big\.api_key/);
    expect(resolveModels(config, { ANTHROPIC_API_KEY: 'k' }).models.has('big')).toBe(true);
  });
});
