import type { JsonObject } from '../../../src/lib/json.ts';
import type { Identifiers } from './identifiers.ts';
import { Refusal } from './refusal.ts';

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly userId: string;
  /** Whether an event tells of it no more than that it has to be asked about. */
  readonly isHidden: boolean;
}

/** A place that bytes of that length are awaited at. */
interface Place {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  readonly bytes?: Buffer;
}

interface Dependencies {
  readonly identifiers: Identifiers;
  readonly teamId: string;
  /** Where the server is, without a slash at the end. */
  readonly root: () => string;
}

const mediaTypes: Readonly<Record<string, string>> = {
  ...{ txt: 'text/plain', md: 'text/markdown', png: 'image/png', jpg: 'image/jpeg', pdf: 'application/pdf' },
  ...{ json: 'application/json', csv: 'text/csv', gif: 'image/gif', webp: 'image/webp' },
};

/** Everything that was uploaded to a workspace, by people and by the app. */
export class Files {
  readonly #dependencies: Dependencies;
  readonly #files = new Map<string, StoredFile>();
  readonly #places = new Map<string, Place>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  add(file: Omit<StoredFile, 'id'>): StoredFile {
    const stored = { ...file, id: this.#dependencies.identifiers.next('F') };
    this.#files.set(stored.id, stored);
    return stored;
  }

  has(id: string): boolean {
    return this.#files.has(id);
  }

  get(id: string): StoredFile {
    const file = this.#files.get(id);
    if (file === undefined) throw new Refusal('file_not_found');
    return file;
  }

  /** Makes a place for an upload. Gives the file's id to be and where the bytes go. */
  reserve(name: string, length: number): { readonly id: string; readonly url: string } {
    const id = this.#dependencies.identifiers.next('F');
    this.#places.set(id, { id, name, length });
    return { id, url: `${this.#dependencies.root()}/upload/${this.#dependencies.teamId}/${id}` };
  }

  /** Takes the bytes. False if nobody waits for so many of them there. */
  receive(id: string, bytes: Buffer): boolean {
    const place = this.#places.get(id);
    if (place === undefined || place.length !== bytes.length) return false;
    this.#places.set(id, { ...place, bytes });
    return true;
  }

  /** Makes a file of what was uploaded. Throws a refusal if it was not. */
  complete(id: string, title: string | undefined, userId: string): StoredFile {
    const place = this.#places.get(id);
    if (place?.bytes === undefined) throw new Refusal('file_not_found');
    this.#places.delete(id);
    const { name, bytes } = place;
    const file = { id, name, title: title ?? name, mediaType: mediaTypeOf(name), bytes, userId, isHidden: false };
    this.#files.set(id, file);
    return file;
  }

  forget(): void {
    this.#files.clear();
    this.#places.clear();
  }

  /** As events and answers tell of it. */
  wire(file: StoredFile): JsonObject {
    const { root, teamId } = this.#dependencies;
    const url = `${root()}/files-pri/${teamId}-${file.id}`;
    const name = encodeURIComponent(file.name);
    const filetype = file.name.split('.').at(-1) ?? 'text';
    return {
      ...{ id: file.id, created: 1_700_000_000, timestamp: 1_700_000_000, name: file.name, title: file.title },
      ...{ mimetype: file.mediaType, filetype, pretty_type: filetype.toUpperCase(), user: file.userId },
      ...{ user_team: teamId, editable: false, size: file.bytes.length, mode: 'hosted', is_external: false },
      ...{ external_type: '', is_public: false, public_url_shared: false, display_as_bot: false, username: '' },
      ...{ url_private: `${url}/${name}`, url_private_download: `${url}/download/${name}` },
      ...{ media_display_type: 'unknown', permalink: `${url}/permalink`, file_access: 'visible' },
    };
  }

  /** As a message tells of it. */
  wireInMessage(file: StoredFile): JsonObject {
    if (!file.isHidden) return this.wire(file);
    return { id: file.id, created: 0, timestamp: 0, mode: 'file_access', file_access: 'check_file_info', user: '' };
  }
}

export function mediaTypeOf(name: string): string {
  return mediaTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
}
