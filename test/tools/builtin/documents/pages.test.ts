import { describe, expect, test } from 'vitest';
import { visibleText } from '../../../../src/tools/builtin/documents/document.ts';
import { pagesOf, shownPage } from '../../../../src/tools/builtin/documents/document-reader.ts';
import { readDocumentBytes } from '../../../../src/tools/builtin/documents/read-document-bytes.ts';
import { zipFile } from '../../../support/zip-file.ts';

describe('a page', () => {
  test('ends at a paragraph, else at a line, else at a word, else where it is full', () => {
    expect(pagesOf('one two\nthree\n\nfour five', 20)).toEqual(['one two\nthree', 'four five']);
    expect(pagesOf('one two\nthree four', 12)).toEqual(['one two', 'three four']);
    expect(pagesOf('one two three', 10)).toEqual(['one two', 'three']);
    expect(pagesOf('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  });

  test('is not cut early for a paragraph that is far from its end', () => {
    expect(pagesOf('a\n\nbcdefgh ijklm', 12)).toEqual(['a\n\nbcdefgh', 'ijklm']);
  });

  test('does not halve a character', () => {
    expect(pagesOf('abc😀d', 4)).toEqual(['abc', '😀d']);
  });

  test('is one, though empty, of a text that is empty, and none beyond the last', () => {
    expect(pagesOf('', 10)).toEqual(['']);
    const wanted = { source: [], page: 2, pageChars: 10 };
    expect(shownPage({ kind: 'text', text: 'abc' }, wanted).forLlm).toBe('There is no page 2: it has one page.');
  });
});

test.each([
  ['zero-width characters', 'a\u200bb\u2060c\ufeffd', 'abcd'],
  ['characters that turn the direction', 'a\u202eb\u2066c', 'abc'],
  ['letters that are nothing but tags', 'a\u{e0069}\u{e0067}b', 'ab'],
  ['variation selectors that carry data', '😀\ufe01\u{e0101}\u{e0102}', '😀'],
  ['joiners that join nothing', 'a\u200db \u200c\u200c c\u200d', 'ab  c'],
  ['soft hyphens, controls and halves of characters', 'a\u00adb\u0007c\u001b[1m\ud83d', 'abc[1m\ufffd'],
  ['more than one empty line, and spaces at the end of lines', '\n\na  \r\n\r\n \n\nb\t\n', 'a\n\nb'],
])('takes out %s', (_, text, expected) => {
  expect(visibleText(text)).toBe(expected);
});

test('keeps what people see, and what joins it', () => {
  for (const text of ['👨‍👩‍👧‍👦 ❤️', 'می‌خواهم', 'क्‍ष', 'a\tb\n\n  c', 'Ünïcödé 日本語'])
    expect(visibleText(text)).toBe(text);
});

const office = 'http://purl.oclc.org/ooxml/officeDocument/relationships';

/** What is read of a workbook with prefixes and the names of the strict standard, its first sheet with these rows. */
async function read(rows: string, { strings = '', codes = [''], workbook = '' } = {}): Promise<string> {
  const relations = (list: string): string => `<Relationships>${list}</Relationships>`;
  const relation = (id: string, kind: string, target: string): string =>
    `<Relationship Id="${id}" Type="${office}/${kind}" Target="${target}"/>`;
  const reading = await readDocumentBytes(
    zipFile({
      '_rels/.rels': relations(relation('a', 'officeDocument', 'xl/workbook.xml')),
      'xl/workbook.xml': `<!DOCTYPE x [<!ENTITY a "bomb">]><x:workbook>${workbook}<x:sheets><x:sheet name="Last" r:id="b"/><x:sheet name="First" state="hidden" r:id="c"/><x:sheet name="Chart" r:id="d"/></x:sheets></x:workbook>`,
      'xl/_rels/workbook.xml.rels': relations(
        `${relation('c', 'worksheet', '/xl/worksheets/one.xml')}${relation('b', 'worksheet', 'worksheets/two.xml')}${relation('d', 'chartsheet', 'chart.xml')}${relation('e', 'sharedStrings', 'sharedStrings.xml')}${relation('f', 'styles', 'styles.xml')}`,
      ),
      'xl/sharedStrings.xml': `<x:sst>${strings}</x:sst>`,
      'xl/styles.xml': `<x:styleSheet><x:numFmts>${codes.map((code, index) => `<x:numFmt numFmtId="${200 + index}" formatCode="${code}"/>`).join('')}</x:numFmts><x:cellStyleXfs><x:xf numFmtId="200"/></x:cellStyleXfs><x:cellXfs>${codes.map((_, index) => `<x:xf numFmtId="${200 + index}"/>`).join('')}<x:xf xfId="0"/></x:cellXfs></x:styleSheet>`,
      'xl/worksheets/one.xml': '<x:worksheet/>',
      'xl/worksheets/two.xml': `<x:worksheet><x:sheetData>${rows}</x:sheetData></x:worksheet>`,
    }),
  );
  if (reading.type === 'refused') throw new Error(reading.message);
  return reading.document.text;
}

const cell = (value: string, attributes = ''): string => `<x:c ${attributes}><x:v>${value}</x:v></x:c>`;

/** The cells of one row. */
async function cells(row: string, options = {}): Promise<readonly string[]> {
  const line = (await read(`<x:row>${row}</x:row>`, options)).split('\n')[2] ?? '';
  return line.slice(2, -2).split(' | ');
}

test('sheets come in the order of the workbook, hidden ones too, without charts', async () => {
  expect(await read(`<x:row>${cell('1')}</x:row>`)).toBe('## Last\n\n| 1 |\n| --- |\n\n## First (hidden)\n\n(empty)');
});

test('texts are read from runs, in the cell or shared, without how they are spoken; entities of their own stay unread', async () => {
  const strings =
    '<x:si><x:r><x:t>a </x:t></x:r><x:r><x:t>b</x:t></x:r><x:rPh><x:t>spoken</x:t></x:rPh></x:si><x:si><x:t>_x0041_&amp;&a;</x:t></x:si>';
  const inline = '<x:c t="inlineStr"><x:is><x:r><x:t>in</x:t></x:r><x:r><x:t>line</x:t></x:r></x:is></x:c>';
  const row = `${cell('0', 't="s"')}${cell('1', 't="s"')}${cell('9', 't="s"')}${inline}${cell('r', 't="str"')}`;
  expect(await cells(row, { strings })).toEqual(['a b', 'A&&a;', '', 'inline', 'r']);
});

test('numbers have no noise, and long ones all their digits; formulas have their results', async () => {
  const formula = '<x:c><x:f>1+1</x:f><x:v>2</x:v></x:c>';
  const row = `${cell('0.30000000000000004')}${cell('12345678901234567890')}${cell('1E-3')}${cell('1', 't="b"')}${cell('#DIV/0!', 't="e"')}${formula}`;
  expect(await cells(row)).toEqual(['0.3', '12345678901234567890', '0.001', 'true', '#DIV/0!', '2']);
});

test('dates are known by their format, and counted from 1900 or 1904', async () => {
  const codes = ['yyyy-mm-dd', '&quot;days&quot; 0', '[h]:mm', 'h:mm AM/PM', '[Red]0.00', 'yyyymmdd'];
  const row = (value: string): string => codes.map((_, style) => cell(value, `s="${style}"`)).join('');
  const date = '2024-02-29 12:00:00';
  expect(await cells(row('45351.5'), { codes })).toEqual([date, '45351.5', '1088436:00:00', date, '45351.5', date]);
  expect(await cells(row('0.5'), { codes })).toEqual(['12:00:00', '0.5', '12:00:00', '12:00:00', '0.5', '12:00:00']);
  expect((await cells(row('1'), { codes }))[0]).toBe('1900-01-01');
  // A style of its own without a format has that of its base.
  expect(await cells(cell('45351.5', `s="${codes.length}"`), { codes })).toEqual([date]);
  const workbook = '<x:workbookPr date1904="1"/>';
  expect((await cells(row('43889.5'), { codes, workbook }))[0]).toBe(date);
});

test('cells stand in their columns, and one at the far end of the sheet fills nothing up', async () => {
  expect(await cells(`${cell('1', 'r="B1"')}${cell('2', 'r="D1"')}`)).toEqual(['', '1', '', '2']);
  const far = `<x:row r="1">${cell('1', 'r="A1"')}</x:row><x:row r="1048576">${cell('2', 'r="XFD1048576"')}</x:row>`;
  expect(await read(far)).toContain('| 1 |  |\n| --- | --- |\n|  | 2 |');
  const diagonal = Array.from({ length: 16_384 }, () => '<x:row><x:c r="XFE1"/></x:row>').join('');
  expect(await read(diagonal)).toContain('(empty)');
});

test('one long text in very many cells is kept only so often', async () => {
  const strings = `<x:si><x:t>${'x'.repeat(1_000_000)}</x:t></x:si>`;
  const text = await read(`<x:row>${cell('0', 't="s"').repeat(2_000)}</x:row>`, { strings });
  expect(text.length).toBeLessThan(3_000_000);
});
