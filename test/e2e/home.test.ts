import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliWords } from '../../src/cli/words.ts';
import { newFolder } from '../support/new-folder.ts';
import { runMain } from './run-main.ts';

test('KEYTURN_HOME holds the config, the data and the workspace, and is made if it is missing', async () => {
  const home = join(await newFolder(), 'new');
  const first = await runMain({ env: { KEYTURN_HOME: home }, input: 'list the files\n' });
  expect(first.code).toBe(0);
  expect(first.stderr).toContain(cliWords.en.noConfig({ path: join(home, 'config.json') }));
  expect(first.stderr).toContain(`  Data      ${join(home, 'data')}\n`);
  expect(readdirSync(home).toSorted()).toEqual(['data', 'workspace']);

  writeFileSync(join(home, 'config.json'), '{ "polcy": 1 }');
  const second = await runMain({ env: { KEYTURN_HOME: home }, input: '' });
  expect(second.stderr).toContain(join(home, 'config.json'));
  expect(second.code).not.toBe(0);
});
