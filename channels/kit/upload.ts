import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { UnreadableFile } from './request-failure.ts';

/** A file that is read from disk while it is sent. Throws `UnreadableFile` if there is none: a folder is none. */
export async function openFile(path: string, type?: string): Promise<Blob> {
  try {
    if ((await stat(path)).isFile()) return await openAsBlob(path, { type });
  } catch (error) {
    throw UnreadableFile.from(error);
  }
  throw new UnreadableFile('what should be sent is not a file any more');
}

/** Bytes a second: a line that is slower is as good as dead. */
const slowestLine = 100_000;

/** How much longer than another request one with so many bytes may take, in milliseconds. */
export function uploadTime(bytes: number): number {
  return Math.ceil((bytes * 1000) / slowestLine);
}
