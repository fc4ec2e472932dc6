// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config has variables
import { describe, expect, test } from 'vitest';
import { loadText } from './load-text.ts';

function load(servers: object, env: Readonly<Record<string, string>> = {}) {
  return loadText(JSON.stringify({ mcp_servers: servers }), { env });
}

/** What is wrong, as the operator is told. */
async function faultsOf(servers: object): Promise<string> {
  try {
    await load(servers);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return 'nothing';
}

describe('mcp_servers in the config', () => {
  test('take a program or a URL, and have defaults for the rest', async () => {
    const { config } = await load({
      files: { command: 'npx', args: ['-y', 'x'] },
      web: { url: 'http://127.0.0.1:1/mcp' },
    });
    expect(config.mcp_servers.files).toMatchObject({
      ...{ enabled: true, command: 'npx', args: ['-y', 'x'], env: {}, sandbox: false },
      ...{ timeout_secs: 60, list_ttl_secs: 300, trust_annotations: false, tools: {} },
    });
    expect(config.mcp_servers.files?.cwd).toMatch(/^\//);
    expect(config.mcp_servers.web).toMatchObject({
      url: 'http://127.0.0.1:1/mcp',
      headers: {},
      allow_private: false,
    });
  });

  test('take values of the environment, which are then kept secret', async () => {
    const env = { GIT_TOKEN: 'abcdef123456', HOST: 'example.com' };
    const headers = { Authorization: 'Bearer ${GIT_TOKEN}' };
    const { config, secrets } = await load({ git: { url: 'https://${HOST}/mcp', headers } }, env);
    expect(config.mcp_servers.git).toMatchObject({
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer abcdef123456' },
    });
    expect(secrets).toEqual(expect.arrayContaining(['abcdef123456', 'Bearer abcdef123456']));
  });

  test('that are off need no values of the environment', async () => {
    const env = { GIT_TOKEN: '${NOT_SET}' };
    const off = { command: 'x', enabled: false, env };
    await expect(load({ off })).resolves.toBeDefined();
    await expect(load({ on: { command: 'x', env } })).rejects.toThrow('the variable NOT_SET is not set');
  });

  test.each([
    ['neither a program nor a URL', { box: {} }, 'Expected "command", or "url" in its place'],
    ['both', { box: { command: 'x', url: 'http://a/' } }, 'expected either "command" or "url", not both'],
    ['a sandbox without a folder', { box: { command: 'x', sandbox: true } }, 'Expected a folder of its own'],
    ['a name with spaces', { 'my box': { command: 'x' } }, 'at most 32 letters, digits, "_" or "-"'],
    ['an unknown category', { box: { command: 'x', category: 'safe' } }, 'network_read'],
    ['an unknown key', { box: { command: 'x', timeout: 5 } }, 'timeout_secs'],
    ['a category for a tool that is none', { box: { command: 'x', tools: { a: { category: 'x' } } } }, 'network_read'],
    ['no URL at all', { box: { url: 'mcp.example.com' } }, 'expected a URL'],
  ])('with %s are refused, with what to do', async (_what, servers, words) => {
    expect(await faultsOf(servers)).toContain(words);
  });
});
