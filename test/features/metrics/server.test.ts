import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { metricsWords } from '../../../src/features/metrics/words.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { metricsSetting } from './metrics-setting.ts';

const token = 'prometheus-has-this-token';

describe('without a token', () => {
  test('programs of this machine get the metrics, as Prometheus reads them', async () => {
    const it = await metricsSetting();
    const { status, headers, body } = await it.ask();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(body).toMatch(/^# TYPE keyturn_build_info gauge$/m);
    expect((await it.ask({}, '/metrics', 'HEAD')).status).toBe(200);
    expect((await it.ask({}, '/metrics?name=x')).status).toBe(200);
  });

  test.each(['localhost', 'LOCALHOST:42618', '127.0.0.1:1', '127.9.9.9', '[::1]:42618'])(
    'it may be called %s',
    async (host) => {
      const it = await metricsSetting();
      expect((await it.ask({ Host: host })).status).toBe(200);
    },
  );

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:42618', '10.0.0.1'])(
    'a page whose name leads here gets nothing: %s',
    async (host) => {
      const it = await metricsSetting();
      const { status, body } = await it.ask({ Host: host });
      expect(status).toBe(403);
      expect(body).not.toContain('keyturn_build_info');
    },
  );

  test('no page of the web gets them, whatever it calls the server', async () => {
    const it = await metricsSetting();
    for (const origin of ['https://evil.example', 'null', 'http://localhost:3000'])
      expect((await it.ask({ Origin: origin })).status).toBe(403);
  });

  test('nothing else is there, and nothing can be sent', async () => {
    const it = await metricsSetting();
    for (const path of ['/', '/metrics/', '/Metrics', '/healthz', '//metrics', '/%6detrics'])
      expect((await it.ask({}, path)).status).toBe(404);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await it.ask({}, '/metrics', method)).status).toBe(405);
  });
});

describe('with a token', () => {
  test('who sends it gets them, by whatever name', async () => {
    const it = await metricsSetting({ token, host: '0.0.0.0' });
    const headers = { Authorization: `Bearer ${token}`, Host: 'keyturn.internal:42618' };
    expect((await it.ask(headers)).status).toBe(200);
    expect((await it.ask({ ...headers, Authorization: `bearer  ${token}` })).status).toBe(200);
  });

  test.each(['', token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Bearer ${token} x`])(
    'who sends "%s" gets nothing',
    async (authorization) => {
      const it = await metricsSetting({ token });
      const { status, headers, body } = await it.ask({ Authorization: authorization });
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe('Bearer');
      expect(body).not.toContain(token);
    },
  );

  test('it is asked for on this machine, too, and in an address it does not count', async () => {
    const it = await metricsSetting({ token });
    expect((await it.ask({}, `/metrics?token=${token}`)).status).toBe(401);
  });

  test('an edit of the config changes it at once', async () => {
    const it = await metricsSetting({ token });
    await it.daemon.edit({ metrics: { enabled: true, port: 0, token: `new-${token}` } });
    expect((await it.ask({ Authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await it.ask({ Authorization: `Bearer new-${token}` })).status).toBe(200);
    expect(it.openings).toBe(1);
  });
});

describe('while it runs', () => {
  test('it is switched off and on, and what was counted before is gone', async () => {
    const it = await metricsSetting();
    const before = it.address;
    await it.daemon.edit({ metrics: { enabled: false } });
    await expect(fetch(before)).rejects.toThrow();
    await it.daemon.edit({ metrics: { enabled: true, port: 0 } });
    expect(it.openings).toBe(2);
    expect((await it.ask()).status).toBe(200);
  });

  test('it moves to another address, and goes on counting', async () => {
    const it = await metricsSetting();
    const before = it.address;
    await it.daemon.edit({ metrics: { enabled: true, port: 0, host: '127.0.0.2' } });
    await expect(fetch(before)).rejects.toThrow();
    expect(it.address).toContain('127.0.0.2');
    expect((await it.ask()).status).toBe(200);
  });

  test('it ends with the daemon, whoever is connected', async () => {
    const it = await metricsSetting();
    const { address } = it;
    const slow = connect(Number(new URL(address).port), '127.0.0.1');
    const heard: string[] = [];
    slow.on('data', (data) => heard.push(String(data)));
    slow.on('error', () => undefined);
    const ended = once(slow, 'close');
    slow.write('GET /metrics HTTP/1.1\r\n');
    expect((await it.ask()).status).toBe(200);
    await it.daemon.stop();
    await ended;
    expect(heard).toEqual([]);
    await expect(fetch(address)).rejects.toThrow();
  });

  test('a port that another program has is told to owners, and taken once it is free', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const found = other.address();
    const port = typeof found === 'object' ? (found?.port ?? 0) : 0;
    const daemon = await daemonSetting({ config: { metrics: { enabled: true, port } } });
    const fault = metricsWords.en.portTaken({ host: '127.0.0.1', port }).split(':')[0] ?? '';
    await daemon.clock.waitsFor(5_000);
    await daemon.channel.say('/status');
    await daemon.channel.sees(fault);
    await new Promise((resolve) => other.close(resolve));
    await daemon.clock.passes(5_000);
    await waitUntil(
      () =>
        fetch(`http://127.0.0.1:${port}/metrics`).then(
          ({ status }) => status === 200 || undefined,
          () => undefined,
        ),
      { what: 'metrics at the port that is free' },
    );
  });
});
