import { describe, expect, test } from 'vitest';
import { configWords } from '../../src/config/words.ts';
import { brokenConfigs } from './broken-configs.ts';
import { faultsOf } from './load-text.ts';

describe('a broken config', () => {
  test.each(brokenConfigs())('%s is refused with words that say where and what to mend', async (config, message) => {
    expect(await faultsOf(config)).toBe(message);
  });

  test('is refused with all its faults at once, in the order of the file', async () => {
    const text = [
      '{',
      '  // A comment moves nothing.',
      '  "log": { "level": "loud" },',
      '  "owners": ["telegram:1", "@ada"],\r',
      '  "agent": {',
      '    "mod": "observer", /* and this neither */ "max_turns": true,',
      '  },',
      '}',
    ].join('\n');
    expect(await faultsOf(text)).toBe(
      [
        'config.json:3:21  log.level: expected "debug", "info", "warn" or "error", but found "loud".',
        'config.json:4:28  owners[1]: expected "channel:id", such as "telegram:123456", with the channel "terminal" or "telegram" and an id that never changes, not a @name, but found "@ada".',
        `config.json:6:5  agent.mod: ${configWords.en.unknownKeyMeant({ meant: 'mode' })}`,
        'config.json:6:60  agent.max_turns: expected a number, but found true.',
      ].join('\n'),
    );
  });

  test('shows at most fifty faults', async () => {
    const owners = JSON.stringify(Array.from({ length: 5000 }, () => 'nobody'));
    const lines = (await faultsOf(`{"owners": ${owners}}`)).split('\n');
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe(`config.json  ${configWords.en.more}`);
  });

  test('does not repeat what was found at length', async () => {
    expect(await faultsOf(`{"agent": {"mode": "${'long '.repeat(100)}"}}`)).toBe(
      `config.json:1:20  agent.mode: expected "observer", "assistant" or "autonomous", but found "${'long '.repeat(11)}lon….`,
    );
  });

  test('never shows a secret, whether it stands in the file, in the environment or in .env', async () => {
    const secrets = {
      IN_ENV: 'telegram:@secret-in-environment',
      IN_FILE: 'http//secret-in-env-file',
      TYPED: 'tell-me-aloud',
    };
    const text = `{
      "owners": ["\${IN_ENV}"],
      "models": { "m": {
        "provider": "openai", "name": "x", "base_url": "\${IN_FILE}", "api_key": ["sk-secret-in-list"],
        "headers": { "X-Key": false, "sk": {} }
      } },
      "channels": { "telegram": { "token": "${secrets.TYPED}" } }
    }`;
    const said = await faultsOf(text, { env: { IN_ENV: secrets.IN_ENV }, envFile: `IN_FILE=${secrets.IN_FILE}` });
    expect(said).toContain(`but found "\${IN_ENV}"`);
    expect(said).toContain('channels.telegram.token: bad token (not shown).');
    expect(said).not.toMatch(/secret-in|tell-me/);
  });
});

describe('a file that is no config', () => {
  test.each([
    ['in UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0x00]), 'config.json  the file is not UTF-8. Save it as UTF-8.'],
    ['too deep', '['.repeat(200_000), 'config.json:1:101  brackets are nested more than 100 deep here.'],
    ['too long', ' '.repeat(1_000_001), 'config.json:1:1  the file is longer than 1000000 characters: is it a config?'],
    [
      'prose',
      'hello, please start',
      'config.json:1:1  the file holds no JSON object. A config is one: { "key": value, … }',
    ],
    [
      'binary',
      '\u0000\u0001',
      'config.json:1:1  this is not JSON. Keys and strings need double quotes; other values are numbers, true, false or null.',
    ],
  ])('because it is %s is refused in a sentence', async (_why, content, message) => {
    expect(await faultsOf(content)).toBe(message);
  });
});
