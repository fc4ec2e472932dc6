import type { InboundMessage } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';

/** How long after its first item an album may still have others, in milliseconds. */
const albumTime = 60_000;
const mostAlbums = 100;
/** More items an album has on no platform. */
const mostItems = 10;

interface Album {
  readonly until: number;
  isAddressed: boolean;
  /** Items that came before it was known for whom the album is. */
  readonly early: Map<string, InboundMessage>;
}

/**
 * Knows which items belong to one album. In a group only the item with the caption says that the album is for the bot;
 * then all of them are, in whatever order they come.
 */
export class Albums {
  readonly #clock: Clock;
  readonly #albums = new Map<string, Album>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Looks at an item before anything of its batch is passed on. */
  note(name: string, { addressed }: InboundMessage): void {
    const album = this.#find(name);
    album.isAddressed ||= addressed;
  }

  /** What to pass on for the item: itself; and those before it, anew, if only now it is known that they are for the bot. */
  pieces(name: string, event: InboundMessage): readonly InboundMessage[] {
    const { isAddressed, early } = this.#find(name);
    if (isAddressed) return [...early.values(), event].map((piece) => ({ ...piece, addressed: true }));
    if (early.size < mostItems) early.set(event.key, event);
    return [event];
  }

  #find(name: string): Album {
    this.#forget();
    const album = this.#albums.get(name) ?? {
      until: this.#clock.now() + albumTime,
      isAddressed: false,
      early: new Map(),
    };
    this.#albums.set(name, album);
    return album;
  }

  /** The oldest stand first. */
  #forget(): void {
    const now = this.#clock.now();
    for (const [name, { until }] of this.#albums) {
      if (until > now && this.#albums.size <= mostAlbums) return;
      this.#albums.delete(name);
    }
  }
}
