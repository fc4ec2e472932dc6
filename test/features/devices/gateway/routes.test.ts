import { describe, expect, test } from 'vitest';
import { gatewayApp, type RoutesParts } from '../../../../src/features/devices/gateway/routes.ts';
import { type GatewaySetting, gatewaySetting, pairedSetting } from '../../../support/gateway/gateway-setting.ts';

type Who = 'anybody' | 'device' | 'owner';
type Role = 'nobody' | 'a stranger' | 'a device' | 'an owner';

/** What each route is for whom. A route that is not here fails the test. */
const table: readonly {
  readonly route: `${'GET' | 'POST'} ${string}`;
  readonly who: Who;
  readonly path?: string;
  /** What those who may ask get. */
  readonly status: number;
}[] = [
  { route: 'GET /healthz', who: 'anybody', status: 200 },
  { route: 'GET /health', who: 'anybody', status: 200 },
  { route: 'GET /readyz', who: 'anybody', status: 200 },
  { route: 'GET /metrics', who: 'owner', status: 200 },
  { route: 'GET /api/tools', who: 'device', status: 200 },
  { route: 'GET /ws/chat', who: 'device', status: 426 },
  { route: 'POST /pair', who: 'anybody', status: 403 },
  { route: 'POST /api/ticket', who: 'device', status: 200 },
  { route: 'GET /api/sessions', who: 'device', status: 200 },
  { route: 'GET /api/sessions/running', who: 'device', status: 200 },
  { route: 'GET /api/sessions/:id/messages', who: 'device', path: '/api/sessions/x/messages', status: 404 },
  { route: 'GET /api/sessions/:id/files', who: 'device', path: '/api/sessions/x/files', status: 404 },
  { route: 'GET /api/sessions/:id/files/:file', who: 'device', path: '/api/sessions/x/files/a', status: 404 },
  { route: 'POST /api/sessions/:id/abort', who: 'device', path: '/api/sessions/x/abort', status: 404 },
];

const roles: readonly Role[] = ['nobody', 'a stranger', 'a device', 'an owner'];

function expected(who: Who, role: Role, status: number): number {
  if (who === 'anybody') return status;
  if (role === 'nobody' || role === 'a stranger') return 401;
  return who === 'owner' && role === 'a device' ? 403 : status;
}

describe('the gateway', () => {
  test('has no route that is not in the table', () => {
    const nothing: unknown = { settings: () => ({}) };
    const { routes } = gatewayApp(nothing as RoutesParts);
    const found = routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(found)].sort()).toEqual(table.map(({ route }) => route).sort());
  });

  test.each(table.flatMap((row) => roles.map((role) => ({ ...row, role }))))(
    '$route is for $who: $role',
    async ({ route, who, role, path, status }) => {
      const setting = await gatewaySetting({ allowFrom: ['bob'] });
      const [method = '', pattern = ''] = route.split(' ');
      const token = await tokenOf(role, setting);
      const response = await setting.ask(path ?? pattern, token, { method });
      expect(response.status).toBe(expected(who, role, status));
    },
  );

  test.each(['/', '/api', '/api/config', '/admin/shutdown', '/pair/code', '/ws', '/../etc/passwd', '/healthz/'])(
    'has nothing at %s, no matter who asks',
    async (path) => {
      const { setting, token } = await pairedSetting();
      expect((await setting.ask(path)).status).toBe(404);
      expect((await setting.ask(path, token)).status).toBe(404);
      expect((await setting.ask(path, token, { method: 'DELETE' })).status).toBe(404);
    },
  );
});

async function tokenOf(role: Role, setting: GatewaySetting): Promise<string | undefined> {
  switch (role) {
    case 'nobody':
      return undefined;
    case 'a stranger':
      return 'f'.repeat(64);
    case 'a device':
      return setting.token('phone', 'bob');
    case 'an owner':
      return setting.token();
  }
}
