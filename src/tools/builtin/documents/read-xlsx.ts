import { DocumentError, type DocumentText, markdownTable, mostDocumentText } from './document.ts';
import { elementsIn, type OfficeArchive, type Related, relatedTo, walk } from './office-archive.ts';

/**
 * All sheets of an Excel workbook as tables, in order, hidden ones too. Formulas show their last results, or themselves
 * if a program has stored none; merged cells appear in the first of them. Names are those of ECMA-376 (SpreadsheetML). Throws `DocumentError`.
 */
export function readXlsx({ part }: OfficeArchive): DocumentText {
  const workbookPath = pathOf('officeDocument', relatedTo('', part)) ?? 'xl/workbook.xml';
  const workbook = part(workbookPath);
  const related = relatedTo(workbookPath, part);
  const sheets = elementsIn(workbook, 'sheet');
  if (sheets.length === 0) throw new DocumentError('The document is broken: it has no sheets that can be read.');
  const book = {
    strings: elementsIn(part(pathOf('sharedStrings', related) ?? 'xl/sharedStrings.xml'), 'si').map(({ text }) =>
      unescaped(text),
    ),
    kinds: kindsIn(part(pathOf('styles', related) ?? 'xl/styles.xml')),
    isFrom1904: isOn(elementsIn(workbook, 'workbookPr')[0]?.attributes.date1904),
  };
  const room = { characters: mostDocumentText };
  const texts = sheets.flatMap(({ attributes: { name = '', id = '', state = 'visible' } }) => {
    const sheet = related.get(id);
    // A sheet may be a chart without cells.
    if (sheet?.kind !== 'worksheet') return [];
    const rows = rowsIn(part(sheet.path), (cell) => cellText(cell, book), room);
    const hidden = state === 'visible' ? '' : ' (hidden)';
    return [`## ${unescaped(name).replace(/\s+/g, ' ')}${hidden}\n\n${markdownTable(evened(rows)) || '(empty)'}`];
  });
  return { kind: 'Excel workbook', text: texts.join('\n\n') };
}

function pathOf(kind: string, related: ReadonlyMap<string, Related>): string | undefined {
  return [...related.values()].find((one) => one.kind === kind)?.path;
}

interface Cell {
  readonly type: string;
  readonly style: string;
  value: string;
  formula: string;
}

export type Rows = readonly (readonly string[])[];

/** How many characters of cells may still be read: of all sheets together, no more than is shown of a document. */
interface Room {
  characters: number;
}

/** The cells with a text, each at the index of its column. Rows without any are left out. */
function rowsIn(xml: string, textOf: (cell: Cell) => string, room: Room): Rows {
  const rows: string[][] = [];
  let row: string[] = [];
  let column = -1;
  let cell: Cell = { type: '', style: '', value: '', formula: '' };
  let place = '';
  /** Where a formula stands that other cells share. */
  const shared = new Map<string, string>();
  walk(xml, {
    open(name, { r = '', t = '', s = '', si = '' }) {
      if (name === 'row') [row, column] = [[], -1];
      // Only the first of those that share a formula has its text.
      if (name === 'f' && t === 'shared') {
        const first = shared.get(si);
        if (first === undefined) shared.set(si, place || 'another cell');
        else cell.formula = `(the formula of ${first})`;
      }
      if (name !== 'c') return;
      column = columnOf(r) ?? column + 1;
      place = r;
      cell = { type: t, style: s, value: '', formula: '' };
    },
    text(text, isIn) {
      if (isIn('f') && isIn('c')) cell.formula = `${cell.formula || '='}${text}`;
      // Phonetic hints are not part of a text.
      const isValue = isIn('v') || (isIn('is') && isIn('t') && !isIn('rPh'));
      if (isIn('sheetData') && isIn('c') && isValue) cell.value += text;
    },
    close(name, isIn) {
      if (name === 'row' && row.length > 0) rows.push(row);
      if (name !== 'c' || !isIn('sheetData') || column >= mostColumns || room.characters <= 0) return;
      const text = textOf(cell).trim() || unreckoned(cell);
      if (text === '') return;
      room.characters -= text.length;
      row[column] = text;
    },
  });
  return rows;
}

/** Of a formula, in characters: people write shorter ones. */
const longestFormula = 500;

/** The formula of a cell that has no result: a program has written it, and no Excel has reckoned it yet. */
function unreckoned({ type, formula }: Cell): string {
  // The result may be an empty text.
  return type === 'str' ? '' : formula.replace(/_xl(?:fn|ws)\./g, '').slice(0, longestFormula);
}

/** Excel's limit. */
const mostColumns = 16_384;

/** `B7` is in column 1. */
function columnOf(reference: string): number | undefined {
  const letters = /^[a-z]{1,3}/i.exec(reference)?.[0].toUpperCase();
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** A wider table is shown without the columns that are empty in all rows: one cell may be at the far end. */
const widest = 256;

/** Rows of equal width, as many as there is room for. */
export function evened(rows: Rows): Rows {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const used = new Set(rows.flatMap((row) => (width > widest ? Object.keys(row) : [])));
  const columns = Array.from({ length: width }, (_, column) => column).filter(
    (column) => width <= widest || used.has(`${column}`),
  );
  // Each cell takes three characters around its text.
  const count = Math.max(1, Math.floor(mostDocumentText / Math.max(1, columns.length)));
  return rows.slice(0, count).map((row) => columns.map((column) => row[column] ?? ''));
}

interface Book {
  readonly strings: readonly string[];
  readonly kinds: readonly Kind[];
  readonly isFrom1904: boolean;
}

function cellText({ type, style, value }: Cell, { strings, kinds, isFrom1904 }: Book): string {
  switch (type) {
    case 's':
      return strings[Number(value || Number.NaN)] ?? '';
    case 'str':
    case 'inlineStr':
      return unescaped(value);
    case 'b':
      return value === '' ? '' : String(isOn(value));
    case 'd':
      return value.replace(/(?:T00:00:00)?(?:\.0+)?Z?$/, '').replace('T', ' ');
    case '':
    case 'n':
      return numberText(value.trim(), kinds[Number(style || 0)] ?? 'number', isFrom1904);
    default:
      // An error, as #DIV/0!
      return value;
  }
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

/** Decodes `_x000D_`: characters that XML does not allow. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

type Kind = 'number' | 'date' | 'duration';

/** The kind of value of each style. One without a format of its own has that of its base. */
function kindsIn(xml: string): readonly Kind[] {
  const formats = elementsIn(xml, 'numFmt').map(({ attributes: { numFmtId = '', formatCode = '' } }) => {
    return [numFmtId, formatCode] as const;
  });
  const codes = new Map(formats);
  const bases = elementsIn(xml, 'xf', 'cellStyleXfs').map(({ attributes }) => attributes.numFmtId);
  return elementsIn(xml, 'xf', 'cellXfs').map(({ attributes: { numFmtId, xfId } }) => {
    const id = numFmtId ?? bases[Number(xfId)] ?? '';
    return kindOf(Number(id), codes.get(id) ?? '');
  });
}

/** Built-in formats without a code that are dates and times, including those of languages. */
const dates = [
  [14, 22],
  [27, 36],
  [45, 45],
  [47, 47],
  [50, 58],
  [71, 81],
] as const;

/** Excel's limit. */
const longestCode = 255;

function kindOf(id: number, code: string): Kind {
  if (id === 46) return 'duration';
  if (dates.some(([first, last]) => id >= first && id <= last)) return 'date';
  // Without literals, spacing and fill characters.
  const bare = code.slice(0, longestCode).replace(/"[^"]*"|\\.|_.|\*./g, '');
  const sections = bare.split(';');
  if (sections.some((section) => /\[(?:h+|m+|s+)\]/i.test(section))) return 'duration';
  return sections.some(isDate) ? 'date' : 'number';
}

/** Brackets hold colours, languages and conditions; seconds may have fractions. */
function isDate(section: string): boolean {
  const letters = section.replace(/\[[^\]]*\]|(?<=s)[.,]0+/gi, '');
  return /[dmyhs]|aaa|^e+$/i.test(letters) && !/[0#?%@]/.test(letters) && !/[^\Wabdeghmpsy]/i.test(letters);
}

function numberText(value: string, kind: Kind, isFrom1904: boolean): string {
  const number = Number(value);
  if (value === '' || !Number.isFinite(number)) return value;
  if (kind === 'duration') return durationText(number);
  if (kind === 'date') return dateText(number, isFrom1904) ?? value;
  // An integer with more digits than a double holds stays as it is: it may be an account number.
  return /^-?\d+$/.test(value) ? value : String(Number(number.toPrecision(15)));
}

const day = 86_400_000;
/** From 1899-12-30 to 1970-01-01. */
const days1900 = 25_569;
const days1904 = 24_107;

/** Undefined if there is no such day. Excel treats 1900 as a leap year, so its first days have other numbers. */
function dateText(number: number, isFrom1904: boolean): string | undefined {
  const isEarly = !isFrom1904 && number >= 1 && number < 60;
  const days = number + (isEarly ? 1 : 0) - (isFrom1904 ? days1904 : days1900);
  const date = new Date(Math.round(days * day));
  if (Number.isNaN(date.getTime())) return undefined;
  const [today = '', time = ''] = date
    .toISOString()
    .replace(/(?:\.000)?Z$/, '')
    .split('T');
  // Less than a day is a time.
  if (number >= 0 && number < 1 && !isFrom1904) return time;
  return time === '00:00:00' ? today : `${today} ${time}`;
}

/** Hours may exceed a day. */
function durationText(number: number): string {
  const seconds = Math.round(Math.abs(number) * 86_400);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${number < 0 ? '-' : ''}${parts.map((part) => String(part).padStart(2, '0')).join(':')}`;
}
