import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainShell } from '../../../../src/tools/guard/process/command-shell.ts';
import { customSetting, printedBy } from './custom-setting.ts';
import { hostileValues } from './hostile-values.ts';

// One program each: that all five hundred arrive, fifty together, is seen beside this.
test.each([
  ['the shell of the machine', undefined],
  ['sh', plainShell],
])('each of a hundred strings arrives alone, in every shape at once, as what it is: in %s', async (_name, shell) => {
  const command = 'node print.mjs {{x}} "a {{x}}" \'b {{x}}\' --n={{x}} "$(printf %sE {{x}})" $(: {{x}}) {{list}}';
  const setting = await customSetting({
    command,
    shell,
    parameters: { x: 'string', list: 'array' },
    deny: ['@recursive_deletion', '@system_change', '@network_listener'],
  });
  const { workspace, prepare, call } = setting;
  await writeFile(join(workspace, 'print.mjs'), 'console.log(JSON.stringify(process.argv.slice(2)))');
  const values = hostileValues().filter((_, index) => index % 5 === 0);
  for (const x of values) {
    const list = [x.slice(0, 50_000), '', x.slice(0, 10)];
    expect((await prepare({ x, list })).forbidden).toBeUndefined();
    const arrived: unknown = JSON.parse(printedBy(await call({ x, list })));
    const expected = [x, `a ${x}`, `b ${x}`, `--n=${x}`, `${x}E`, ...list.map((text) => text.toWellFormed())];
    const isSame = JSON.stringify(arrived) === JSON.stringify(expected);
    expect([x.slice(0, 100), isSame]).toEqual([x.slice(0, 100), true]);
  }
});
