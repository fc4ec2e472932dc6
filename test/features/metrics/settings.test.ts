import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lookAtPorts } from '../../../src/config/look-around.ts';
import { metricsSettingWords } from '../../../src/features/metrics/settings/words.ts';
import { metricsSettings } from '../../../src/features/metrics/settings.ts';
import { faultsOf, loadText } from '../../config/load-text.ts';

const token = '0123456789abcdef';
const configWith = (metrics: object, more: object = {}): string => JSON.stringify({ metrics, ...more });

describe('metrics in the config', () => {
  test('are off, and for this machine alone', async () => {
    const { config } = await loadText('{}');
    expect(metricsSettings.read(config).metrics).toEqual({ enabled: false, host: '127.0.0.1', port: 42_618 });
  });

  test.each(['0.0.0.0', '::', '192.168.0.4', 'keyturn.example.com', '127.0.0.1.example.com'])(
    'do not start for everybody: %s needs a token',
    async (host) => {
      const fault = `metrics.host: ${metricsSettingWords.en.needsToken({ host })}`;
      expect(await faultsOf(configWith({ enabled: true, host }))).toContain(fault);
      await loadText(configWith({ enabled: true, host, token }));
      await loadText(configWith({ enabled: false, host }));
    },
  );

  test.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1', '[::1]'])('need none at %s', async (host) => {
    await loadText(configWith({ enabled: true, host }));
  });

  test('cannot have the port of the gateway', async () => {
    const gateway = { enabled: true, port: 5_000 };
    const fault = `metrics.port: ${metricsSettingWords.en.samePort({ key: 'gateway' })}`;
    expect(await faultsOf(configWith({ enabled: true, port: 5_000 }, { gateway }))).toContain(fault);
    await loadText(configWith({ enabled: true, port: 0 }, { gateway: { enabled: true, port: 0 } }));
  });

  test('are told that another program has their port, before they start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const found = other.address();
    const port = typeof found === 'object' ? (found?.port ?? 0) : 0;
    const { config, brought } = await loadText(configWith({ enabled: true, port }));
    expect(await lookAtPorts(config, brought, () => false)).toMatchObject([{ path: ['metrics', 'port'] }]);
    const { config: off, brought: none } = await loadText(configWith({ enabled: false, port }));
    expect(await lookAtPorts(off, none, () => false)).toEqual([]);
  });

  test.each([['short'], ['0123456789 abcdef'], ['0123456789abcdé'], ['']])('take no token like "%s"', async (wrong) => {
    expect(await faultsOf(configWith({ enabled: true, token: wrong }))).toContain('metrics.token: ');
  });
});
