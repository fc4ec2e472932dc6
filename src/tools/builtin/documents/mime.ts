import { decodeText } from './document.ts';

/** The limits of a message: parts, their nesting, and the length of its headers in characters. */
const mostParts = 2000;
const deepest = 20;
const mostHeaders = 200_000;

/** A part of a message, as RFC 2045 has it. */
export interface MimePart {
  /** In lower case: `text/html`. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** Of its disposition or type, if it has one. */
  readonly fileName: string | undefined;
  readonly isAttachment: boolean;
  /** The value of a header, decoded and on one line; empty if there is none. */
  header(name: string): string;
  /** Its content, without the encoding of the transfer. */
  readonly body: Buffer;
  /** Of a multipart, and of a message in a message. */
  readonly parts: readonly MimePart[];
  /** The end of a multipart is missing. */
  readonly isCut: boolean;
}

/** Headers of which a mail has at least two. */
const known =
  /^(?:from|to|cc|subject|date|message-id|mime-version|received|return-path|delivered-to|reply-to|content-type):/i;

/** Whether these bytes are a mail, a mailbox or a page saved as one (MHTML): they begin with headers, and nothing else. */
export function isMail(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, mostHeaders).replace(/^\s*(?:>?From [^\r\n]*\r?\n)?/, '');
  const empty = /\r?\n\r?\n/.exec(start)?.index;
  // Without an empty line, all is headers but for the last, which may be cut.
  const head = start.slice(0, empty ?? Math.max(0, start.trimEnd().lastIndexOf('\n')));
  const lines = head.replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/);
  return lines.every((line) => /^[!-9;-~]+:/.test(line)) && lines.filter((line) => known.test(line)).length > 1;
}

/**
 * Takes a message apart (RFC 5322, 2045 to 2047, 2231). Linear in its length; beyond the limits, parts are left out. The
 * charsets that it declares are only hints, since many programs declare a wrong one or none.
 */
export function readMime(bytes: Buffer): MimePart {
  return readPart(bytes.toString('latin1'), { left: mostParts }, 0, 'text/plain');
}

/** The text of a part, in the charset that fits its bytes. */
export function textOf({ body, parameters }: MimePart): string {
  return decodeText(body, charsetIn(parameters));
}

function readPart(source: string, room: { left: number }, depth: number, usualType: string): MimePart {
  room.left -= 1;
  const { headers, content } = headersIn(source);
  const declared = valueWithParameters(headers.get('content-type') ?? '');
  const disposition = valueWithParameters(headers.get('content-disposition') ?? '');
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(declared.value) ? declared.value : usualType;
  const boundary = declared.parameters.get('boundary') ?? '';
  const canGoOn = depth < deepest && room.left > 0;
  const isMultipart = type.startsWith('multipart/') && boundary !== '' && canGoOn;
  const split = isMultipart ? splitAt(content, boundary) : { sources: [], isCut: false };
  const inner = type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  const body = isMultipart ? Buffer.alloc(0) : decoded(content, headers.get('content-transfer-encoding') ?? '');
  const isMessage = type === 'message/rfc822' && canGoOn;
  const sources = isMessage ? [body.toString('latin1')] : split.sources;
  const fileName = disposition.parameters.get('filename') ?? declared.parameters.get('name');
  return {
    type,
    parameters: declared.parameters,
    fileName: fileName === undefined ? undefined : headerText(fileName, declared.parameters),
    isAttachment: disposition.value === 'attachment',
    header: (name) => headerText(headers.get(name) ?? '', declared.parameters),
    body,
    parts: sources.flatMap((one) => (room.left > 0 ? [readPart(one, room, depth + 1, inner)] : [])),
    isCut: split.isCut,
  };
}

/** The first header of each name, in lower case, unfolded; and what follows the empty line. */
function headersIn(source: string) {
  const empty = /^\r?\n|\r?\n\r?\n/.exec(source.slice(0, mostHeaders));
  const end = empty?.index ?? Math.min(source.length, mostHeaders);
  const headers = new Map<string, string>();
  for (const line of source
    .slice(0, end)
    .replace(/\r?\n(?=[ \t])/g, '')
    .split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name !== '' && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return { headers, content: empty === null ? '' : source.slice(end + empty[0].length) };
}

/** What stands between the lines with the boundary. */
function splitAt(content: string, boundary: string) {
  const mark = `--${boundary}`;
  const sources: string[] = [];
  let start: number | undefined;
  for (let at = content.indexOf(mark); at !== -1; at = content.indexOf(mark, at + mark.length)) {
    const lineEnd = content.indexOf('\n', at);
    const rest = content.slice(at + mark.length, lineEnd === -1 ? content.length : lineEnd);
    if ((at > 0 && content[at - 1] !== '\n') || !/^(?:--)?[ \t\r]*$/.test(rest.slice(0, 100))) continue;
    if (start !== undefined) sources.push(content.slice(start, at).replace(/\r?\n$/, ''));
    if (rest.startsWith('--')) return { sources, isCut: false };
    start = lineEnd === -1 ? content.length : lineEnd + 1;
  }
  return { sources: start === undefined ? sources : [...sources, content.slice(start)], isCut: true };
}

function decoded(content: string, encoding: string): Buffer {
  switch (encoding.trim().toLowerCase()) {
    case 'base64':
      return Buffer.from(content, 'base64');
    case 'quoted-printable':
      return Buffer.from(unquoted(content.replace(/=[ \t]*\r?\n/g, '')), 'latin1');
    default:
      return Buffer.from(content, 'latin1');
  }
}

function unquoted(text: string): string {
  return text.replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** `text/plain; charset="utf-8"`. Parameters may be in pieces and encoded (RFC 2231). */
function valueWithParameters(header: string) {
  const [value = ''] = header.split(';', 1);
  const pieces = new Map<string, { index: number; text: string; isEncoded: boolean }[]>();
  for (const [, name = '', index, star, quoted, plain = ''] of header
    .slice(value.length, value.length + 5000)
    .matchAll(/;\s*([\w-]+)(?:\*(\d{1,3}))?(\*)?\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g)) {
    const list = pieces.get(name.toLowerCase()) ?? [];
    const text = quoted?.replace(/\\(.)/g, '$1') ?? plain.trim();
    list.push({ index: Number(index ?? 0), text, isEncoded: star !== undefined });
    pieces.set(name.toLowerCase(), list);
  }
  const parameters = new Map([...pieces].map(([name, list]) => [name, joinedPieces(list)] as const));
  return { value: value.trim().toLowerCase(), parameters };
}

function joinedPieces(list: readonly { index: number; text: string; isEncoded: boolean }[]): string {
  const sorted = list.toSorted((one, other) => one.index - other.index);
  if (!sorted.some(({ isEncoded }) => isEncoded)) return sorted.map(({ text }) => text).join('');
  const [, charset = '', first = ''] = /^([^']*)'[^']*'([\s\S]*)$/.exec(sorted[0]?.text ?? '') ?? [];
  const rest = charset === '' && first === '' ? sorted : [{ text: first, isEncoded: true }, ...sorted.slice(1)];
  const bytes = rest.map(({ text, isEncoded }) => (isEncoded ? unquoted(text.replace(/%/g, '=')) : text)).join('');
  return asDeclared(Buffer.from(bytes, 'latin1'), charset);
}

/** RFC 2047. Words of one charset are decoded together: some programs cut within a character. */
function headerText(raw: string, parameters: ReadonlyMap<string, string>): string {
  const word = /=\?([\w.:-]+)(?:\*[\w-]*)?\?([bq])\?([^?]*)\?=/gi;
  // A parameter that was decoded already is no longer made of bytes.
  const plain = (text: string): string =>
    /[\x80-\xff]/.test(text) && !/[^\0-\xff]/.test(text)
      ? decodeText(Buffer.from(text, 'latin1'), charsetIn(parameters))
      : text;
  let result = '';
  let last = 0;
  let pending: { readonly charset: string; readonly bytes: Buffer[] } | undefined;
  const flush = (): void => {
    if (pending !== undefined) result += asDeclared(Buffer.concat(pending.bytes), pending.charset);
    pending = undefined;
  };
  for (const found of raw.matchAll(word)) {
    const [whole, charset = '', encoding = '', text = ''] = found;
    const between = raw.slice(last, found.index);
    const isNext = pending !== undefined && between.trim() === '';
    if (!isNext || pending?.charset !== charset.toLowerCase()) flush();
    if (!isNext) result += plain(between);
    pending ??= { charset: charset.toLowerCase(), bytes: [] };
    const bytes =
      encoding.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64')
        : Buffer.from(unquoted(text.replace(/_/g, ' ')), 'latin1');
    pending.bytes.push(bytes);
    last = found.index + whole.length;
  }
  flush();
  return (result + plain(raw.slice(last))).replace(/\s+/g, ' ').trim();
}

/** Short words say too little of their charset: what is declared counts, if it fits. */
function asDeclared(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return decodeText(bytes, charset === '' ? [] : [charset]);
  }
}

function charsetIn(parameters: ReadonlyMap<string, string>): readonly string[] {
  const charset = parameters.get('charset');
  return charset === undefined ? [] : [charset];
}
