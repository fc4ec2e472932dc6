import { describe, expect, test } from 'vitest';
import { allWarnings, wholeSchema } from '../../../support/whole-schema.ts';

function warningsFor(gateway: Readonly<Record<string, unknown>>): readonly string[] {
  const config = wholeSchema().parse({ gateway, data_dir: '/data', workspace: '/workspace' });
  return allWarnings(config, '/etc/keyturn.json').filter((warning) => warning.includes('gateway'));
}

describe('a door without encryption', () => {
  test.each(['0.0.0.0', '::', '192.168.1.7'])('that others reach, at %s, is warned of', (host) => {
    expect(warningsFor({ enabled: true, host })).toHaveLength(1);
  });

  test.each(['127.0.0.1', '::1', 'localhost'])('that only this machine reaches, at %s, is not', (host) => {
    expect(warningsFor({ enabled: true, host })).toEqual([]);
  });

  test('that is closed is not', () => {
    expect(warningsFor({ enabled: false, host: '0.0.0.0' })).toEqual([]);
  });
});
