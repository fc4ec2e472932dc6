import type { Clock } from '../../../lib/clock.ts';

interface Entry<Document> {
  readonly document: Document;
  readonly size: number;
  readonly until: number;
}

/** In milliseconds. */
const lifetime = 15 * 60_000;
const mostDocuments = 20;
/** In characters: about 10 MB. */
const mostText = 5 * 2 ** 20;

/** Keeps what was read a while ago, so that its next page is no second reading: at most 20 documents and about 10 MB, for 15 minutes. */
export class RecentDocuments<Document extends { readonly text: string }> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<Document>>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  get(key: string): Document | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || this.#clock.now() >= entry.until ? undefined : entry.document;
  }

  /** Forgets what is too old, and then the oldest until the rest fits. */
  set(key: string, document: Document): void {
    const now = this.#clock.now();
    this.#entries.delete(key);
    this.#entries.set(key, { document, size: document.text.length, until: now + lifetime });
    let size = 0;
    for (const entry of this.#entries.values()) size += entry.size;
    for (const [oldest, entry] of this.#entries) {
      if (now < entry.until && size <= mostText && this.#entries.size <= mostDocuments) return;
      this.#entries.delete(oldest);
      size -= entry.size;
    }
  }
}
