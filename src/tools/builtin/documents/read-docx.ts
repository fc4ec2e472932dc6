import { DocumentError, type DocumentText, escapedHtml } from './document.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { type Attributes, type OfficeArchive, relationsIn, type Walker, walk } from './office-archive.ts';

/**
 * A Word document as markdown: headings, lists, tables, links, bold, italic, struck-out text, picture descriptions;
 * without hidden and deleted text. Names are those of ECMA-376 (WordprocessingML). Throws `DocumentError`.
 */
export function readDocx({ part }: OfficeArchive): DocumentText {
  const html = bodyAsHtml(part('word/document.xml'), {
    relations: relationsIn(part('word/_rels/document.xml.rels')),
    styles: stylesIn(part('word/styles.xml')),
    lists: listsIn(part('word/numbering.xml')),
  });
  return { kind: 'Word document', text: htmlToMarkdown(html) };
}

interface Style {
  /** The level of its heading; 0 if it is none of a heading. */
  heading: number;
  /** The style that it takes its list from, if it says nothing of its own. */
  base: string;
  list?: string;
  level?: number;
}

/** Styles by id. A heading is known by the outline level or by Word's name for the style. */
function stylesIn(xml: string): ReadonlyMap<string, Style> {
  const styles = new Map<string, Style>();
  let style: Style = { heading: 0, base: '' };
  walk(xml, {
    open(name, { styleId = '', val = '' }) {
      if (name === 'style') {
        style = { heading: 0, base: '' };
        styles.set(styleId, style);
      }
      if (name === 'basedOn') style.base = val;
      if (name === 'numId') style.list = val === '0' ? '' : val;
      if (name === 'ilvl') style.level = levelOf(val);
      if (name !== 'name' && name !== 'outlineLvl') return;
      const level = name === 'name' ? headingLevel(val) : Number(val) + 1;
      if (level >= 1 && level <= 6) style.heading = level;
    },
  });
  return styles;
}

/** The list of a style or of those that it is based on, none of which may be visited twice. */
function listOf(id: string, styles: ReadonlyMap<string, Style>, levelIn: Lists['levelIn']) {
  let list: string | undefined;
  let level: number | undefined;
  const visited = new Set<string>();
  for (let each = id; list === undefined && !visited.has(each); each = styles.get(each)?.base ?? '') {
    visited.add(each);
    const style = styles.get(each);
    list = style?.list;
    level ??= style?.level ?? (list === undefined ? undefined : levelIn(list, each));
  }
  return { list: list ?? '', level: level ?? 0 };
}

function levelOf(val: string): number {
  return Math.min(Math.max(Number(val) || 0, 0), 8);
}

/** The level of a style, by Word's name for it; 0 if it is none of a heading. */
function headingLevel(name: string): number {
  return /^title$/i.test(name) ? 1 : Number(/^heading ?([1-6])$/i.exec(name)?.[1] ?? 0);
}

interface Lists {
  /** Whether its items are numbered at a level. */
  isNumbered(list: string, level: number): boolean;
  /** The level that belongs to a style. */
  levelIn(list: string, style: string): number | undefined;
}

function listsIn(xml: string): Lists {
  const definitions = new Map<string, string>();
  const levels = new Map<string, number>();
  const numbered = new Set<string>();
  let [definition, level, list] = ['', '', ''];
  walk(xml, {
    open(name, { abstractNumId = '', numId = '', ilvl = '', val = '' }) {
      if (name === 'abstractNum') definition = abstractNumId;
      if (name === 'lvl') level = ilvl;
      if (name === 'numFmt' && val !== 'bullet' && val !== 'none') numbered.add(`${definition}/${level}`);
      if (name === 'pStyle') levels.set(`${definition}/${val}`, levelOf(level));
      if (name === 'num') list = numId;
      if (name === 'abstractNumId') definitions.set(list, val);
    },
  });
  return {
    isNumbered: (list, level) => numbered.has(`${definitions.get(list)}/${level}`),
    levelIn: (list, style) => levels.get(`${definitions.get(list)}/${style}`),
  };
}

interface Definitions {
  readonly relations: ReadonlyMap<string, Attributes>;
  readonly styles: ReadonlyMap<string, Style>;
  readonly lists: Lists;
}

const looks = table({ b: 'strong', i: 'em', strike: 'del', dstrike: 'del' });
const tableTags = table({ tbl: 'table', tr: 'tr', tc: 'td' });
/** The parts of a run besides text. */
const runParts = table({ tab: ' ', br: '<br>', cr: '<br>', noBreakHyphen: '-' });
/** Elements that are not shown: deletions, what looks were before, field instructions, and copies for older programs. */
const unread = ['del', 'moveFrom', 'instrText', 'Fallback', 'delText', 'pPrChange', 'rPrChange'];

function table(entries: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(entries));
}

/** Converts `word/document.xml` to HTML, in one pass and without recursion. */
function bodyAsHtml(xml: string, definitions: Definitions): string {
  const body = new BodyHtml(definitions);
  walk(xml, body);
  return body.html();
}

class BodyHtml implements Walker {
  readonly #definitions: Definitions;
  readonly #parts: string[] = [];
  /** The tags of the open lists, each inside an item. */
  readonly #open: string[] = [];
  #isThere = false;
  #link = '';
  #run = newRun(false);
  #paragraph = newParagraph();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  html(): string {
    if (!this.#isThere) throw new DocumentError('The document is broken.');
    this.#closeLists(0);
    return this.#parts.join('');
  }

  open(name: string, attributes: Attributes, isIn: (name: string) => boolean): void {
    if (unread.some(isIn)) return;
    if (name === 'body') this.#isThere = true;
    if (tableTags.has(name)) this.#put(`<${tableTags.get(name)}>`);
    this.#openParagraph(name, attributes);
    this.#openRun(name, attributes);
  }

  close(name: string, isIn: (name: string) => boolean): void {
    if (unread.some(isIn)) return;
    if (name === 'r') this.#endRun();
    if (name === 'hyperlink') this.#link = '';
    if (name === 'p') this.#endParagraph();
    if (tableTags.has(name)) this.#put(`</${tableTags.get(name)}>`);
  }

  text(text: string, isIn: (name: string) => boolean): void {
    if (isIn('t') && !unread.some(isIn)) this.#run.html += escapedHtml(text);
  }

  #openParagraph(name: string, { val, id }: Attributes): void {
    const { relations, styles, lists } = this.#definitions;
    if (name === 'p') this.#paragraph = newParagraph();
    // A paragraph may name an undefined style.
    if (name === 'pStyle') {
      const heading = styles.get(val ?? '')?.heading || headingLevel(val ?? '');
      this.#paragraph = { ...this.#paragraph, heading, ...listOf(val ?? '', styles, lists.levelIn) };
    }
    if (name === 'numId') this.#paragraph.list = val === '0' ? '' : (val ?? '');
    if (name === 'ilvl') this.#paragraph.level = levelOf(val ?? '');
    if (name === 'hyperlink') {
      const { TargetMode, Target = '' } = relations.get(id ?? '') ?? {};
      this.#link = TargetMode === 'External' ? Target : '';
    }
  }

  #openRun(name: string, { val, descr }: Attributes): void {
    const isOn = !['0', 'false', 'off', 'none'].includes(val ?? '');
    if (name === 'r') this.#run = newRun(true);
    const run = this.#run;
    if (run.isOpen && name === 'vanish' && isOn) run.isHidden = true;
    const look = looks.get(name);
    if (run.isOpen && look !== undefined && isOn) run.looks.add(look);
    // Outside a run, `tab` defines a tab stop.
    if (name !== 'tab' || run.isOpen) run.html += runParts.get(name) ?? '';
    if (name === 'docPr' && descr !== undefined) run.html += `<img alt="${escapedHtml(descr)}">`;
  }

  #endRun(): void {
    const { looks: tags, isHidden, html } = this.#run;
    this.#run = { ...this.#run, isOpen: false };
    if (isHidden || html === '') return;
    const ends = [...tags].toReversed().map((tag) => `</${tag}>`);
    const marked = `${[...tags].map((tag) => `<${tag}>`).join('')}${html}${ends.join('')}`;
    const link = this.#link;
    this.#paragraph.html += link === '' ? marked : `<a href="${escapedHtml(link)}">${marked}</a>`;
  }

  #endParagraph(): void {
    const { heading, list, level, html } = this.#paragraph;
    this.#paragraph = newParagraph();
    if (html.trim() === '') return;
    if (list === '' || heading > 0) {
      const tag = heading > 0 ? `h${heading}` : 'p';
      this.#put(`<${tag}>${html}</${tag}>`);
      return;
    }
    const tag = this.#definitions.lists.isNumbered(list, level) ? 'ol' : 'ul';
    this.#closeLists(this.#open[level] === tag ? level + 1 : level);
    const isNext = this.#open.length > level;
    while (this.#open.length <= level) {
      this.#parts.push(`<${tag}><li>`);
      this.#open.push(tag);
    }
    this.#parts.push(isNext ? `</li><li>${html}` : html);
  }

  /** Anything but a list item ends the open lists. */
  #put(html: string): void {
    this.#closeLists(0);
    this.#parts.push(html);
  }

  #closeLists(depth: number): void {
    while (this.#open.length > depth) this.#parts.push(`</li></${this.#open.pop()}>`);
  }
}

function newParagraph() {
  return { heading: 0, list: '', level: 0, html: '' };
}

function newRun(isOpen: boolean) {
  return { isOpen, isHidden: false, looks: new Set<string>(), html: '' };
}
