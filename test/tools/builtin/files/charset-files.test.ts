import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeText } from '../../../../src/lib/charset/text-charset.ts';
import { fileWords } from '../../../../src/tools/builtin/files/words.ts';
import { daemonSetting } from '../../../support/daemon-setting.ts';
import { call } from '../../../support/scripted-model.ts';
import { builtinSetting, errorSaying, previewOf } from '../../setting.ts';

function inCharset(text: string, charset: string): Buffer {
  const bytes = writeText(text, charset);
  if (!Buffer.isBuffer(bytes)) throw new Error(`${charset} has no ${bytes.impossible}`);
  return bytes;
}

const files = [
  ['GBK', '; 配置文件\r\nlevel=1\r\n名称=会议纪要\r\n', '名称=季度报告'],
  ['Big5', '; 設定檔\nlevel=1\n名稱=會議紀錄\n', '名稱=季報'],
  ['Shift_JIS', '; 設定ファイル\r\nlevel=1\r\n名前=議事録です\r\n', '名前=報告書'],
  ['EUC-JP', '; 設定ファイルです\nlevel=1\n名前=議事録です\n', '名前=報告書'],
  ['EUC-KR', '; 설정 파일\nlevel=1\n이름=회의록입니다\n', '이름=보고서'],
  ['windows-1252', '; Größe für Österreich\r\nlevel=1\r\nname=Müller\r\n', 'name=Özgür'],
  ['windows-1251', '; файл настроек\nlevel=1\nимя=протокол собрания\n', 'имя=отчёт'],
  ['KOI8-R', '; файл настроек\nlevel=1\nимя=протокол собрания\n', 'имя=отчёт'],
  ['UTF-16LE', '\ufeff; 配置文件\r\nlevel=1\r\n名称=会议纪要\r\n', '名称=季度报告'],
  ['UTF-16BE', '\ufeff; Größe\r\nlevel=1\r\nname=Müller\r\n', 'name=中文 😀'],
  ['UTF-16LE', '; no mark\r\nlevel=1\r\nname=Müller\r\n', 'name=Özgür'],
] as const;

async function setting(bytes: Buffer) {
  const found = await builtinSetting();
  const path = join(found.workspace, 'conf.ini');
  await writeFile(path, bytes);
  return { ...found, path };
}

describe('a text file that is not UTF-8', () => {
  test.each(files)(
    'in %s is read, edited and overwritten, and stays in its charset: %j',
    async (charset, text, line) => {
      const { call, path } = await setting(inCharset(text, charset));
      const shown = await call('read_file', { path: 'conf.ini' });
      expect(shown.isError).toBe(false);
      expect(shown.forLlm).toMatch(
        new RegExp(`^\\[conf\\.ini: lines 1 to 3 of 3; its charset is (?:probably )?${charset}\\]`),
      );
      expect(shown.forLlm).toContain(text.replace('\ufeff', '').trimEnd().replaceAll('\r\n', '\n'));
      const old = text.trimEnd().split(/\r?\n/).at(-1) ?? '';
      const edited = await call('edit_file', { path: 'conf.ini', old_text: old, new_text: line });
      expect(edited.forLlm).toMatch(
        new RegExp(`^Changed conf\\.ini \\(its charset is (?:probably )?${charset}\\)\\.$`),
      );
      expect(await readFile(path)).toEqual(inCharset(text.replace(old, line), charset));
      const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
      await call('write_file', { path: 'conf.ini', content: `${line}\n` });
      expect(await readFile(path)).toEqual(inCharset(`${mark}${line}\n`, charset));
    },
  );

  test('is shown as text on the card of an edit', async () => {
    const { prepare, workspace } = await setting(inCharset('标题：会议纪要\n第一章\n', 'GBK'));
    const prepared = await prepare('edit_file', { path: 'conf.ini', old_text: '会议纪要', new_text: '季度报告' });
    expect(await previewOf(prepared, workspace)).toContain('-标题：会议纪要\n+标题：季度报告');
  });

  test('takes no character that its charset does not have, and says what can be done', async () => {
    const bytes = inCharset('标题：会议纪要\n第一章 说明\n', 'GBK');
    const { call, prepare, path, workspace } = await setting(bytes);
    const args = { path: 'conf.ini', old_text: '会议纪要', new_text: '会议 😀' };
    const refusal = 'conf.ini is in GBK, which has no "😀" (U+1F600). Nothing was changed.';
    expect(await call('edit_file', args)).toEqual(errorSaying(refusal));
    expect((await call('edit_file', args)).forLlm).toContain('UTF-8');
    expect(await call('write_file', { path: 'conf.ini', content: '😀' })).toEqual(errorSaying(refusal));
    expect(await previewOf(await prepare('edit_file', args), workspace)).toBe(
      fileWords.en.willFail({ why: 'unwritable', charset: 'GBK', character: '😀' }),
    );
    expect(await readFile(path)).toEqual(bytes);
  });

  test('with bytes that are no characters is read, and not edited', async () => {
    const bytes = Buffer.concat([
      inCharset('会议纪要：今天下午开会，请带上合同。\nlevel=1\n', 'GBK'),
      Buffer.from([0xff, 0x0a]),
    ]);
    const { call, path } = await setting(bytes);
    expect((await call('read_file', { path: 'conf.ini' })).forLlm).toContain('请带上合同');
    expect(await call('edit_file', { path: 'conf.ini', old_text: 'level=1', new_text: 'level=2' })).toEqual(
      errorSaying('cannot be written back byte for byte'),
    );
    expect(await readFile(path)).toEqual(bytes);
  });

  test('is searched, and read as a table', async () => {
    const { workspace, call } = await builtinSetting();
    await mkdir(join(workspace, 'docs'));
    for (const [charset, text] of files.slice(0, 4))
      await writeFile(join(workspace, 'docs', charset), inCharset(text, charset));
    const found = async (pattern: string): Promise<string> => (await call('search_files', { pattern })).forLlm;
    expect(await found('会议纪要')).toContain('docs/GBK:3: 名称=会议纪要');
    expect(await found('會議紀錄')).toContain('docs/Big5:3: ');
    expect(await found('議事録')).toContain('[2 lines in 2 files]');
    await writeFile(join(workspace, 'table.csv'), inCharset('姓名,城市\n张三,北京\n李四,上海\n', 'GBK'));
    expect((await call('read_document', { path: 'table.csv' })).forLlm).toMatch(/in GBK[^\n]*\n\| 姓名 \| 城市 \|/);
  });
});

test('a person who approves an edit reads the text of the file, whatever its charset', async () => {
  const { model, channel, workspace } = await daemonSetting({});
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, 'notes.txt'), inCharset('标题：会议纪要\n第一章 说明\n', 'GBK'));
  model.next([call('edit_file', { path: 'notes.txt', old_text: '会议纪要', new_text: '季度报告' })], 'asked');
  await channel.say('change it');
  const card = await channel.card();
  expect(card.text).toContain('-标题：会议纪要\n+标题：季度报告');
});
