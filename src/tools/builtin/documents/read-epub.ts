import { posix } from 'node:path';
import { wholeHtml } from '../web/read-html.ts';
import { DocumentError, type DocumentText, decodeText, mostDocumentText } from './document.ts';
import { elementsIn, type OfficeArchive, walk } from './office-archive.ts';

/**
 * The chapters of an EPUB book as markdown, in the order of its spine. Names are those of EPUB 3.3 and of the Open
 * Container Format. Throws `DocumentError`, also if the chapters are encrypted.
 */
export function readEpub(archive: OfficeArchive): DocumentText {
  const { part } = archive;
  const packagePath = elementsIn(part('META-INF/container.xml'), 'rootfile')[0]?.attributes['full-path'] ?? '';
  const book = packageIn(xmlOf(archive, packagePath), posix.dirname(packagePath));
  if (book.chapters.length === 0)
    throw new DocumentError('The book is broken: it does not say which chapters it has, or in which order.');
  const locked = encryptedIn(part('META-INF/encryption.xml'));
  if (book.chapters.some((path) => locked.has(path)))
    throw new DocumentError('The book is protected (DRM): only the program of its shop can read it.');

  const missing = book.chapters.filter((path) => archive.bytes(path).length === 0);
  const texts: string[] = [];
  let length = 0;
  for (const path of book.chapters) {
    if (length >= mostDocumentText) break;
    const text = wholeHtml(openTags(xmlOf(archive, path)));
    length += text.length;
    if (text.trim() !== '') texts.push(text);
  }
  if (texts.length === 0)
    throw new DocumentError('The book has no text: its pages are pictures, or its chapters are missing.');
  const by = book.creators.length === 0 ? [] : [`By ${book.creators.join(', ')}`];
  return {
    kind: 'EPUB book',
    title: book.title,
    text: [...by, ...texts].join('\n\n'),
    note:
      missing.length === 0
        ? undefined
        : `${missing.length} of ${book.chapters.length} chapters are missing in the file.`,
  };
}

interface Book {
  readonly title: string | undefined;
  readonly creators: readonly string[];
  /** The paths of the chapters. */
  readonly chapters: readonly string[];
}

function packageIn(xml: string, folder: string): Book {
  const items = new Map<string, { readonly href: string; readonly type: string }>();
  const order: string[] = [];
  const words = { title: [''], creator: [''] };
  walk(xml, {
    open(name, attributes, isIn) {
      const { id = '', href = '', idref = '' } = attributes;
      if (name === 'item') items.set(id, { href, type: attributes['media-type'] ?? '' });
      if (name === 'itemref') order.push(idref);
      if (isIn('metadata') && (name === 'title' || name === 'creator')) words[name].push('');
    },
    text(text, isIn) {
      for (const name of ['title', 'creator'] as const)
        if (isIn('metadata') && isIn(name)) words[name][words[name].length - 1] += text;
    },
  });
  const named = (name: 'title' | 'creator'): readonly string[] =>
    words[name].map((text) => text.replace(/\s+/g, ' ').trim()).filter((text) => text !== '');
  const chapters = order.flatMap((id) => {
    const { href = '', type = '' } = items.get(id) ?? {};
    return /html/.test(type) ? [pathIn(folder, href)] : [];
  });
  return { title: named('title')[0], creators: named('creator'), chapters };
}

/** Addresses are relative to the package, and their names may be encoded. */
function pathIn(folder: string, href: string): string {
  const [path = ''] = href.split('#', 1);
  try {
    return posix.join(folder, decodeURIComponent(path)).toLowerCase();
  } catch {
    return posix.join(folder, path).toLowerCase();
  }
}

/** What is encrypted. Fonts often are, which hides no text. */
function encryptedIn(xml: string): ReadonlySet<string> {
  return new Set(elementsIn(xml, 'CipherReference').map(({ attributes: { URI = '' } }) => pathIn('', URI)));
}

function xmlOf({ bytes }: OfficeArchive, path: string): string {
  const content = bytes(path);
  const declared = /^[^>]*encoding\s*=\s*["']([\w.:-]+)/i.exec(content.toString('latin1', 0, 200))?.[1];
  return decodeText(content, declared === undefined ? [] : [declared]);
}

/** XHTML closes empty elements in themselves, which HTML reads as open to the end. */
function openTags(html: string): string {
  return html.replace(/<([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi, (whole, name: string, rest: string) =>
    /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i.test(name)
      ? whole
      : `<${name}${rest}></${name}>`,
  );
}
