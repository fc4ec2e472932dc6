import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { configBefore } from '../../src/cli/place.ts';
import { privatePathsOf } from '../../src/cli/private-paths.ts';
import { draftsFolderOf } from '../../src/lib/replace-whole.ts';
import { findPrivatePlaces } from '../../src/tools/guard/workspace/place.ts';
import { newFolder } from '../support/new-folder.ts';

test('what is begun for a config, its copy and its secrets is private, also where a link leads to', async () => {
  const root = await newFolder();
  const [config, real] = [join(root, 'config.json'), join(root, 'elsewhere', 'real.json')];
  mkdirSync(dirname(real));
  writeFileSync(real, '{}');
  symlinkSync(real, config);
  const paths = privatePathsOf(config);
  expect(paths[0]).toBe(config);
  const places = await findPrivatePlaces({ privatePaths: paths, root, byHandle: false });
  for (const file of [config, real, configBefore(config), join(root, '.env')]) {
    expect(places.path(join(draftsFolderOf(file), '1.abc'))).toBe(true);
    expect(places.path(draftsFolderOf(join(root, 'other')))).toBe(false);
  }
});
