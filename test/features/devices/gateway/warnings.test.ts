import { describe, expect, test } from 'vitest';
import { allWarnings, wholeSchema } from '../../../support/whole-schema.ts';

function warningsFor(gateway: Readonly<Record<string, unknown>>): readonly string[] {
  const config = wholeSchema().parse({ gateway, data_dir: '/data', workspace: '/workspace' });
  return allWarnings(config, '/etc/keyturn.json').filter((warning) => warning.includes('gateway'));
}

describe('a gateway without encryption', () => {
  test.each(['0.0.0.0', '::', '192.168.1.7'])('that other machines reach, at %s, is warned of', (host) => {
    expect(warningsFor({ enabled: true, host })).toHaveLength(1);
  });

  test.each(['127.0.0.1', '::1', 'localhost'])('that only this machine reaches, at %s, is not warned of', (host) => {
    expect(warningsFor({ enabled: true, host })).toEqual([]);
  });

  test('that is off is not warned of', () => {
    expect(warningsFor({ enabled: false, host: '0.0.0.0' })).toEqual([]);
  });
});
