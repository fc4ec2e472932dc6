import { createHmac } from 'node:crypto';
import { basename, extname } from 'node:path/posix';
import type { APIAttachment } from 'discord.js';
import type { Upload } from './request-body.ts';
import type { Snowflakes } from './snowflakes.ts';
import type { DiscordTimes } from './times.ts';

/** A file of a message. */
export interface StoredFile extends Upload {
  readonly id: string;
  readonly channelId: string;
  /** What it was called before Discord changed the name. */
  readonly title: string;
  readonly description?: string;
}

interface Dependencies {
  readonly snowflakes: Snowflakes;
  readonly times: DiscordTimes;
  readonly now: () => number;
}

/** Everything that was uploaded, behind addresses that are signed and do not last. */
export class Attachments {
  readonly #dependencies: Dependencies;
  readonly #files = new Map<string, StoredFile>();
  /** Where the server is, without a slash at the end. */
  origin = '';

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  add(channelId: string, { name, ...upload }: Upload, description?: string): StoredFile {
    const id = this.#dependencies.snowflakes.next();
    const told = description !== undefined && { description };
    const file = { ...upload, id, channelId, name: safeName(name), title: name, ...told };
    this.#files.set(pathOf(file), file);
    return file;
  }

  forget(): void {
    this.#files.clear();
  }

  /** The file as a message carries it, with an address that is good from now on. */
  wire(file: StoredFile): APIAttachment {
    const url = this.#sign(file);
    return {
      id: file.id,
      filename: file.name,
      size: file.bytes.length,
      url,
      proxy_url: url,
      content_type: file.mediaType,
      ...(file.title !== file.name && { title: basename(file.title, extname(file.title)) }),
      ...(file.description !== undefined && { description: file.description }),
      ...(file.mediaType.startsWith('image/') && { width: 640, height: 480 }),
    };
  }

  /** The file at the address; undefined if there is none, or if its time is over, or if nobody has signed it. */
  at({ pathname, searchParams }: URL): StoredFile | undefined {
    const until = searchParams.get('ex') ?? '';
    if (searchParams.get('hm') !== signature(pathname, until)) return undefined;
    if (Number.parseInt(until, 16) * 1000 <= this.#dependencies.now()) return undefined;
    return this.#files.get(decodeURI(pathname));
  }

  #sign(file: StoredFile): string {
    const { times, now } = this.#dependencies;
    const path = encodeURI(pathOf(file));
    const until = Math.ceil((now() + times.attachment) / 1000).toString(16);
    const issued = Math.floor(now() / 1000).toString(16);
    return `${this.origin}${path}?ex=${until}&is=${issued}&hm=${signature(path, until)}&`;
  }
}

function pathOf({ channelId, id, name }: StoredFile): string {
  return `/attachments/${channelId}/${id}/${name}`;
}

/** Discord puts `_` for spaces and leaves out what is no letter, digit, dot, dash or underscore. */
function safeName(name: string): string {
  return name.replaceAll(' ', '_').replaceAll(/[^\p{L}\p{N}._-]/gu, '') || 'unknown';
}

function signature(path: string, until: string): string {
  return createHmac('sha256', 'the key of the fake').update(`${path} ${until}`).digest('hex');
}
