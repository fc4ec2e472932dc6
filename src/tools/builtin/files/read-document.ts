import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../lib/clock.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { RunInWorker } from '../../guard/worker/run-in-worker.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { error } from '../../output.ts';
import { nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import type { DocumentText } from '../documents/document.ts';
import { documentReader } from '../documents/document-reader.ts';
import { RecentDocuments } from '../documents/recent-documents.ts';
import { shownPage } from '../documents/shown-page.ts';
import { orRefusal } from '../or-refusal.ts';

export interface ReadDocumentSettings {
  /** How long reading a document may take, in milliseconds. */
  readonly timeout: number;
  /** How much of it is read at a time, in characters. */
  readonly pageChars: number;
}

export interface ReadDocumentDependencies {
  /** Its `maxRead` bounds how large a document may be. */
  readonly workspaceAt: WorkspaceFactory;
  readonly runInWorker: RunInWorker;
  readonly clock: Clock;
  readonly settings: ReadDocumentSettings;
}

const input = z.strictObject({
  path: z.string().min(1).describe('The document, relative to the workspace.'),
  page: z.number().int().min(1).default(1).describe('Which part of a long document, counted from 1.'),
});

/** Reads a document of the workspace as text, by what it is rather than by its name. */
export function readDocument({ workspaceAt, runInWorker, clock, settings }: ReadDocumentDependencies): Tool {
  const { timeout, pageChars } = settings;
  const read = documentReader({ runInWorker, timeout });
  const recent = new RecentDocuments<DocumentText>({ clock });
  return defineTool({
    name: 'read_document',
    displayName: 'Read document',
    category: 'filesystem_read',
    description:
      'Reads a PDF, Word (.docx), Excel (.xlsx) or CSV file in the workspace as text. Long documents come page by page; the first line of the result says which follows.',
    input,
    describeCall: ({ path }) => `read ${nameForPeople(path)}`,
    execute: ({ path, page }, { workspace, signal }) =>
      orRefusal(async () => {
        const bytes = await workspaceAt(workspace).read(path);
        const name = oneLine(path, 200);
        const key = createHash('sha256').update(bytes).digest('base64');
        const known = recent.get(key);
        const reading = known === undefined ? await read(bytes, signal) : { type: 'read' as const, document: known };
        if (reading.type === 'refused') return error(`${name}: ${reading.message}`);
        recent.set(key, reading.document);
        return shownPage(reading.document, { source: [name, reading.document.kind], page, pageChars });
      }),
  });
}
