import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { processBounds } from '../../../../src/tools/guard/process/sandbox.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { realSandbox } from '../../guard/process/sandbox-setting.ts';
import { customSetting, printedBy } from './custom-setting.ts';

test('in the sandbox a custom tool gets its values and variables, changes the workspace, and nothing else', async () => {
  const sandbox = await realSandbox();
  const made = processBounds({ sandbox, isRequired: true, hidden: { privatePaths: [] }, allowedDomains: [] });
  onTestFinished(() => made.stop());
  const outside = await newFolder();
  const { call, workspace } = await customSetting({
    command: 'pwd; printf "%s\\n" {{x}} "$OWN"; echo a > ../made; touch {{outside}}/stolen 2>/dev/null || echo kept',
    parameters: { x: 'string', outside: 'string' },
    working_dir: 'inner',
    env: { OWN: 'own' },
    bounds: made.bounds,
    isConfined: true,
  });
  await mkdir(join(workspace, 'inner'));
  const value = `$(id) '"; id #`;
  expect(printedBy(await call({ x: value, outside }))).toBe(`${workspace}/inner\n${value}\nown\nkept`);
  expect(await readFile(join(workspace, 'made'), 'utf8')).toBe('a\n');
});
