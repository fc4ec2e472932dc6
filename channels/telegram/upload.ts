import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { InputFile } from 'grammy';
import type { OutboundFile } from '../../src/contract.ts';
import { UnreadableFile } from './failure.ts';

/** A file on its way to Telegram. */
export interface Upload {
  readonly isPhoto: boolean;
  /** How much longer than another request this one may take, in seconds. */
  readonly allowanceSecs: number;
  /** The file as grammY takes it, once for each request. It is read while it is sent. */
  content(): InputFile;
}

const photoTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);
const largestPhoto = 10 * 2 ** 20;
/** Bytes a second: a line that is slower is as good as dead. */
const slowestLine = 100_000;

/** Looks at a file that is to be sent. Throws `UnreadableFile` if it is not there. */
export async function openUpload({ name, mediaType, path }: OutboundFile): Promise<Upload> {
  const { size } = await stat(path).catch(fail);
  return {
    isPhoto: photoTypes.has(mediaType) && size <= largestPhoto,
    allowanceSecs: Math.ceil(size / slowestLine),
    content: () => new InputFile(() => chunksOf(path), headerName(name)),
  };
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  throw new UnreadableFile(`the file can't be read any more (${code})`);
}

/** The name stands unquoted in a header of the form: a line break would end the header, a semicolon the name. */
function headerName(name: string): string {
  return name.toWellFormed().replace(/[\r\n;]/g, '_');
}
