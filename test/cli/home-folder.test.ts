import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeFolder } from '../../src/cli/home-folder.ts';
import { newFolder } from '../support/new-folder.ts';

const env = {};
const home = '/home/ada';

describe('the config, the data and the workspace are', () => {
  test('in the current folder, in a clone', async () => {
    const cwd = await newFolder();
    expect(homeFolder({ packageFolder: `${cwd}/`, env, cwd, platform: 'linux', home })).toBe(cwd);
  });

  test('in the current folder, where a project or npx has installed it', async () => {
    const cwd = await newFolder();
    writeFileSync(join(cwd, 'package.json'), '{}');
    for (const below of ['keyturn', '.pnpm/keyturn@1.0.0/node_modules/keyturn']) {
      const packageFolder = join(cwd, 'node_modules', below);
      mkdirSync(packageFolder, { recursive: true });
      expect(homeFolder({ packageFolder, env, cwd: '/elsewhere', platform: 'linux', home })).toBe('/elsewhere');
    }
  });

  test.each([
    ['linux', {}, '/home/ada/.local/share/keyturn'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/keyturn'],
    ['darwin', {}, '/home/ada/Library/Application Support/keyturn'],
    ['win32', { APPDATA: '/roaming' }, '/roaming/keyturn'],
  ])(
    'in the folder for a user’s data, where it is installed globally: %s %j',
    async (platform, variables, expected) => {
      const packageFolder = join(await newFolder(), 'lib', 'node_modules', 'keyturn');
      expect(homeFolder({ packageFolder, env: variables, cwd: '/elsewhere', platform, home })).toBe(expected);
    },
  );

  test('in KEYTURN_HOME wherever it is installed', () => {
    const env = { KEYTURN_HOME: 'kept' };
    const packageFolder = '/usr/lib/node_modules/keyturn';
    expect(homeFolder({ packageFolder, env, cwd: '/here', platform: 'linux', home })).toBe('/here/kept');
  });
});
