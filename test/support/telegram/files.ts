import { badRequest } from './refusal.ts';
import type { Upload } from './request-body.ts';

const mostDownload = 20 * 2 ** 20;

/** Everything that was uploaded, by file id. */
export class Files {
  readonly #files = new Map<string, Upload>();
  #added = 0;

  add(upload: Upload): string {
    if (upload.bytes.length === 0) throw badRequest('file must be non-empty');
    this.#added += 1;
    const id = `file-${this.#added}`;
    this.#files.set(id, upload);
    return id;
  }

  /** No file is there any more. Ids are not given again. */
  forget(): void {
    this.#files.clear();
  }

  get(id: string): Upload {
    const file = this.#files.get(id);
    if (file === undefined) throw badRequest('wrong file_id or the file is temporarily unavailable');
    return file;
  }

  /** Where the bot can fetch it, below `/file/bot<token>/`. */
  pathOf(id: string): string {
    if (this.get(id).bytes.length > mostDownload) throw badRequest('file is too big');
    return `documents/${id}`;
  }

  atPath(path: string): Upload | undefined {
    return this.#files.get(path.replace(/^documents\//, ''));
  }
}
