import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { formatSize } from '../../text.ts';
import type { DocumentText } from './document.ts';

/** The longest output of a cell that is read, in characters: its beginning and end. */
const longestOutput = 10_000;

/**
 * A Jupyter notebook as markdown: its texts, its code, and what it wrote; pictures are named. Undefined if the text is
 * none. The formats are nbformat 3 and 4.
 */
export function readNotebook(text: string): DocumentText | undefined {
  if (!/^\s*\{/.test(text) || !text.includes('"nbformat"')) return undefined;
  const notebook = parsed(text);
  if (notebook === undefined) return undefined;
  const cells = cellsIn(notebook);
  if (cells === undefined) return undefined;
  const language = languageOf(notebook);
  return {
    kind: 'Jupyter notebook',
    text: cells
      .map((cell) => cellText(cell, language))
      .filter(Boolean)
      .join('\n\n'),
  };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function cellsIn({ cells, worksheets }: JsonObject): readonly JsonObject[] | undefined {
  if (Array.isArray(cells)) return cells.filter(isJsonObject);
  // Until nbformat 3, cells stood in worksheets.
  if (!Array.isArray(worksheets)) return undefined;
  return worksheets
    .filter(isJsonObject)
    .flatMap((sheet) => (Array.isArray(sheet.cells) ? sheet.cells : []))
    .filter(isJsonObject);
}

function languageOf({ metadata }: JsonObject): string {
  if (!isJsonObject(metadata)) return '';
  const { language_info: info, kernelspec } = metadata;
  const named = isJsonObject(info) ? info.name : isJsonObject(kernelspec) ? kernelspec.language : undefined;
  return typeof named === 'string' ? named.replace(/[^\w+#-]/g, '').slice(0, 20) : '';
}

function cellText(cell: JsonObject, language: string): string {
  const source = joined(cell.source ?? cell.input);
  switch (cell.cell_type) {
    case 'markdown':
      return source;
    case 'heading':
      return `${'#'.repeat(Math.min(Math.max(Number(cell.level ?? 1) || 1, 1), 6))} ${source}`;
    case 'code': {
      const outputs = Array.isArray(cell.outputs) ? cell.outputs.filter(isJsonObject).map(outputText) : [];
      const code = source.trim() === '' ? [] : [fenced(source, language)];
      return [...code, ...outputs.filter((output) => output !== '')].join('\n\n');
    }
    default:
      return source.trim() === '' ? '' : fenced(source, '');
  }
}

/** Texts are strings, or lists of lines. */
function joined(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}

/** In a fence that nothing in the text closes. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n+$/, '')}\n${fence}`;
}

function outputText(output: JsonObject): string {
  const { output_type: type, traceback, ename, evalue } = output;
  if (type === 'error' || type === 'pyerr') {
    const trace = joined(Array.isArray(traceback) ? traceback.map((line) => `${String(line)}\n`) : traceback);
    return shown(`${trace === '' ? `${joined(ename)}: ${joined(evalue)}` : trace}`, 'Error');
  }
  if (type === 'stream') return shown(joined(output.text), 'Output');
  // nbformat 3 has the forms beside the type.
  const data = isJsonObject(output.data) ? output.data : output;
  const pictures = Object.entries(data).flatMap(([form, value]) => pictureName(form, value));
  const plain = joined(data['text/plain'] ?? data.text ?? data['text/markdown'] ?? data['text/latex']);
  // Beside a picture, the text is the name of an object.
  const words = pictures.length > 0 ? '' : shown(plain, 'Output');
  const isWeb =
    pictures.length === 0 && plain === '' && Object.keys(data).some((form) => /html|javascript|widget/.test(form));
  return [words, ...pictures, ...(isWeb ? ['[output for browsers]'] : [])].filter((part) => part !== '').join('\n\n');
}

function pictureName(form: string, value: JsonValue): readonly string[] {
  const type = /^(?:image\/)?(png|jpeg|gif|webp|svg\+xml|svg)$/.exec(form)?.[1];
  if (type === undefined) return [];
  const text = joined(value);
  const bytes = type.startsWith('svg') ? text.length : Math.floor((text.replace(/\s/g, '').length * 3) / 4);
  return [`[picture: ${type.replace('+xml', '')}, ${formatSize(bytes)}]`];
}

function shown(text: string, title: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are coloured so.
  const plain = text.replace(/\u001b\[[\d;]*[A-Za-z]/g, '');
  if (plain.trim() === '') return '';
  const half = longestOutput / 2;
  const cut =
    plain.length <= longestOutput
      ? plain
      : `${plain.slice(0, half)}\n[… ${plain.length - longestOutput} characters left out …]\n${plain.slice(-half)}`;
  return `${title}:\n\n${fenced(cut, '')}`;
}
