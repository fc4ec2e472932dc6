import { expect, test } from 'vitest';
import { safeFileName } from '../../src/lib/file-name.ts';

test.each([
  ['report 2026.pdf', 'report 2026.pdf'],
  ['Übersicht 天地.csv', 'Übersicht 天地.csv'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['C:\\temp\\a.txt', 'C_temp_a.txt'],
  ['.bashrc', 'bashrc'],
  ['..', 'file'],
  ['', 'file'],
  ['\n', 'file'],
  ['a\nb\t c.txt', 'a b c.txt'],
  ['invoice\u202efdp.exe', 'invoice_u202efdp.exe'],
  ['a\u0000b', 'a_u0000b'],
  ['what?.md. ', 'what_.md'],
  ['NUL.txt', '_NUL.txt'],
  ['com1', '_com1'],
  ['command.txt', 'command.txt'],
  ['e\u0301.txt', 'é.txt'],
  ['\ud800.txt', '\ufffd.txt'],
])('the name %j becomes %j', (name, safe) => {
  expect(safeFileName(name)).toBe(safe);
});

test.each([`${'天'.repeat(100)}.tar`, '👩‍👩‍👧‍👦'.repeat(20), `a.${'b'.repeat(300)}`, 'a'.repeat(300)])(
  'a long name is cut between characters, and keeps its extension if that is short: %j',
  (name) => {
    const safe = safeFileName(name);
    expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(120);
    expect(Buffer.byteLength(safe)).toBeGreaterThan(90);
    expect(safe.isWellFormed()).toBe(true);
    if (name.endsWith('.tar')) expect(safe).toMatch(/^天+\.tar$/);
  },
);
