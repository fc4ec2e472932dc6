import { DocumentError, type DocumentText, escapedHtml } from './document.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { type OfficeArchive, relationsIn, walk } from './office-archive.ts';

/**
 * A Word document as markdown: headings, lists, tables, links, bold, italic, struck-out text, picture descriptions;
 * without hidden and deleted text. Names are those of ECMA-376 (WordprocessingML). Throws `DocumentError`.
 */
export function readDocx({ part }: OfficeArchive): DocumentText {
  const html = bodyAsHtml(part('word/document.xml'), {
    relations: relationsIn(part('word/_rels/document.xml.rels')),
    headings: headingsIn(part('word/styles.xml')),
    isNumbered: listsIn(part('word/numbering.xml')),
  });
  return { kind: 'Word document', text: htmlToMarkdown(html) };
}

/** Style → heading level, by the outline level or by Word's name for the style. */
function headingsIn(xml: string): ReadonlyMap<string, number> {
  const headings = new Map<string, number>();
  let style = '';
  walk(xml, {
    open(name, { styleId = '', val = '' }) {
      if (name === 'style') style = styleId;
      if (name !== 'name' && name !== 'outlineLvl') return;
      const level = name === 'name' ? headingLevel(val) : Number(val) + 1;
      if (level >= 1 && level <= 6) headings.set(style, level);
    },
  });
  return headings;
}

/** The level of a style, by Word's name for it; 0 if it is none of a heading. */
function headingLevel(name: string): number {
  return /^title$/i.test(name) ? 1 : Number(/^heading ?([1-6])$/i.exec(name)?.[1] ?? 0);
}

/** Whether the items of a list are numbered at a level. */
function listsIn(xml: string): (list: string, level: number) => boolean {
  const definitions = new Map<string, string>();
  const numbered = new Set<string>();
  let [definition, level, list] = ['', '', ''];
  walk(xml, {
    open(name, { abstractNumId = '', numId = '', ilvl = '', val = '' }) {
      if (name === 'abstractNum') definition = abstractNumId;
      if (name === 'lvl') level = ilvl;
      if (name === 'numFmt' && val !== 'bullet' && val !== 'none') numbered.add(`${definition}/${level}`);
      if (name === 'num') list = numId;
      if (name === 'abstractNumId') definitions.set(list, val);
    },
  });
  return (list, level) => numbered.has(`${definitions.get(list)}/${level}`);
}

interface Definitions {
  readonly relations: ReturnType<typeof relationsIn>;
  readonly headings: ReadonlyMap<string, number>;
  readonly isNumbered: (list: string, level: number) => boolean;
}

const looks = table({ b: 'strong', i: 'em', strike: 'del', dstrike: 'del' });
const tableTags = table({ tbl: 'table', tr: 'tr', tc: 'td' });
/** The parts of a run besides text. */
const runParts = table({ tab: ' ', br: '<br>', cr: '<br>', noBreakHyphen: '-' });
/** Elements whose text is not shown: deletions, field instructions, and copies for older programs. */
const unread = ['del', 'moveFrom', 'instrText', 'Fallback', 'delText'];

function table(entries: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(entries));
}

/** Converts `word/document.xml` to HTML, in one pass and without recursion. */
function bodyAsHtml(xml: string, { relations, headings, isNumbered }: Definitions): string {
  const parts: string[] = [];
  /** The tags of the open lists, each inside an item. */
  const open: string[] = [];
  let isThere = false;
  let link = '';
  let run = newRun(false);
  let paragraph = newParagraph();

  const closeLists = (depth: number): void => {
    while (open.length > depth) parts.push(`</li></${open.pop()}>`);
  };
  /** Anything but a list item ends the open lists. */
  const put = (html: string): void => {
    closeLists(0);
    parts.push(html);
  };
  const endRun = (): void => {
    const { looks: tags, isHidden, html } = run;
    run = { ...run, isOpen: false };
    if (isHidden || html === '') return;
    const ends = [...tags].toReversed().map((tag) => `</${tag}>`);
    const marked = `${[...tags].map((tag) => `<${tag}>`).join('')}${html}${ends.join('')}`;
    paragraph.html += link === '' ? marked : `<a href="${escapedHtml(link)}">${marked}</a>`;
  };
  const endParagraph = (): void => {
    const { heading, list, level, html } = paragraph;
    paragraph = newParagraph();
    if (html.trim() === '') return;
    if (list === '' || heading > 0) {
      const tag = heading > 0 ? `h${heading}` : 'p';
      put(`<${tag}>${html}</${tag}>`);
      return;
    }
    const tag = isNumbered(list, level) ? 'ol' : 'ul';
    closeLists(open[level] === tag ? level + 1 : level);
    const isNext = open.length > level;
    while (open.length <= level) {
      parts.push(`<${tag}><li>`);
      open.push(tag);
    }
    parts.push(isNext ? `</li><li>${html}` : html);
  };

  walk(xml, {
    open(name, { val, id, descr }, isIn) {
      if (unread.some(isIn)) return;
      const isOn = !['0', 'false', 'off', 'none'].includes(val ?? '');
      if (name === 'body') isThere = true;
      if (name === 'p') paragraph = newParagraph();
      // A paragraph may name an undefined style.
      if (name === 'pStyle') paragraph.heading = headings.get(val ?? '') ?? headingLevel(val ?? '');
      if (name === 'numId') paragraph.list = val === '0' ? '' : (val ?? '');
      if (name === 'ilvl') paragraph.level = Math.min(Math.max(Number(val) || 0, 0), 8);
      if (name === 'hyperlink') {
        const { TargetMode, Target = '' } = relations.get(id ?? '') ?? {};
        link = TargetMode === 'External' ? Target : '';
      }
      if (name === 'r') run = newRun(true);
      if (run.isOpen && name === 'vanish' && isOn) run.isHidden = true;
      const look = looks.get(name);
      if (run.isOpen && look !== undefined && isOn) run.looks.add(look);
      // Outside a run, `tab` defines a tab stop.
      if (name !== 'tab' || run.isOpen) run.html += runParts.get(name) ?? '';
      if (name === 'docPr' && descr !== undefined) run.html += `<img alt="${escapedHtml(descr)}">`;
      if (tableTags.has(name)) put(`<${tableTags.get(name)}>`);
    },
    close(name, isIn) {
      if (unread.some(isIn)) return;
      if (name === 'r') endRun();
      if (name === 'hyperlink') link = '';
      if (name === 'p') endParagraph();
      if (tableTags.has(name)) put(`</${tableTags.get(name)}>`);
    },
    text(text, isIn) {
      if (isIn('t') && !unread.some(isIn)) run.html += escapedHtml(text);
    },
  });
  if (!isThere) throw new DocumentError('The document is broken.');
  closeLists(0);
  return parts.join('');
}

function newParagraph() {
  return { heading: 0, list: '', level: 0, html: '' };
}

function newRun(isOpen: boolean) {
  return { isOpen, isHidden: false, looks: new Set<string>(), html: '' };
}
