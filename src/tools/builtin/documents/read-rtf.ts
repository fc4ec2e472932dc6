import { DocumentError, type DocumentText, decodeText } from './document.ts';

/** What is not text of the document: fonts, colours, styles, pictures, objects, and what each page repeats. */
const unread: ReadonlySet<string> = new Set(
  `fonttbl colortbl stylesheet info pict object objdata themedata colorschememapping datastore latentstyles listtable
  listoverridetable rsidtbl generator filetbl revtbl header headerl headerr headerf footer footerl footerr footerf fldinst
  xmlnstbl bkmkstart bkmkend nonshppict shpinst sp userprops docvar annotation atnid atnauthor pgptbl falt panose`.split(
    /\s+/,
  ),
);

/** Characters that have a word. */
const words: ReadonlyMap<string, string> = new Map([
  ['par', '\n\n'],
  ['sect', '\n\n'],
  ['page', '\n\n'],
  ['line', '\n'],
  ['row', '\n'],
  ['cell', ' | '],
  ['tab', '\t'],
  ['emdash', '—'],
  ['endash', '–'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['bullet', '•'],
]);

/** Windows code pages by the charsets of fonts. */
const fontCharsets: ReadonlyMap<number, string> = new Map([
  [128, 'shift_jis'],
  [129, 'euc-kr'],
  [134, 'gbk'],
  [136, 'big5'],
  [161, 'windows-1253'],
  [162, 'windows-1254'],
  [163, 'windows-1258'],
  [177, 'windows-1255'],
  [178, 'windows-1256'],
  [186, 'windows-1257'],
  [204, 'windows-1251'],
  [222, 'windows-874'],
  [238, 'windows-1250'],
]);

interface Group {
  readonly isSkipped: boolean;
  readonly isHidden: boolean;
  readonly font: number;
  /** How many characters follow `\u` for programs that do not know it. */
  readonly unicodeSkip: number;
}

/** A Rich Text document as plain text, without hidden text (RTF 1.9.1). Throws `DocumentError`. */
export function readRtf(source: string): DocumentText {
  const text = plainText(source).replace(/(?: \| )+\n/g, '\n');
  if (text.trim() === '') throw new DocumentError('The document has no text: its content is pictures or objects.');
  return { kind: 'Rich Text document', text };
}

function plainText(source: string): string {
  const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;
  const fonts = fontsIn(source);
  const parts: string[] = [];
  const groups: Group[] = [];
  let group: Group = { isSkipped: false, isHidden: false, font: 0, unicodeSkip: 1 };
  let codePage = 'windows-1252';
  let bytes: number[] = [];
  let toSkip = 0;
  let [isStart, isOptional] = [false, false];

  const flush = (): void => {
    if (bytes.length > 0) parts.push(decodedBytes(Buffer.from(bytes), fonts.get(group.font) ?? codePage));
    bytes = [];
  };
  const put = (text: string): void => {
    flush();
    if (!group.isSkipped && !group.isHidden) parts.push(text);
  };
  const obey = (word: string, value: number | undefined): void => {
    if (isStart && (unread.has(word) || isOptional)) group = { ...group, isSkipped: true };
    if (word === 'ansicpg') codePage = `windows-${value}`;
    if (word === 'uc') group = { ...group, unicodeSkip: value ?? 1 };
    if (word === 'v') group = { ...group, isHidden: value !== 0 };
    if (word === 'plain') group = { ...group, isHidden: false };
    if (word === 'f') {
      flush();
      group = { ...group, font: value ?? 0 };
    }
    if (word === 'u' && value !== undefined) {
      put(String.fromCharCode((value + 65_536) % 65_536));
      toSkip = group.unicodeSkip;
      return;
    }
    const character = words.get(word);
    if (character !== undefined) put(character);
  };

  for (const [, word, value, hex, symbol, brace, run] of source.matchAll(token)) {
    if (brace === '{') {
      flush();
      groups.push(group);
      [isStart, isOptional, toSkip] = [true, false, 0];
      continue;
    }
    if (brace === '}') {
      flush();
      group = groups.pop() ?? group;
      toSkip = 0;
    } else if (word !== undefined) {
      obey(word.toLowerCase(), value === undefined ? undefined : Number(value));
    } else if (symbol === '*' && isStart) {
      isOptional = true;
      continue;
    } else if (hex !== undefined) {
      if (toSkip > 0) toSkip -= 1;
      else if (!group.isSkipped && !group.isHidden) bytes.push(Number.parseInt(hex, 16));
    } else if (symbol !== undefined) {
      put(
        symbol === '~'
          ? ' '
          : symbol === '_'
            ? '-'
            : /[\\{}]/.test(symbol)
              ? symbol
              : /[\r\n]/.test(symbol)
                ? '\n\n'
                : '',
      );
    } else if (run !== undefined) {
      put(run.slice(toSkip));
      toSkip = Math.max(0, toSkip - run.length);
    }
    isStart = false;
  }
  flush();
  return parts.join('');
}

/** The charset of each font that has one of its own. */
function fontsIn(source: string): ReadonlyMap<number, string> {
  const at = source.indexOf('\\fonttbl');
  const table = at === -1 ? '' : source.slice(at, at + 100_000);
  return new Map(
    [...table.matchAll(/\\f(\d{1,5})(?=[\\ ])[^{}]{0,200}?\\fcharset(\d{1,3})/g)].flatMap(([, font, charset]) => {
      const name = fontCharsets.get(Number(charset));
      return name === undefined ? [] : [[Number(font), name] as const];
    }),
  );
}

function decodedBytes(bytes: Buffer, charset: string): string {
  const label = charset.replace(/^windows-(?=9(?:36|32|49|50)$)/, 'cp');
  try {
    return new TextDecoder(labels.get(label) ?? label, { fatal: true }).decode(bytes);
  } catch {
    return decodeText(bytes, [label]);
  }
}

const labels: ReadonlyMap<string, string> = new Map([
  ['cp936', 'gbk'],
  ['cp932', 'shift_jis'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
]);
