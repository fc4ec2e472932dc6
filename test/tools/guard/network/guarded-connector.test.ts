import { buildConnector } from 'undici';
import { expect, test } from 'vitest';
import { guardedConnector } from '../../../../src/tools/guard/network/guarded-connector.ts';
import { networkRules } from '../../../../src/tools/guard/network/network-rules.ts';
import { homeServer, leadsHome } from './network-setting.ts';

test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', 'localhost', 'www.example.com'])(
  'a connection to %s is refused, even if nobody has looked at the URL',
  async (host) => {
    const server = await homeServer((_, response) => response.end('secret'));
    const url = new URL(`http://${host}:${server.port}/`);
    const { permits } = networkRules([]);
    const { signal } = new AbortController();
    const connect = guardedConnector(buildConnector, { url, permits, lookup: leadsHome, signal });
    const failed = await new Promise((resolve) => {
      connect({ hostname: url.hostname, protocol: url.protocol, port: url.port, host: url.host }, (cause, socket) => {
        socket?.destroy();
        resolve(cause);
      });
    });
    expect(failed).toMatchObject({ name: 'WebError' });
    expect(server.connections()).toBe(0);
  },
);
