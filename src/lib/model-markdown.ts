import { afterAddress, isEastAsian } from './address-end.ts';
import { foldsApart } from './folds.ts';
import { detailsFolded } from './html-details.ts';
import { markdownOfHtml } from './markdown-html.ts';
import { type InlinePart, inlineParts } from './markdown-inline.ts';
import { escapeLiterals } from './markdown-literals.ts';
import { type MarkdownLine, readLines } from './split/markdown-lines.ts';

/**
 * Markdown as models write it, as plain CommonMark: HTML becomes Markdown, and marks that nobody means as marks, in
 * `2*3*4`, `__init__` and `C:\x\*.txt`, are escaped. Code and addresses stay as they are. Folded blocks stay in the
 * notation of `folds.ts`. `keepsTags`: for what no Markdown means the same as, see `kept-tags.ts`. Takes linear time.
 */
export function toCommonMark(markdown: string, { keepsTags = false } = {}): string {
  const folded = foldsApart(detailsFolded(markdown));
  if (!/<[!/a-z]|[*\\]|__|https?:\/\/[!-~]{0,2000}[^\s!-~]/i.test(folded)) return folded;
  return paragraphsOf(folded)
    .map(({ text, isProse, isNested }) => (isProse ? written(text, { isNested, keepsTags }) : text))
    .join('');
}

/** The words of the parts, changed where they are prose. */
function written(text: string, where: { readonly isNested: boolean; readonly keepsTags: boolean }): string {
  const parts = markdownOfHtml(inlineParts(text), { ...where, isTable: isTable(text) });
  return escapeLiterals(parts.map(separated))
    .map((part) => part.text)
    .join('');
}

/** An address, apart from the Chinese, Japanese or Korean that stands right behind it. */
function separated(part: InlinePart, at: number, parts: readonly InlinePart[]): InlinePart {
  const next = parts[at + 1]?.text.charAt(0) ?? '';
  if (part.type !== 'kept' || !/^<?https?:/i.test(part.text) || !isEastAsian(next)) return part;
  return { type: 'kept', text: part.text + afterAddress };
}

interface Paragraph {
  readonly text: string;
  /** False for code. */
  readonly isProse: boolean;
  /** Whether it stands in a list or a quote. */
  readonly isNested: boolean;
}

/** Runs of lines of one kind. Together they are the text. */
function paragraphsOf(markdown: string): readonly Paragraph[] {
  const paragraphs: { text: string; isProse: boolean; isNested: boolean; isBlank: boolean }[] = [];
  for (const line of readLines(markdown)) {
    const text = markdown.slice(line.start, line.end);
    const last = paragraphs.at(-1);
    const isProse = isProseLine(line, text, last?.isBlank ?? true);
    const isNested = line.containers.length > 0;
    const isBlank = line.kind === 'blank';
    const continues = last !== undefined && last.isProse === isProse && last.isBlank === isBlank;
    if (continues && (last.isNested === isNested || !isProse)) last.text += text;
    else paragraphs.push({ text, isProse, isNested, isBlank });
  }
  return paragraphs;
}

function isProseLine({ fence, kind, containers }: MarkdownLine, text: string, isAfterBlank: boolean): boolean {
  if (fence !== undefined || kind === 'opens-fence') return false;
  // Code by its indentation.
  return !(isAfterBlank && containers.length === 0 && /^(?: {4}|\t)/.test(text));
}

function isTable(text: string): boolean {
  return /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$/m.test(text) && text.includes('|');
}
