// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config has variables
import { describe, expect, test } from 'vitest';
import { mcpSettings } from '../../../src/features/mcp/settings.ts';
import { loadText } from '../../config/load-text.ts';

function load(servers: object, env: Readonly<Record<string, string>> = {}) {
  return loadText(JSON.stringify({ mcp_servers: servers }), { env });
}

describe('mcp_servers in the config', () => {
  test('take a program or a URL, and have defaults for the rest', async () => {
    const { config } = await load({
      files: { command: 'npx', args: ['-y', 'x'] },
      web: { url: 'http://127.0.0.1:1/mcp' },
    });
    expect(mcpSettings.read(config).mcp_servers.files).toMatchObject({
      ...{ enabled: true, command: 'npx', args: ['-y', 'x'], env: {}, sandbox: false },
      ...{ timeout_secs: 60, list_ttl_secs: 300, trust_annotations: false, tools: {} },
    });
    expect(mcpSettings.read(config).mcp_servers.files?.cwd).toMatch(/^\//);
    expect(mcpSettings.read(config).mcp_servers.web).toMatchObject({
      url: 'http://127.0.0.1:1/mcp',
      headers: {},
      allow_private: false,
    });
  });

  test('take values of the environment, which are then kept secret', async () => {
    const env = { GIT_TOKEN: 'abcdef123456', HOST: 'example.com' };
    const headers = { Authorization: 'Bearer ${GIT_TOKEN}' };
    const { config, secrets } = await load({ git: { url: 'https://${HOST}/mcp', headers } }, env);
    expect(mcpSettings.read(config).mcp_servers.git).toMatchObject({
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer abcdef123456' },
    });
    expect(secrets).toEqual(expect.arrayContaining(['abcdef123456', 'Bearer abcdef123456']));
  });

  test('that are off need no values of the environment', async () => {
    const env = { GIT_TOKEN: '${NOT_SET}' };
    const off = { command: 'x', enabled: false, env };
    await expect(load({ off })).resolves.toBeDefined();
  });
});
