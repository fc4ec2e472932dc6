import { describe, expect, test } from 'vitest';
import { gatewayApp, type RoutesParts } from '../../../../src/features/devices/gateway/routes.ts';
import { PageSetting } from '../../../support/browser/page-setting.ts';
import { type GatewaySetting, gatewaySetting, pairedSetting } from '../../../support/gateway/gateway-setting.ts';
import { type SignedInBrowser, signIn } from '../../../support/gateway/signed-in-browser.ts';

type Who = 'anybody' | 'device' | 'owner';
type Role = 'nobody' | 'a stranger' | 'a device' | 'a browser' | 'half a browser' | 'an owner';

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

const roles: readonly Role[] = ['nobody', 'a stranger', 'a device', 'a browser', 'half a browser', 'an owner'];

function expected(who: Who, role: Role, status: number): number {
  if (who === 'anybody') return status;
  if (role === 'nobody' || role === 'a stranger' || role === 'half a browser') return 401;
  return who === 'owner' && role !== 'an owner' ? 403 : status;
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
      const headers = await proofOf(role, setting);
      const response = await setting.ask(path ?? pattern, undefined, { method, headers });
      expect(response.status).toBe(expected(who, role, status));
    },
  );

  test.each(['/nothing', '/api', '/api/config', '/admin/shutdown', '/pair/code', '/ws', '/../etc/passwd', '/healthz/'])(
    'has nothing at %s, no matter who asks',
    async (path) => {
      const { setting, token } = await pairedSetting();
      expect((await setting.ask(path)).status).toBe(404);
      expect((await setting.ask(path, token)).status).toBe(404);
      expect((await setting.ask(path, token, { method: 'DELETE' })).status).toBe(404);
    },
  );
});

async function proofOf(role: Role, setting: GatewaySetting): Promise<Readonly<Record<string, string>>> {
  switch (role) {
    case 'nobody':
      return {};
    case 'a stranger':
      return { Authorization: `Bearer ${'f'.repeat(64)}` };
    case 'a device':
      return { Authorization: `Bearer ${await setting.token('phone', 'bob')}` };
    case 'a browser': {
      const browser = await browserOf('bob', setting);
      return { ...browser.proof, Origin: browser.origin };
    }
    case 'half a browser':
      return { 'X-Keyturn-Key': (await browserOf('ada', setting)).key };
    case 'an owner':
      return { Authorization: `Bearer ${await setting.token()}` };
  }
}

async function browserOf(person: string, { daemon }: GatewaySetting): Promise<SignedInBrowser> {
  return signIn(await new PageSetting(daemon).link(person));
}
