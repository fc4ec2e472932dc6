import { zipFile } from './zip-file.ts';

type Parts = Readonly<Record<string, string | Buffer>>;

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A relation from an Office part to another, by its id. */
export interface Relation {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
}

function relations(list: readonly Relation[]): string {
  const rows = list.map(
    ({ id, kind, target }) => `<Relationship Id="${id}" Type="${office}/${kind}" Target="${target}"/>`,
  );
  return `<?xml version="1.0"?><Relationships>${rows.join('')}</Relationships>`;
}

/** A slide: the XML of its shapes, its notes, and other parts that it refers to. */
export interface Slide {
  readonly shapes: string;
  readonly notes?: string;
  readonly isHidden?: boolean;
  readonly refersTo?: readonly Relation[];
}

/** A PowerPoint presentation. `order`: the slides as they are shown, by their indexes; default: as they are given. */
export function pptxFile(slides: readonly Slide[], more: Parts = {}, order = slides.map((_, index) => index)): Buffer {
  const ids = order.map((index) => `<p:sldId id="${256 + index}" r:id="r${index}"/>`).join('');
  const parts = slides.flatMap(({ shapes, notes, isHidden = false, refersTo = [] }, index) => {
    const show = isHidden ? ' show="0"' : '';
    const related = [
      ...refersTo,
      ...(notes === undefined ? [] : [{ id: 'n', kind: 'notesSlide', target: `../notesSlides/n${index}.xml` }]),
    ];
    const own: [string, string][] = [
      [
        `ppt/slides/s${index}.xml`,
        `<p:sld xmlns:p="p" xmlns:a="a"${show}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
      ],
      [`ppt/slides/_rels/s${index}.xml.rels`, relations(related)],
    ];
    if (notes !== undefined) own.push([`ppt/notesSlides/n${index}.xml`, `<p:notes>${notes}</p:notes>`]);
    return own;
  });
  return zipFile({
    '[Content_Types].xml': '<Types/>',
    'ppt/presentation.xml': `<?xml version="1.0"?><p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      slides.map((_, index) => ({ id: `r${index}`, kind: 'slide', target: `slides/s${index}.xml` })),
    ),
    ...Object.fromEntries(parts),
    ...more,
  });
}

/** A shape of a slide with paragraphs. `holder`: the kind of its placeholder, if it is one. */
export function shape(paragraphs: readonly string[], holder?: string, name = ''): string {
  const place = holder === undefined ? '' : holder === '' ? '<p:ph idx="1"/>' : `<p:ph type="${holder}"/>`;
  const lines = paragraphs.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('');
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"${name}/><p:nvPr>${place}</p:nvPr></p:nvSpPr><p:txBody>${lines}</p:txBody></p:sp>`;
}

/** An OpenDocument file with this in the element of its body: `text`, `spreadsheet` or `presentation`. */
export function odfFile(
  kind: 'text' | 'spreadsheet' | 'presentation',
  body: string,
  { styles = '', more = {} }: { readonly styles?: string; readonly more?: Parts } = {},
): Buffer {
  return zipFile({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': odfContent(kind, body, styles),
    'META-INF/manifest.xml': '<manifest:manifest/>',
    ...more,
  });
}

export function odfContent(kind: string, body: string, styles = '', root = 'document-content'): string {
  return `<?xml version="1.0"?><office:${root} xmlns:office="o" xmlns:text="t"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:${root}>`;
}

/** An EPUB book with these chapters, by their paths beside the package. */
export function epubFile(chapters: Parts, more: Parts = {}, title = 'A book'): Buffer {
  const names = Object.keys(chapters);
  const items = names.map(
    (name, index) => `<item id="c${index}" href="${encodeURI(name)}" media-type="application/xhtml+xml"/>`,
  );
  const order = names.map((_, index) => `<itemref idref="c${index}"/>`);
  return zipFile({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/book.opf': `<package><metadata><dc:title>${title}</dc:title><dc:creator>Ada L.</dc:creator></metadata><manifest>${items.join('')}</manifest><spine>${order.join('')}</spine></package>`,
    ...Object.fromEntries(Object.entries(chapters).map(([name, text]) => [`OEBPS/${name}`, text])),
    ...more,
  });
}

/** A chapter of a book. */
export function chapter(body: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x.js"/></head><body>${body}</body></html>`;
}

/** A Jupyter notebook of these cells. */
export function notebook(cells: readonly object[], language = 'python'): string {
  return JSON.stringify({ cells, metadata: { kernelspec: { language } }, nbformat: 4, nbformat_minor: 5 });
}

/** A mail from its lines, joined as mail programs do. */
export function mail(...lines: readonly string[]): string {
  return lines.join('\r\n');
}
