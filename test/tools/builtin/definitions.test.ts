import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { nobody, toolsToLookAt, usualDefinitions } from '../../../scripts/builtin-definitions.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { ToolRegistry } from '../../../src/tools/registry.ts';

/** What the model is told of a tool under these settings; undefined if there is no such tool. */
async function told(name: string, settings: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const registry = new ToolRegistry({ log: silentLog });
  for (const tool of toolsToLookAt(settings)) registry.register(tool, { type: 'builtin' });
  const [definition] = await registry.definitions(nobody, { only: [name] });
  return definition && JSON.stringify(definition);
}

describe('what the builtin tools say of themselves before they are loaded', () => {
  test('is what "npm run schema" writes: what each says once it is loaded', async () => {
    const file = new URL('../../../src/tools/builtin/definitions.json', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(await usualDefinitions());
  });

  test.each([
    ['shell', { shell: { timeout_secs: 7 } }, 'Default 7.'],
    ['memory_store', { memory_store: { max_chars: 77 } }, '77'],
    ['http_request', { http_request: { allowed_domains: ['api.example.com'] } }, 'api.example.com'],
  ])('%s says something else under other settings', async (name, settings, words) => {
    expect(await told(name, settings)).toContain(words);
  });

  test('each is registered under the name and category that it has', async () => {
    for (const { name, category, create } of toolsToLookAt({ http_request: { allowed_domains: ['*'] } })) {
      expect(await create(nobody)).toMatchObject({ name, category });
    }
  });

  test('http_request is not there while no host is allowed', async () => {
    expect(await told('http_request', {})).toBeUndefined();
  });
});
