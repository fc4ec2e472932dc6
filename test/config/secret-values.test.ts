import { describe, expect, test } from 'vitest';
import { secretVariables } from '../../src/config/environment.ts';
import { loadText } from './load-text.ts';

describe('a variable is secret', () => {
  test.each([
    ...[
      'OPENAI_API_KEY',
      'AWS_ACCESS_KEY_ID',
      'GITHUB_TOKEN',
      'SESSION_SECRET',
      'PGPASSWORD',
      'DB_PASSWD',
      'SMTP_PASS',
    ],
    ...['authToken', 'GOOGLE_CREDENTIALS', 'KEYS_OF_ALL', 'BASIC_AUTH'],
  ])('by its name: %s', (name) => {
    expect(secretVariables({ [name]: 'Tr0ub4dor-and-3' })).toEqual(['Tr0ub4dor-and-3']);
  });

  test.each(['KEYBOARD', 'KEYTURN_CRASH_AT', 'TOKENIZERS_PARALLELISM', 'PASSENGER', 'AUTHOR', 'HOME', 'COMPASS_NAME'])(
    'not by this one: %s',
    (name) => {
      expect(secretVariables({ [name]: 'Tr0ub4dor-and-3' })).toEqual([]);
    },
  );

  test.each([
    'short-7',
    '/run/secrets/key.pem',
    '~/.ssh/id_ed25519',
    './keys/my key.pem',
    'C:\\keys\\one.pem',
    '12345678',
    '2026-11-21',
    'false',
    'https://keys.example.org/v1',
  ])('not if it is %s', (value) => {
    expect(secretVariables({ THE_KEY: value })).toEqual([]);
  });

  test.each([
    '/bPxRfiCYabcdEFGH1234ijkl5678MNOPqrstUVW',
    'https://keys.example.org/v1?token=abc',
    'https://hooks.example.org/T0123456789012345678901234567890123456789',
  ])('although it looks a little like something else: %s', (value) => {
    expect(secretVariables({ THE_KEY: value })).toEqual([value]);
  });

  test('in the part of an address that is a password, whatever its name', () => {
    expect(
      secretVariables({ DATABASE_URL: 'postgres://app:hunter2-x@db/app', PLAIN_URL: 'https://a.b/c:d@e' }),
    ).toEqual(['hunter2-x']);
  });

  test('in what a collector of traces wants to be sent, with its scheme and without', () => {
    const name = 'OTEL_EXPORTER_OTLP_TRACES_HEADERS';
    const found = secretVariables({ [name]: 'authorization=Bearer%20abcdefgh, x-key = ijklmnop ,x-team=ops' });
    expect(new Set(found)).toEqual(new Set(['Bearer%20abcdefgh', 'Bearer abcdefgh', 'abcdefgh', 'ijklmnop']));
    expect(secretVariables({ OTEL_SERVICE_NAME: 'name=ijklmnop' })).toEqual([]);
  });
});

test('what must not be read is what is secret of the config, of .env and of the environment', async () => {
  const { secrets } = await loadText(
    `{"data_dir": "\${FOLDER}", "models": {"m": {"provider": "openai", "name": "x", "api_key": "12345678"}}}`,
    {
      env: { FOLDER: '/srv/keyturn', SOME_TOKEN: 'in-environment', HOME: '/root' },
      envFile: 'OTHER_SECRET=in-env-file',
    },
  );
  expect([...secrets].sort()).toEqual(['12345678', 'in-env-file', 'in-environment']);
});
