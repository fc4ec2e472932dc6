import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { readDocumentBytes } from '../../../../src/tools/builtin/documents/read-document-bytes.ts';
import { odfFile } from '../../../support/document-files.ts';
import { docxFile, paragraph } from '../../../support/office-files.ts';
import { zipFile } from '../../../support/zip-file.ts';

async function read(content: string | Buffer) {
  const reading = await readDocumentBytes(Buffer.from(content));
  if (reading.type === 'refused') throw new Error(`refused: ${reading.message}`);
  return { ...reading.document, text: reading.document.text.replace(/(?<=\S|^) +/gm, ' ') };
}

const numbering = `<w:numbering>${['bullet', 'decimal']
  .map(
    (format, index) =>
      `<w:abstractNum w:abstractNumId="${index}"><w:lvl w:ilvl="0"><w:numFmt w:val="${format}"/></w:lvl><w:lvl w:ilvl="1"><w:pStyle w:val="Linked${index}"/><w:numFmt w:val="${format}"/></w:lvl></w:abstractNum><w:num w:numId="${index + 1}"><w:abstractNumId w:val="${index}"/></w:num>`,
  )
  .join('')}</w:numbering>`;

function style(id: string, { base = '', list = '', level = '' }): string {
  const numbers = `${level === '' ? '' : `<w:ilvl w:val="${level}"/>`}${list === '' ? '' : `<w:numId w:val="${list}"/>`}`;
  return `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/><w:basedOn w:val="${base}"/><w:pPr><w:numPr>${numbers}</w:numPr></w:pPr></w:style>`;
}

const styles = `<w:styles>${[
  style('ListBullet', { list: '1' }),
  style('ListNumber', { list: '2' }),
  style('Inner', { base: 'ListBullet', level: '1' }),
  style('Linked1', { list: '2' }),
  style('Mine', { base: 'ListNumber' }),
  style('Plain', { base: 'ListNumber', list: '0' }),
  style('Circle', { base: 'Circle2' }),
  style('Circle2', { base: 'Circle' }),
].join('')}</w:styles>`;

function direct(text: string, id: string, numbers: string): string {
  return paragraph(text, '', id).replace('</w:pPr>', `${numbers}</w:pPr>`);
}

describe('a Word document', () => {
  test.each([
    [[paragraph('甲', '', 'ListBullet'), paragraph('乙', '', 'ListBullet')], '- 甲\n- 乙'],
    [[paragraph('one', '', 'ListNumber'), paragraph('two', '', 'ListNumber')], '1. one\n2. two'],
    [[paragraph('one', '', 'Mine'), paragraph('two', '', 'Mine')], '1. one\n2. two'],
    [[paragraph('a', '', 'ListBullet'), paragraph('b', '', 'Inner')], '- a\n - b'],
    [[paragraph('a', '', 'ListNumber'), paragraph('b', '', 'Linked1')], '1. a\n 1. b'],
    [[paragraph('a', '', 'ListNumber'), paragraph('b', '', 'Plain')], '1. a\n\nb'],
    [[direct('a', 'ListBullet', '<w:numPr><w:numId w:val="0"/></w:numPr>')], 'a'],
    [[direct('a', 'ListBullet', '<w:numPr><w:numId w:val="2"/></w:numPr>')], '1. a'],
    [[direct('a', 'ListNumber', '<w:pPrChange><w:pPr><w:pStyle w:val="Heading1"/></w:pPr></w:pPrChange>')], '1. a'],
    [[paragraph('a', '', 'Circle'), paragraph('b', '', 'Unknown')], 'a\n\nb'],
  ])('has the lists of its styles: %j', async (body, text) => {
    const file = docxFile(body.join(''), {}, { 'word/styles.xml': styles, 'word/numbering.xml': numbering });
    expect((await read(file)).text).toBe(text);
  });
});

function workbook(cells: string, state = ''): Buffer {
  return zipFile({
    'xl/workbook.xml': `<workbook><sheets><sheet name="S" r:id="r1"${state}/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r1" Type="http://a/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row r="2"><c r="A2"><v>5</v></c>${cells}</row></sheetData></worksheet>`,
  });
}

describe('an Excel workbook', () => {
  test.each([
    ['<c r="B2"><f>A2*2</f><v></v></c>', '=A2*2'],
    ['<c r="B2"><f>A2*2</f></c>', '=A2*2'],
    ['<c r="B2"><f>SUM(A2&amp;"x")</f><v/></c>', '=SUM(A2&"x")'],
    ['<c r="B2"><f>_xlfn.CONCAT(A2)</f></c>', '=CONCAT(A2)'],
    ['<c r="B2"><f>A2*2</f><v>10</v></c>', '10'],
    ['<c r="B2" t="str"><f>IF(A2,"","x")</f><v></v></c>', ''],
    [
      '<c r="B2"><f t="shared" ref="B2:C2" si="0">A2*2</f></c><c r="C2"><f t="shared" si="0"/></c>',
      '=A2*2 | (the formula of B2)',
    ],
    [
      '<c r="B2"><f t="shared" ref="B2:C2" si="0">A2*2</f><v>1</v></c><c r="C2"><f t="shared" si="0"/><v>2</v></c>',
      '1 | 2',
    ],
  ])('shows a formula only where no result is stored: %s', async (cells, shown) => {
    const row = shown === '' ? '| 5 |' : `| 5 | ${shown} |`;
    expect((await read(workbook(cells))).text.split('\n')[2]).toBe(row);
  });

  test.each([
    ['', '## S'],
    [' state="visible"', '## S'],
    [' state="hidden"', '## S (hidden)'],
    [' state="veryHidden"', '## S (hidden)'],
  ])('says which sheet is hidden: %j', async (state, head) => {
    expect((await read(workbook('', state))).text.split('\n')[0]).toBe(head);
  });

  test('of OpenDocument says which sheet is hidden, too', async () => {
    const table = (name: string) =>
      `<table:table table:name="${name}" table:style-name="${name}"><table:table-row/></table:table>`;
    const styles =
      '<style:style style:name="a" style:family="table"><style:table-properties table:display="true"/></style:style><style:style style:name="b" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const { text } = await read(odfFile('spreadsheet', table('a') + table('b') + table('c'), { styles }));
    expect(text).toBe('## a\n\n(empty)\n\n## b (hidden)\n\n(empty)\n\n## c\n\n(empty)');
  });

  test('of OpenDocument shows a formula without a result, too', async () => {
    const cells =
      '<table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:formula="of:=[.A1]*2"/><table:table-cell table:formula="of:=[.A1]" office:value-type="string"/>';
    const file = odfFile(
      'spreadsheet',
      `<table:table table:name="S"><table:table-row>${cells}</table:table-row></table:table>`,
    );
    expect((await read(file)).text).toBe('## S\n\n| a | =[.A1]*2 |\n| --- | --- |');
  });
});

describe('a file that is HTML in truth', () => {
  const rows = '<table><tr><td>品名</td><td>金额</td></tr><tr><td>笔记本</td><td>1,234</td></tr></table>';
  const shown = '| 品名 | 金额 |\n| 笔记本 | 1,234 |';
  const gbk = (text: string) => iconv.encode(text, 'gbk');
  test.each([
    ['a table alone', Buffer.from(rows)],
    [
      'an export of Excel',
      Buffer.from(
        `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style>td{mso-number-format:"0"}</style></head><body>${rows}</body></html>`,
      ),
    ],
    [
      'in GBK',
      gbk(
        `<html><head><meta http-equiv=Content-Type content="text/html; charset=gb2312"></head><body>${rows}</body></html>`,
      ),
    ],
    ['with a mark', Buffer.from(`\ufeff<!DOCTYPE html><html><body>${rows}</body></html>`)],
    ['in UTF-16', Buffer.from(`\ufeff<html><body>${rows}</body></html>`, 'utf16le')],
    ['after comments', Buffer.from(`<?xml version="1.0"?>\n<!-- a --><!-- b -->\n<html><body>${rows}</body></html>`)],
    ['with a meta first', Buffer.from(`<meta charset="utf-8">\n${rows}`)],
  ])('is read as a person sees it: %s', async (_name, content) => {
    const { kind, text } = await read(content);
    expect(kind).toMatch(/^HTML page/);
    expect(text).toContain(shown);
    expect(text).not.toMatch(/<|mso/);
  });

  test('hides what a browser hides', async () => {
    expect((await read('<html><body><p>seen</p><p style="display:none">orders</p></body></html>')).text).toBe('seen');
  });

  test.each([
    ['XML', '<note>plain</note>'],
    ['a sentence', 'a <table> of words'],
    ['another element', '<tablet>x</tablet>'],
    ['many comments', `${'<!---->'.repeat(500)}x`],
  ])('is not seen in %s', async (_name, content) => {
    expect(await read(content)).toMatchObject({ kind: 'text', text: content });
  });
});
