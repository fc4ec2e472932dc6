import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { readDocumentBytes } from '../../../../src/tools/builtin/documents/read-document-bytes.ts';
import { pdfOfCodes } from '../../../support/pdf-file.ts';

const utf16 = (text: string) => iconv.encode(text, 'utf16be', { addBOM: false });
const jis = (text: string) => Buffer.from(iconv.encode(text, 'eucjp').map((byte) => byte & 0x7f));
const unread = { cmap: 'Identity-H', collection: 'GB1', codes: Buffer.from('0fa10fa2', 'hex') };

async function textOf(cmap: string, collection: string, codes: Buffer): Promise<string> {
  const reading = await readDocumentBytes(pdfOfCodes([{ cmap, collection, codes }]));
  return reading.type === 'read' ? reading.document.text.replace('[PDF page 1 of 1]\n', '') : reading.message;
}

describe('a PDF with a font that is not in it', () => {
  test.each([
    ['UniGB-UCS2-H', 'GB1', '发票总额：1,234.00 元', utf16],
    ['UniGB-UCS2-H', 'GB1', '“深圳”——㐀①℃', utf16],
    ['UniGB-UTF16-H', 'GB1', '合同 Contract', utf16],
    ['GBK-EUC-H', 'GB1', '發票镕：￥5 (five)', (text: string) => iconv.encode(text, 'gbk')],
    ['GBKp-EUC-H', 'GB1', '总额 1,234', (text: string) => iconv.encode(text, 'gbk')],
    ['GB-EUC-H', 'GB1', '总额', (text: string) => iconv.encode(text, 'gb2312')],
    ['UniCNS-UCS2-H', 'CNS1', '發票總額', utf16],
    ['UniCNS-UTF16-H', 'CNS1', '臺灣', utf16],
    ['ETen-B5-H', 'CNS1', '發票總額 42', (text: string) => iconv.encode(text, 'big5')],
    ['HKscs-B5-H', 'CNS1', '啲嘢', (text: string) => iconv.encode(text, 'big5hkscs')],
    ['UniJIS-UCS2-H', 'Japan1', '請求書の合計 ﾃｽﾄ ¥500', utf16],
    ['UniJIS-UTF16-H', 'Japan1', 'カタカナー', utf16],
    ['UniJIS2004-UTF16-H', 'Japan1', '東京', utf16],
    ['90ms-RKSJ-H', 'Japan1', '請求書 ﾃｽﾄ ソース表', (text: string) => iconv.encode(text, 'cp932')],
    ['90msp-RKSJ-H', 'Japan1', '合計 5', (text: string) => iconv.encode(text, 'cp932')],
    ['EUC-H', 'Japan1', '請求書ﾃ OK', (text: string) => iconv.encode(text, 'eucjp')],
    ['H', 'Japan1', '請求書の合計', jis],
    ['UniKS-UCS2-H', 'Korea1', '청구서 합계 大韓', utf16],
    ['UniKS-UTF16-H', 'Korea1', '뷁힣 ok', utf16],
    ['KSCms-UHC-H', 'Korea1', '똠방각하 10', (text: string) => iconv.encode(text, 'cp949')],
    ['KSCms-UHC-HW-H', 'Korea1', '합계 10', (text: string) => iconv.encode(text, 'cp949')],
    ['KSC-EUC-H', 'Korea1', '청구서', (text: string) => iconv.encode(text, 'euckr')],
  ])('is read by %s of %s: %s', async (cmap, collection, text, encode) => {
    expect(await textOf(cmap, collection, encode(text))).toBe(text);
  });

  test('is read where lines run down', async () => {
    expect(await textOf('UniGB-UCS2-V', 'GB1', utf16('竖排'))).toMatch(/竖\s*排/);
  });

  test.each([
    ['Identity-H', 'GB1'],
    ['UniGB-UTF8-H', 'GB1'],
    ['KSC-Johab-H', 'Korea1'],
    ['CNS-EUC-H', 'CNS1'],
  ])('and with glyph numbers only, or rare codes, is not called scanned: %s', async (cmap, collection) => {
    const said = await textOf(cmap, collection, Buffer.from('2fa12fa2', 'hex'));
    expect(said).toContain('no text that can be read');
    expect(said).not.toContain('scanned');
  });

  test('says where a part cannot be read, and reads the rest', async () => {
    const read = { cmap: 'UniGB-UCS2-H', collection: 'GB1', codes: utf16('总额') };
    expect(await readDocumentBytes(pdfOfCodes([read, unread]))).toMatchObject({
      document: { text: '[PDF page 1 of 1]\n总额\n\ufffd', note: expect.stringContaining('text is missing') },
    });
    expect(await readDocumentBytes(pdfOfCodes([unread, read]))).toMatchObject({
      document: { text: '[PDF page 1 of 1]\n\ufffd\n总额' },
    });
  });
});
