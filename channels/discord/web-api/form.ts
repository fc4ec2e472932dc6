import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { OutboundFile } from '../../../src/contract.ts';
import { UnreadableFile } from './failure.ts';

/** A form with files that are read from disk while it is sent. Throws `UnreadableFile` if one is not there. */
export async function formOf(files: readonly OutboundFile[], body: unknown): Promise<FormData> {
  const form = new FormData();
  form.append('payload_json', JSON.stringify(body ?? {}));
  for (const [index, file] of files.entries())
    form.append(`files[${index}]`, await open(file), file.name.toWellFormed());
  return form;
}

async function open({ path, mediaType }: OutboundFile): Promise<Blob> {
  // A folder would be opened too, and fail while it is sent.
  const isFile = await stat(path).then((found) => found.isFile(), fail);
  if (!isFile) throw new UnreadableFile('what should be sent is not a file any more');
  return await openAsBlob(path, { type: mediaType }).catch(fail);
}

function fail(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  throw new UnreadableFile(`the file can't be read any more (${code})`);
}
