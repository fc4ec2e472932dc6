import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtinSetting } from '../../setting.ts';

/** What stands in the file, what the model looks for, how they differ, and the escapes that it is given, if any. */
const misses: readonly (readonly [string, string, string, string?])[] = [
  ['He said “hello” to me', 'He said "hello" to me', 'quotation marks'],
  ['He said "hello" to me', 'He said “hello” to me', 'quotation marks'],
  ['Tourner l’image', "Tourner l'image", 'quotation marks'],
  ['Sagte «nein» und „ja“', 'Sagte "nein" und "ja"', 'quotation marks'],
  ['「東京」と『大阪』', '"東京"と"大阪"', 'quotation marks'],
  ['他说“你好”', '他说"你好"', 'quotation marks'],
  ['5′ 10″', '5\' 10"', 'quotation marks'],
  ['1990–1995', '1990-1995', 'dashes'],
  ['yes — no', 'yes -- no', 'dashes'],
  ['a − b', 'a - b', 'dashes'],
  ['wait…', 'wait...', 'ellipses'],
  ['wait…“no”', 'wait..."no"', 'ellipses and quotation marks'],
  ['10\u00a0km', '10 km', 'spaces or line ends', '10\\u00a0km'],
  ['one\u3000two', 'one two', 'spaces or line ends', 'one\\u3000two'],
  ['a\tb', 'a  b', 'spaces or line ends'],
  ['ze\u200bro', 'zero', 'invisible characters', 'ze\\u200bro'],
  ['soft\u00adware', 'software', 'invisible characters', 'soft\\u00adware'],
  ['cafe\u0301', 'caf\u00e9', 'composed or decomposed characters', 'cafe\\u0301'],
  ['caf\u00e9', 'cafe\u0301', 'composed or decomposed characters', 'caf\\u00e9'],
  ['한글'.normalize('NFD'), '한글', 'composed or decomposed characters', '\\u1112\\u1161\\u11ab\\u1100\\u1173\\u11af'],
  ['が'.normalize('NFD'), 'が', 'composed or decomposed characters', '\\u304b\\u3099'],
  ['José', 'Jose', 'accents'],
  ['價格：１００', '價格:100', 'widths or forms of characters'],
  ['（甲）、【乙】。', '(甲),[乙].', 'widths or forms of characters'],
  ['ｶﾀｶﾅ', 'カタカナ', 'widths or forms of characters'],
  ['ﬁnd', 'find', 'widths or forms of characters'],
  ['Hello World', 'hello world', 'capital or small letters'],
  ['\u0440assword', 'password', 'letters that look the same', '\\u0440assword'],
];

describe('an edit that misses by characters that look or mean the same', () => {
  test.each<readonly [string, string, string, string?]>(misses)(
    '%j for %j: %s',
    async (there, wanted = '', difference, escapes) => {
      const { workspace, call } = await builtinSetting();
      const path = join(workspace, 'notes.txt');
      const content = `first\n\n> ${there}!\nlast\n`;
      await writeFile(path, content);
      const output = await call('edit_file', { path: 'notes.txt', old_text: wanted, new_text: 'other' });
      expect(output.isError).toBe(true);
      const hint = escapes === undefined ? '' : `\nThe same with escapes: ${escapes}`;
      expect(output.forLlm).toContain(
        `the same text with other ${difference} begins on line 3. Copy it exactly:\n> ${there}!${hint}`,
      );
      expect(output.forLlm.endsWith(escapes ?? '!')).toBe(true);
      expect(await readFile(path, 'utf8')).toBe(content);
    },
  );

  test('what differs least is named, wherever it stands', async () => {
    const { workspace, call } = await builtinSetting();
    await writeFile(join(workspace, 'a.txt'), 'Resume\nJOSÉ\nRe\u0301sume\u0301\n');
    const output = await call('edit_file', { path: 'a.txt', old_text: 'Résumé', new_text: 'CV' });
    expect(output.forLlm).toContain('other composed or decomposed characters begins on line 3.');
  });

  test('the words with escapes are found', async () => {
    const { workspace, call } = await builtinSetting();
    await writeFile(join(workspace, 'a.txt'), 'x cafe\u0301 y\n');
    const { forLlm } = await call('edit_file', { path: 'a.txt', old_text: 'café', new_text: 'bar' });
    const escaped = /escapes: (.*)$/.exec(forLlm)?.[1] ?? '';
    const copied: unknown = JSON.parse(`"${escaped}"`);
    expect(await call('edit_file', { path: 'a.txt', old_text: String(copied), new_text: 'bar' })).not.toMatchObject({
      isError: true,
    });
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('x bar y\n');
  });

  test.each(['other words', '“”', '--', '\u200b'])('other text is only missing: %j', async (wanted) => {
    const { workspace, call } = await builtinSetting();
    await writeFile(join(workspace, 'a.txt'), 'Some words\n');
    const output = await call('edit_file', { path: 'a.txt', old_text: wanted, new_text: 'x y' });
    expect(output.forLlm).toContain('old_text is not in the file. Read the file again');
  });
});
