import { DocumentError, type DocumentText } from './document.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { type Attributes, unzip, type Walker, walk, type ZipLimits } from './zip-archive.ts';

/**
 * The text of a Word document as markdown: headings, lists, tables, links, bold, italic and struck-out words, descriptions of
 * pictures; without hidden and deleted text. Names are those of ECMA-376 (WordprocessingML). Throws `DocumentError`.
 */
export async function readDocx(bytes: Buffer, limits: ZipLimits): Promise<DocumentText> {
  const files = unzip(bytes, limits, (name) => /^word\/.*\.(?:xml|rels)$/i.test(name));
  const xml = (name: string): string => files.get(name)?.toString() ?? '';
  const body = new BodyAsHtml({
    links: linksIn(xml('word/_rels/document.xml.rels')),
    headings: headingsIn(xml('word/styles.xml')),
    lists: listsIn(xml('word/numbering.xml')),
  });
  walk(xml('word/document.xml'), body);
  if (!body.isThere) throw new DocumentError('The document is broken.');
  return { kind: 'Word document', text: htmlToMarkdown(body.html()) };
}

/** Relation → where it leads. */
function linksIn(xml: string): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  const open: Walker['open'] = (name, { Id, Target, TargetMode }) => {
    if (name === 'Relationship' && Id !== undefined && TargetMode === 'External') links.set(Id, Target ?? '');
  };
  walk(xml, { open });
  return links;
}

/** Style → level of the heading that it makes, by the outline level or the name that Word gives it. */
function headingsIn(xml: string): ReadonlyMap<string, number> {
  const headings = new Map<string, number>();
  let style = '';
  const open: Walker['open'] = (name, { styleId, val = '' }) => {
    if (name === 'style') style = styleId ?? '';
    const level =
      name === 'name' ? /^heading (\d)$/i.exec(val)?.[1] : name === 'outlineLvl' ? Number(val) + 1 : undefined;
    if (level !== undefined && Number(level) >= 1 && Number(level) <= 6) headings.set(style, Number(level));
    if (name === 'name' && /^title$/i.test(val)) headings.set(style, 1);
  };
  walk(xml, { open });
  return headings;
}

/** `list/level` → whether its items are numbered. */
function listsIn(xml: string): ReadonlyMap<string, boolean> {
  const kinds = new Map<string, boolean>();
  const lists = new Map<string, boolean>();
  let abstract = '';
  let level = '';
  let list = '';
  const open: Walker['open'] = (name, { abstractNumId = '', numId = '', ilvl = '', val = '' }) => {
    if (name === 'abstractNum') abstract = abstractNumId;
    if (name === 'lvl') level = ilvl;
    if (name === 'numFmt') kinds.set(`${abstract}/${level}`, val !== 'bullet' && val !== 'none');
    if (name === 'num') list = numId;
    if (name !== 'abstractNumId') return;
    for (let each = 0; each < 9; each += 1) lists.set(`${list}/${each}`, kinds.get(`${val}/${each}`) ?? false);
  };
  walk(xml, { open });
  return lists;
}

interface Definitions {
  readonly links: ReadonlyMap<string, string>;
  readonly headings: ReadonlyMap<string, number>;
  readonly lists: ReadonlyMap<string, boolean>;
}

/** What makes words look: as Word names it, and as HTML does. */
const looks: Readonly<Record<string, string>> = { b: 'strong', i: 'em', strike: 'del', dstrike: 'del' };
/** Elements whose text is not shown: what was deleted, instructions of fields, and copies for older programs. */
const unread: ReadonlySet<string> = new Set(['del', 'moveFrom', 'instrText', 'Fallback', 'delText']);

/** Makes HTML of the events of `word/document.xml`, in one pass and without recursion. */
class BodyAsHtml implements Walker {
  /** Whether there was a body. */
  isThere = false;
  readonly #definitions: Definitions;
  readonly #parts: string[] = [];
  /** The levels of the lists that are open, each in the middle of an item: the tag of each. */
  readonly #open: string[] = [];
  #skipped = 0;
  #inRun = false;
  #inText = false;
  #isHidden = false;
  #looks = new Set<string>();
  #paragraph = { heading: 0, list: '', level: 0, html: '' };
  #run = '';
  #link = '';

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  html(): string {
    this.#closeLists(0);
    return this.#parts.join('');
  }

  readonly open = (name: string, attributes: Attributes): void => {
    if (unread.has(name) || this.#skipped > 0) {
      this.#skipped += unread.has(name) ? 1 : 0;
      return;
    }
    const { val, id, descr } = attributes;
    const isOn = !['0', 'false', 'off', 'none'].includes(val ?? '');
    if (name === 'body') this.isThere = true;
    if (name === 'p') this.#paragraph = { heading: 0, list: '', level: 0, html: '' };
    if (name === 'pStyle') this.#paragraph.heading = this.#headingOf(val ?? '');
    if (name === 'numId') this.#paragraph.list = val === '0' ? '' : (val ?? '');
    if (name === 'ilvl') this.#paragraph.level = Math.min(Math.max(Number(val) || 0, 0), 8);
    if (name === 'hyperlink') this.#link = this.#definitions.links.get(id ?? '') ?? '';
    if (name === 'r') this.#beginRun();
    if (name === 't') this.#inText = true;
    if (this.#inRun && name === 'vanish' && isOn) this.#isHidden = true;
    const look = looks[name];
    if (this.#inRun && look !== undefined && isOn) this.#looks.add(look);
    if (name === 'tab') this.#run += this.#inRun ? ' ' : '';
    if (name === 'br' || name === 'cr') this.#run += '<br>';
    if (name === 'noBreakHyphen') this.#run += '-';
    if (name === 'docPr' && descr !== undefined) this.#run += `<img alt="${escaped(descr)}">`;
    if (name === 'tbl' || name === 'tr') this.#put(name === 'tbl' ? '<table>' : '<tr>');
    if (name === 'tc') this.#put('<td>');
  };

  readonly close = (name: string): void => {
    if (this.#skipped > 0) {
      this.#skipped -= unread.has(name) ? 1 : 0;
      return;
    }
    if (name === 't') this.#inText = false;
    if (name === 'r') this.#endRun();
    if (name === 'hyperlink') this.#link = '';
    if (name === 'p') this.#endParagraph();
    if (name === 'tc') this.#put('</td>');
    if (name === 'tr' || name === 'tbl') this.#put(name === 'tbl' ? '</table>' : '</tr>');
  };

  readonly text = (text: string): void => {
    if (this.#inText && this.#skipped === 0) this.#run += escaped(text);
  };

  /** A paragraph may name a style that the document does not define. */
  #headingOf(style: string): number {
    return this.#definitions.headings.get(style) ?? Number(/^heading ?([1-6])$/i.exec(style)?.[1] ?? 0);
  }

  #beginRun(): void {
    this.#inRun = true;
    this.#isHidden = false;
    this.#looks = new Set();
    this.#run = '';
  }

  #endRun(): void {
    this.#inRun = false;
    if (this.#isHidden || this.#run === '') return;
    const looks = [...this.#looks];
    const marked = `${looks.map((tag) => `<${tag}>`).join('')}${this.#run}${looks
      .toReversed()
      .map((tag) => `</${tag}>`)
      .join('')}`;
    this.#paragraph.html += this.#link === '' ? marked : `<a href="${escaped(this.#link)}">${marked}</a>`;
  }

  #endParagraph(): void {
    const { heading, list, level, html } = this.#paragraph;
    this.#paragraph = { heading: 0, list: '', level: 0, html: '' };
    if (html.trim() === '') return;
    if (list === '' || heading > 0) {
      const tag = heading > 0 ? `h${heading}` : 'p';
      this.#put(`<${tag}>${html}</${tag}>`);
      return;
    }
    const tag = this.#definitions.lists.get(`${list}/${level}`) === true ? 'ol' : 'ul';
    this.#closeLists(this.#open[level] === tag ? level + 1 : level);
    const isNext = this.#open.length > level;
    while (this.#open.length <= level) {
      this.#parts.push(`<${tag}><li>`);
      this.#open.push(tag);
    }
    this.#parts.push(isNext ? `</li><li>${html}` : html);
  }

  /** What is no item of a list ends those that are open. */
  #put(html: string): void {
    this.#closeLists(0);
    this.#parts.push(html);
  }

  #closeLists(depth: number): void {
    while (this.#open.length > depth) this.#parts.push(`</li></${this.#open.pop()}>`);
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
