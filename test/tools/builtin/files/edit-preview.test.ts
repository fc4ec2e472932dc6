import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Language } from '../../../../src/lib/words.ts';
import { exchange, find, renderDiff, renderWhole } from '../../../../src/tools/builtin/files/edit.ts';
import { fileWords } from '../../../../src/tools/builtin/files/words.ts';
import { daemonSetting } from '../../../support/daemon-setting.ts';
import { call } from '../../../support/scripted-model.ts';
import { builtinSetting, errorSaying, previewOf } from '../../setting.ts';

const limit = 10 * 2 ** 20;

/** What a card would show; or, of an edit that cannot be, why. */
function previewed(before: string, oldText: string, newText: string, replaceAll = false): string {
  const found = find(before, { oldText, newText, replaceAll }, limit);
  return found.type === 'found' ? renderDiff(before, found, 'en') : found.reason;
}

/** The rows of the diff that begin with the sign. */
function rows(diff: string, sign: string): readonly string[] {
  return diff.split('\n').filter((row) => row.startsWith(sign));
}

async function fileSetting(content: string) {
  const setting = await builtinSetting();
  await writeFile(join(setting.workspace, 'notes.txt'), content);
  const preview = async (args: Record<string, string | boolean>, language?: Language): Promise<string> => {
    const prepared = await setting.prepare('edit_file', { path: 'notes.txt', ...args });
    return previewOf(prepared, setting.workspace, language);
  };
  return { ...setting, preview };
}

test.each([
  ['a\nb\n', '+a\n+b'],
  ['a\nb', '+a\n+b'],
  ['a\n\n', '+a\n+'],
  ['\n', '+'],
])('a new file with %j has as many rows as people see lines', (content, shown) => {
  expect(renderWhole(undefined, content, 'en')).toBe(`\`\`\`diff\n${shown}\n\`\`\``);
});

describe('the preview of an edit is for a look', () => {
  test('of a very long line it shows what is around the change, and says that it was cut', () => {
    const line = `${'a'.repeat(500_000)} change me ${'b'.repeat(500_000)}`;
    const diff = previewed(line, 'change me', 'changed');
    expect(rows(diff, '-')).toEqual([expect.stringMatching(/^-\[… cut …\]a{93} change me b{196}\[… cut …\]$/)]);
    expect(rows(diff, '+')).toEqual([expect.stringMatching(/^\+\[… cut …\]a{93} changed b{198}\[… cut …\]$/)]);
    expect(diff.length).toBeLessThan(800);
  });

  test('of many lines it shows the first, and says how many more there are', () => {
    const text = (word: string): string => Array.from({ length: 200 }, (_, index) => `${word} ${index}`).join('\n');
    const diff = previewed(`${text('old')}\n`, text('old'), text('new'));
    expect(diff).toContain('@@ -1,200 +1,200 @@\n-old 0\n');
    const left = 200 - (rows(diff, '-').length - 1);
    expect(diff).toContain(`-[… ${left} more lines …]\n+new 0\n`);
    expect(diff).toContain(`+[… ${left} more lines …]\n`);
    expect(left).toBeLessThan(150);
    expect(diff.length).toBeLessThan(3000);
  });

  test('of many places it shows the first, and says how many more there are', () => {
    const before = Array.from({ length: 30 }, (_, index) => `${'z'.repeat(200)}x ${index}\n\n\n\n`).join('');
    const diff = previewed(before, 'x', 'y', true);
    const shown = rows(diff, '@@ -').length;
    expect(shown).toBeGreaterThan(2);
    expect(diff).toContain(`\n@@ and ${30 - shown} more places @@\n`);
    expect(diff.length).toBeLessThan(3300);
  });

  test('finds the change in a long text that is mostly the same', () => {
    const text = (end: string): string => `${'same\n'.repeat(20_000)}${end}`;
    const diff = previewed(`head\n${text('one')}\nfoot`, text('one'), text('two'));
    expect(diff).toBe('```diff\n@@ -20000,4 +20000,4 @@\n same\n same\n-one\n+two\n foot\n```');
  });

  test('is never long, whatever is edited', () => {
    const piece = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u202e', '😀', '`'), maxLength: 12 }),
      fc.constantFrom('x'.repeat(5000), 'y\n'.repeat(3000), '\u200b'.repeat(2000), '`'.repeat(400)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), piece, piece, (pieces, oldText, newText) => {
        fc.pre(oldText !== '');
        const diff = previewed([...pieces, oldText, ...pieces].join(''), oldText, newText, true);
        expect(diff.replaceAll(/`+/g, '').length).toBeLessThan(4500);
        expect(diff).not.toMatch(/[\r\u202e\u200b]/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the preview of an edit costs little', () => {
  const most = 1_000_000;
  const edits: readonly (readonly [string, (size: number) => readonly [string, string, string]])[] = [
    ['a letter that is everywhere', (size) => ['a'.repeat(size), 'a', 'b']],
    ['a line end that is everywhere', (size) => ['\n'.repeat(size), '\n', ' ']],
    ['a line in the middle', (size) => [`${'a\n'.repeat(size / 4)}x\n${'a\n'.repeat(size / 4 - 1)}`, 'x', 'y']],
    ['a whole file', (size) => ['ab'.repeat(size / 2), 'ab'.repeat(size / 2), 'c'.repeat(size)]],
  ];
  test.each(edits)('%s', (_name, editOf) => {
    expect(previewed(...editOf(most / 4), true).length).toBeLessThan(3000);
  });

  test('of a file of more than a million characters there is none, and the edit is done', async () => {
    const { preview, call } = await fileSetting('a\n'.repeat(500_001));
    const args = { path: 'notes.txt', old_text: 'a', new_text: 'b', replace_all: true };
    expect(await preview(args)).toBe('');
    expect((await call('edit_file', args)).forLlm).toBe('Changed notes.txt in 500001 places.');
  });
});

describe('an edit that would make a file too large', () => {
  test('is refused before anything is built, in the preview too', async () => {
    const { preview, call } = await fileSetting('a'.repeat(2 ** 20));
    const args = { path: 'notes.txt', old_text: 'a', new_text: 'b'.repeat(1000), replace_all: true };
    const reason = 'The file would become larger than 10.0 MB, the most that can be written.';
    expect(await preview(args)).toBe(fileWords.en.willFail({ why: 'too-large', most: limit }));
    expect(await call('edit_file', args)).toEqual(errorSaying(reason));
  });

  test('is told from one that just fits', () => {
    const decide = (before: string, newText: string, most: number): string =>
      find(before, { oldText: 'a', newText, replaceAll: true }, most).type;
    expect(decide('aaa', 'ää', 12)).toBe('found');
    expect(decide('aaa', 'ää', 11)).toBe('impossible');
    expect(decide('aaaaaa', '', 0)).toBe('found');
    expect(decide('aaab', '', 0)).toBe('impossible');
  });
});

describe('the preview of an edit shows what is there', () => {
  test('nothing in the words about a failure is a link or an emphasis', async () => {
    const { preview } = await fileSetting('x');
    const path = 'nope** [Approved by owner](https://evil.com/pay) **x';
    const reason = String.raw`"nope\*\* \[Approved by owner\](https://evil.com/pay) \*\*x" does not exist.`;
    expect(await preview({ path, old_text: 'x', new_text: 'y' })).toBe(
      fileWords.en.willFail({ why: 'refused', reason }),
    );
  });

  test('it is shown in the language of its reader', async () => {
    const { preview } = await fileSetting('a\n'.repeat(100));
    const edit = { old_text: 'a', new_text: 'b', replace_all: true };
    expect(await preview(edit, 'zh')).toContain(`@@ ${fileWords.zh.morePlaces(80)} @@`);
    expect(await preview({ ...edit, old_text: 'c' }, 'zh')).toBe(fileWords.zh.willFail({ why: 'absent' }));
  });

  test('hidden characters of the file and of the new text are shown as escapes', () => {
    const diff = previewed('a\u202eb\nx\u200b\n', 'x\u200b', 'y\u2066z');
    expect(diff).toBe('```diff\n@@ -1,2 +1,2 @@\n a\\u202eb\n-x\\u200b\n+y\\u2066z\n```');
  });

  test('an edit of line ends can be seen', () => {
    expect(previewed('a\r\nb\nc\n', 'a\r\n', 'a\n')).toBe('```diff\n@@ -1,3 +1,3 @@\n-a\\u000d\n+a\n b\n c\n```');
  });

  test('a long line of hidden characters is cut as it is shown, no escape halved', () => {
    const diff = previewed(`${'\u202e'.repeat(500)}x${'😀'.repeat(500)}`, 'x', 'y');
    expect(rows(diff, '-')).toEqual([expect.stringMatching(/^-\[… cut …\](?:\\u202e){16}x(?:😀){99}\[… cut …\]$/u)]);
  });

  test('what it shows is what will be done', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), maxLength: 24 });
    const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), maxLength: 4 });
    fc.assert(
      fc.property(text, short, short, fc.boolean(), (before, oldText, newText, replaceAll) => {
        fc.pre(oldText !== '');
        const found = find(before, { oldText, newText, replaceAll }, limit);
        fc.pre(found.type === 'found');
        if (found.type === 'found')
          expect(applied(before, renderDiff(before, found, 'en'))).toBe(exchange(before, found));
      }),
      { numRuns: 2000 },
    );
  });
});

/** What becomes of the text when a person does by hand what the diff says. */
function applied(before: string, diff: string): string {
  const lines: (readonly string[])[] = before.split('\n').map((line) => [line]);
  let at = 0;
  const inserted: { readonly at: number; readonly line: string }[] = [];
  for (const row of diff.split('\n').slice(1, -1)) {
    const start = /^@@ -(\d+),/.exec(row)?.[1];
    if (start !== undefined) at = Number(start) - 1;
    else if (row.startsWith('+')) inserted.push({ at, line: row.slice(1) });
    else {
      expect(before.split('\n')[at]).toBe(row.slice(1));
      if (row.startsWith('-')) lines[at] = [];
      at += 1;
    }
  }
  for (const { at: place, line } of inserted.reverse()) lines.splice(place, 0, [line]);
  return lines.flat().join('\n');
}

test('a secret that stands beside the change reaches neither the chat nor the database', async () => {
  const secret = 'canary-secret-5f1d0c77';
  const { setting, model, channel, workspace } = await daemonSetting({ secrets: [secret] });
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, 'settings'), `one\nTOKEN=${secret}\nthree\n`);
  model.next([call('edit_file', { path: 'settings', old_text: 'three', new_text: 'four' })], 'asked');
  await channel.say('change it');
  const card = await channel.card();
  expect(card.text).toContain('+four');
  expect(card.text).toContain('TOKEN=[secret]');
  expect(JSON.stringify([channel.screen, setting.rows('SELECT * FROM outbox')])).not.toContain(secret);
});
