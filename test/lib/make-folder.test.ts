import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../src/lib/make-folder.ts';
import { newFolder } from '../support/store-setting.ts';

test('a folder is made with those above it, for this user alone, and made again without a fault', async () => {
  const above = join(await newFolder(), 'above');
  makeFolder(join(above, 'below'));
  makeFolder(join(above, 'below'));
  expect([above, join(above, 'below')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
});

test('a folder where a file lies is refused', async () => {
  const file = join(await newFolder(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'below'))).toThrow('EEXIST');
});

test('a folder where the system makes none is refused at once', () => {
  expect(() => makeFolder('/proc/keyturn/data')).toThrow(/ENOENT|EACCES|EPERM|EROFS/);
});
