import { hash } from 'node:crypto';
import { z } from 'zod';
import { once } from '../../../lib/background.ts';
import { readText } from '../../../lib/charset/text-charset.ts';
import type { Clock } from '../../../lib/clock.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { imageTypeOf } from '../../../lib/recognise-image.ts';
import { pathInput, positionInput } from '../../arguments.ts';
import type { RunInWorker } from '../../guard/worker/run-in-worker.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { error, llmOnly, type ToolOutput } from '../../output.ts';
import { formatSize, nameForPeople, wholeEnd } from '../../text.ts';
import { defineBuiltin, type Tool } from '../../tool.ts';
import type { DocumentText } from '../documents/document.ts';
import type { ReadDocument, RecentDocuments, shownPage } from '../documents/document-reader.ts';
import { charsetWords, linesOf } from '../file-answers.ts';
import type { BuiltinSettings } from '../settings.ts';
import { builtinWords } from '../words.ts';

const input = z.strictObject({
  path: pathInput('The file, relative to the workspace.'),
  offset: positionInput('The first line to read'),
  limit: z.number().int().min(1).optional().describe('How many lines to read at most. Default: as many as fit.'),
  column: positionInput('Where to begin in a line that is too long for one result, in characters'),
});

export function readFile(
  workspaceAt: WorkspaceFactory,
  { max_result_chars }: Pick<BuiltinSettings, 'max_result_chars'>,
): Tool {
  return defineBuiltin({
    name: 'read_file',
    displayName: (language) => builtinWords[language].names.read_file,
    category: 'filesystem_read',
    description:
      'Reads a text file in the workspace, or looks at a picture (JPEG, PNG, GIF, WebP). The first line of the result says which lines follow; long files come in parts, by offset and limit.',
    input,
    describeCall:
      ({ path }) =>
      (language) =>
        builtinWords[language].read(nameForPeople(path)),
    execute: async (args, { workspace }) =>
      contentOf(await workspaceAt(workspace).read(args.path), args, max_result_chars),
  });
}

/** A text as an excerpt, a picture as that. */
function contentOf(bytes: Buffer, args: z.output<typeof input>, maxChars: number): ToolOutput {
  const read = readText(bytes);
  if (read !== undefined) return excerpt(linesOf(read.text), { ...args, charset: charsetWords(read) }, maxChars);
  const name = oneLine(args.path, 200);
  const size = formatSize(bytes.length);
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined)
    return error(`${name} is a binary file of ${size}, so it cannot be read as text.${documentHint(bytes)}`);
  return { ...llmOnly(`[${name} is a picture: ${mediaType}, ${size}]`), pictures: [{ path: args.path }] };
}

/** For a PDF, an archive (as most documents are) or an old Office file. */
function documentHint(bytes: Buffer): string {
  const isDocument = ['%PDF', 'PK\x03\x04', '\xd0\xcf\x11\xe0'].includes(bytes.toString('latin1', 0, 4));
  return isDocument ? ' If it is a document, use read_document.' : '';
}

/** How long the first line of a result is besides the name and the charset. */
const longestHead = 100;

/** The lines that fit, or a part of the first if it does not. */
function excerpt(
  lines: readonly string[],
  { path, offset, limit, column, charset }: z.output<typeof input> & { readonly charset: string },
  maxChars: number,
): ToolOutput {
  const name = oneLine(path, Math.min(200, maxChars / 4));
  if (lines.length === 0) return llmOnly(`[${name} is empty]`);
  if (offset > lines.length) return error(`${name} has only ${lines.length} lines, so there is no line ${offset}.`);
  const written = charset === '' ? '' : `; its charset is ${charset}`;
  const room = Math.floor(maxChars * 0.9) - name.length - longestHead - written.length;
  const asked = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
  const count = column > 1 ? 0 : countFitting(asked, room);
  const last = offset + Math.max(count, 1) - 1;
  const next = last < lines.length ? `; to go on, use offset ${last + 1}` : '';
  if (count > 0) {
    const head = `[${name}: lines ${offset} to ${last} of ${lines.length}${next}${written}]`;
    return llmOnly(`${head}\n${asked.slice(0, count).join('\n')}`);
  }
  const line = lines[offset - 1] ?? '';
  if (column > line.length)
    return error(`Line ${offset} of ${name} has only ${line.length} characters, so there is no column ${column}.`);
  const end = Math.min(line.length, wholeEnd(line, column - 1 + room));
  const more = end < line.length ? `; to go on, use offset ${offset} and column ${end + 1}` : next;
  const head = `[${name}: line ${offset} of ${lines.length}, characters ${column} to ${end} of ${line.length}${more}${written}]`;
  return llmOnly(`${head}\n${line.slice(column - 1, end)}`);
}

function countFitting(lines: readonly string[], room: number): number {
  let length = 0;
  for (const [index, line] of lines.entries()) {
    length += line.length + 1;
    if (length > room) return index;
  }
  return lines.length;
}

/** Reads a workspace document as text, by its content rather than its name. */
export function readDocument(
  /** Its `maxRead` limits the size of a document. */
  workspaceAt: WorkspaceFactory,
  { runInWorker, clock }: { readonly runInWorker: RunInWorker; readonly clock: Clock },
  { read_document: { timeout_secs, page_chars: pageChars } }: Pick<BuiltinSettings, 'read_document'>,
): Tool {
  // The readers of documents load with the first one.
  const loaded = once(async (): Promise<DocumentParts> => {
    const documents = await import('../documents/document-reader.ts');
    const read = documents.documentReader(runInWorker, timeout_secs);
    return { read, recent: documents.recentDocuments<DocumentText>(clock), shownPage: documents.shownPage };
  });
  return defineBuiltin({
    name: 'read_document',
    displayName: (language) => builtinWords[language].names.read_document,
    category: 'filesystem_read',
    description:
      'Reads a document in the workspace as text: PDF, Word (.docx), Excel (.xlsx), PowerPoint (.pptx), OpenDocument, RTF, EPUB, mail (.eml), Jupyter notebook, CSV. Long documents come page by page; the first line of the result says which follows.',
    input: z.strictObject({
      path: pathInput('The document, relative to the workspace.'),
      page: positionInput('Which part of a long document'),
    }),
    describeCall:
      ({ path }) =>
      (language) =>
        builtinWords[language].read(nameForPeople(path)),
    async execute({ path, page }, { workspace, signal }) {
      const parts = await loaded();
      const bytes = await workspaceAt(workspace).read(path);
      return pageOf(bytes, { name: oneLine(path, 200), page, pageChars, signal }, parts);
    },
  });
}

interface DocumentParts {
  readonly read: ReadDocument;
  readonly recent: RecentDocuments<DocumentText>;
  readonly shownPage: typeof shownPage;
}

interface WantedPage {
  readonly name: string;
  readonly page: number;
  readonly pageChars: number;
  readonly signal: AbortSignal;
}

/** A page of a document, which is read again only if it has changed. */
async function pageOf(
  bytes: Buffer,
  { name, page, pageChars, signal }: WantedPage,
  { read, recent, shownPage: show }: DocumentParts,
): Promise<ToolOutput> {
  const key = hash('sha256', bytes);
  const known = recent.get(key);
  const reading = known === undefined ? await read(bytes, signal) : { type: 'read' as const, document: known };
  if (reading.type === 'refused') return error(`${name}: ${reading.message}`);
  recent.set(key, reading.document);
  return show(reading.document, { source: [name, reading.document.kind], page, pageChars });
}
