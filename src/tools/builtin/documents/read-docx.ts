import mammoth from 'mammoth';
import type { DocumentText } from './document.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { unzip, type ZipLimits, zipStored } from './zip-archive.ts';

/** The text of a Word document as markdown, without pictures and hidden text. Throws `DocumentError`. */
export async function readDocx(bytes: Buffer, limits: ZipLimits): Promise<DocumentText> {
  const files = unzip(bytes, limits, (name) => /\.(?:xml|rels)$/i.test(name));
  const seen = new Map(
    [...files].map(([name, content]) => [name, name.startsWith('word/') ? withoutHidden(content) : content]),
  );
  const { value } = await mammoth.convertToHtml(
    { buffer: zipStored(seen) },
    { externalFileAccess: false, convertImage: mammoth.images.imgElement(async () => ({ src: '' })) },
  );
  return { kind: 'Word document', text: htmlToMarkdown(value) };
}

/** Without the runs that Word does not show. The library knows nothing of them. */
function withoutHidden(xml: Buffer): Buffer {
  const text = xml.toString();
  if (!text.includes(':vanish')) return xml;
  // The prefix is the author's to choose.
  return Buffer.from(text.replace(/<([\w-]+):r(?:\s[^>]*)?>[\s\S]*?<\/\1:r>/g, (run) => (isHidden(run) ? '' : run)));
}

function isHidden(run: string): boolean {
  const value = /<[\w-]+:vanish(?:\s+[\w-]+:val\s*=\s*["']([^"']*)["'])?\s*\/?>/.exec(run);
  return value !== null && !['0', 'false', 'off'].includes(value[1] ?? '');
}
