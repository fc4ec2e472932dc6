import { DocumentError, type DocumentText, markdownTable, mostDocumentText } from './document.ts';
import { elementsIn, type OfficeArchive, relatedTo, walk } from './office-archive.ts';

/**
 * The slides of a PowerPoint presentation in their order, hidden ones too, each with its notes. Lists, tables, words of
 * diagrams and descriptions of pictures are read, but no shape that is switched off. Names are those of ECMA-376
 * (PresentationML). Throws `DocumentError`.
 */
export function readPptx({ part }: OfficeArchive): DocumentText {
  const show = 'ppt/presentation.xml';
  const related = relatedTo(show, part);
  const slides = slideIds(part(show)).map((id) => related.get(id));
  if (slides.length === 0) throw new DocumentError('The document is broken: it has no slides that can be read.');
  const texts: string[] = [];
  let length = 0;
  for (const [index, slide] of slides.entries()) {
    if (length >= mostDocumentText) break;
    const text = slide === undefined ? '' : slideText(slide.path, part);
    const hidden = slide !== undefined && isHidden(part(slide.path)) ? ' (hidden)' : '';
    texts.push([`## Slide ${index + 1}${hidden}`, text].filter((words) => words !== '').join('\n\n'));
    length += text.length;
  }
  return { kind: 'PowerPoint presentation', text: texts.join('\n\n') };
}

/** The relations of the slides, in the order of the show: `id` without a prefix is another number. */
function slideIds(xml: string): readonly string[] {
  const list = /<(?:\w+:)?sldIdLst\b[^>]*>([\s\S]*?)<\/(?:\w+:)?sldIdLst>/.exec(xml)?.[1] ?? '';
  return [...list.matchAll(/<(?:\w+:)?sldId\b([^>]*)>/g)].map(
    ([, attributes = '']) => /\s\w+:id\s*=\s*["']([^"']*)["']/.exec(attributes)?.[1] ?? '',
  );
}

function isHidden(xml: string): boolean {
  return /<(?:\w+:)?sld\s[^>]*\bshow\s*=\s*["'](?:0|false)["']/.test(xml.slice(0, 5000));
}

function slideText(path: string, part: OfficeArchive['part']): string {
  const related = [...relatedTo(path, part).values()];
  const of = (kind: string): readonly string[] =>
    related.filter((one) => one.kind === kind).map((one) => shapesText(part(one.path)));
  const charts = related
    .filter(({ kind }) => kind === 'chart' || kind === 'chartEx')
    .map((one) => chartText(part(one.path)));
  const notes = of('notesSlide').filter((text) => text !== '');
  return [
    shapesText(part(path)),
    ...of('diagramData'),
    ...charts,
    ...(notes.length === 0 ? [] : [`Notes:\n\n${notes.join('\n\n')}`]),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function chartText(xml: string): string {
  const title = elementsIn(xml, 'title')[0]?.text.trim() ?? '';
  return title === '' ? '[chart]' : `[chart: ${title}]`;
}

/** What masters bring to each slide: numbers, dates and footers. */
const repeated = ['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'];

/** The paragraphs of all shapes, in their order; tables are tables. */
function shapesText(xml: string): string {
  const blocks: string[] = [];
  let lines: string[] = [];
  let shape = { holder: '', isOff: false };
  /** Of each open group, whether it is switched off. */
  const groups: boolean[] = [];
  let paragraph = { text: '', level: 0 };
  let rows: string[][] = [];

  const isOff = (): boolean => shape.isOff || groups.includes(true);
  const endShape = (): void => {
    if (!isOff() && !repeated.includes(shape.holder) && lines.length > 0) blocks.push(lines.join('\n'));
    lines = [];
    shape = { holder: '', isOff: false };
  };
  const endParagraph = (isCell: boolean): void => {
    const text = paragraph.text.replace(/[ \t]+/g, ' ').trim();
    if (text === '') return;
    if (isCell) {
      const row = rows.at(-1);
      const before = row?.at(-1) ?? '';
      if (row !== undefined && row.length > 0) row[row.length - 1] = before === '' ? text : `${before} ${text}`;
      return;
    }
    lines.push(lineOf(text, shape.holder, paragraph.level));
  };

  walk(xml, {
    open(name, { type = 'body', hidden = '', descr = '', lvl = '0' }, isIn) {
      if (isIn('Fallback')) return;
      if (name === 'ph') shape.holder = type;
      if (name === 'grpSp') groups.push(false);
      if (name === 'cNvPr') {
        const isSwitchedOff = ['1', 'true'].includes(hidden);
        if (isIn('nvGrpSpPr')) groups.splice(-1, 1, isSwitchedOff);
        else shape.isOff = isSwitchedOff;
        if (descr.trim() !== '' && !isOff() && isIn('pic'))
          blocks.push(`[image: ${descr.replace(/\s+/g, ' ').trim()}]`);
      }
      if (name === 'p') paragraph = { text: '', level: 0 };
      if (name === 'pPr') paragraph.level = Math.min(Math.max(Number(lvl) || 0, 0), 8);
      if (name === 'br') paragraph.text += isIn('tc') ? ' ' : '\n';
      if (name === 'tab') paragraph.text += ' ';
      if (name === 'tbl') rows = [];
      if (name === 'tr') rows.push([]);
      if (name === 'tc') rows.at(-1)?.push('');
    },
    close(name, isIn) {
      if (isIn('Fallback')) return;
      if (name === 'p') endParagraph(isIn('tc'));
      if (name === 'tbl') lines.push(markdownTable(rows));
      // Words of diagrams stand in points, without shapes.
      if (name === 'grpSp') groups.pop();
      if (['sp', 'graphicFrame', 'cxnSp', 'pt', 'pic'].includes(name)) endShape();
    },
    text(text, isIn) {
      if (isIn('t') && !isIn('Fallback')) paragraph.text += text;
    },
  });
  endShape();
  return blocks.join('\n\n');
}

function lineOf(text: string, holder: string, level: number): string {
  if (holder === 'title' || holder === 'ctrTitle') return `### ${text.replace(/\n/g, ' ')}`;
  if (holder === '' && level === 0) return text;
  return holder === 'subTitle' ? text : `${'  '.repeat(level)}- ${text.replace(/\n/g, ' ')}`;
}
