import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SeededRandom } from '../random.ts';
import type { Deed, Recorded } from './recording.ts';
import { type Arrival, type Change, changed, left, sizeWith } from './torn-file.ts';

/** A file with the content that is on the disk for certain, and what was written since, in its order. */
interface Stored {
  synced: Buffer;
  pending: Pending[];
}

interface Pending {
  readonly change: Change;
  readonly ended: number;
}

/** A change of names, which may be lost until its folder is synced. */
interface Naming {
  readonly paths: readonly string[];
  readonly ended: number;
  readonly apply: (names: Map<string, Stored | 'folder'>) => void;
  /** A sync of any file has written the journal of the file system since. */
  isInJournal: boolean;
}

/** What a power failure left: the content of files by path, and folders. */
export type DiskImage = ReadonlyMap<string, Buffer | 'folder'>;

/** How a file system behaves that loses power. */
export interface Failure {
  /** Syncing any file keeps all names, as with a journal; else only syncing their folder keeps them. */
  readonly hasJournal: boolean;
  readonly names: 'none' | 'all' | 'first' | 'some';
  readonly arrival: Arrival;
}

/** Plays a recording on a disk that holds a folder. */
export class PlayedDisk {
  readonly #root: string;
  readonly #recorded: readonly Recorded[];
  /** What programs see. */
  readonly #now = new Map<string, Stored | 'folder'>();
  /** The names that are on the disk for certain. */
  readonly #synced = new Map<string, Stored | 'folder'>();
  #namings: Naming[] = [];
  /** Those that have begun, and end later. */
  #syncs: Recorded[] = [];
  #next = 0;

  /** `there`: what is on the disk for certain when the recording begins. */
  constructor(root: string, recorded: readonly Recorded[], there: DiskImage = new Map()) {
    this.#root = root;
    this.#recorded = recorded;
    for (const [path, found] of there) {
      const stored = found === 'folder' ? found : { synced: found, pending: [] };
      for (const names of [this.#now, this.#synced]) names.set(path, stored);
    }
  }

  /** Goes on to this place of the recording. */
  playTo(place: number): void {
    for (let next = this.#recorded[this.#next]; next !== undefined && next.began <= place; ) {
      this.#endSyncs(next.began);
      if (next.deed.type === 'synced') this.#syncs.push(next);
      else this.#take(next.deed, next.ended);
      this.#next += 1;
      next = this.#recorded[this.#next];
    }
    this.#endSyncs(place);
  }

  /** What stands there while the power is on. */
  content(): DiskImage {
    return new Map([...this.#now].map(([path, found]) => [path, found === 'folder' ? found : wholeOf(found)]));
  }

  /** What a power failure now leaves. */
  fail({ hasJournal, names, arrival }: Failure, random: SeededRandom): DiskImage {
    const kept = new Map(this.#synced);
    const lost: Naming[] = [];
    const isSure = (naming: Naming): boolean => hasJournal && naming.isInJournal;
    const many = random.integer(0, this.#namings.length);
    for (const [index, naming] of this.#namings.entries()) {
      const isWanted =
        isSure(naming) ||
        (
          { none: false, all: true, first: index < many, some: random.chance(0.5) } satisfies Record<
            typeof names,
            boolean
          >
        )[names];
      // What comes behind the loss of a name that it needs is lost as well.
      if (isWanted && !lost.some((gone) => needs(naming, gone))) naming.apply(kept);
      else lost.push(naming);
    }
    return new Map(
      [...kept].map(([path, found]) => [
        path,
        found === 'folder'
          ? found
          : left(
              found.synced,
              found.pending.map(({ change }) => change),
              arrival,
              random,
            ),
      ]),
    );
  }

  #take(deed: Exclude<Deed, { type: 'synced' }>, ended: number): void {
    if (deed.type === 'told' || !this.#isHere(deed.path)) return;
    const { path } = deed;
    const found = this.#now.get(path);
    switch (deed.type) {
      case 'opened': {
        const isNew = found === undefined && deed.isNew;
        if (isNew) this.#name([path], ended, adding(path, { synced: Buffer.alloc(0), pending: [] }));
        else if (deed.isCut) this.#change(path, { type: 'size', size: 0 }, ended);
        break;
      }
      case 'folder':
        this.#name([path], ended, adding(path, 'folder'));
        break;
      case 'written':
        if (isFile(found))
          this.#change(path, { type: 'bytes', at: deed.at ?? sizeOf(found), bytes: deed.bytes }, ended);
        break;
      case 'copied': {
        const from = this.#now.get(deed.from);
        if (!isFile(found)) break;
        const at = sizeOf(found);
        // What is copied from elsewhere must stand there still.
        const bytes = isFile(from) ? wholeOf(from) : readFileSync(deed.from);
        this.#change(path, { type: 'bytes', at, bytes: bytes.subarray(at, at + deed.size) }, ended);
        break;
      }
      case 'cut':
        this.#change(path, { type: 'size', size: deed.size }, ended);
        break;
      case 'renamed':
        if (found !== undefined) this.#name([path, deed.to], ended, (names) => move(names, path, deed.to));
        break;
      case 'linked':
        if (found !== undefined) this.#name([path, deed.to], ended, adding(deed.to, found));
        break;
      case 'removed':
        if (found !== undefined) this.#name([path], ended, (names) => void names.delete(path));
        break;
    }
  }

  #change(path: string, change: Change, ended: number): void {
    const found = this.#now.get(path);
    if (isFile(found)) found.pending.push({ change, ended });
  }

  #name(paths: readonly string[], ended: number, apply: Naming['apply']): void {
    apply(this.#now);
    this.#namings.push({ paths, ended, apply, isInJournal: false });
  }

  #endSyncs(place: number): void {
    const over = this.#syncs.filter(({ ended }) => ended <= place);
    if (over.length === 0) return;
    this.#syncs = this.#syncs.filter(({ ended }) => ended > place);
    for (const { deed, began } of over) if (deed.type === 'synced') this.#sync(deed, began);
  }

  #sync({ path, isWhole }: Extract<Deed, { type: 'synced' }>, began: number): void {
    if (!this.#isHere(path) && path !== dirname(this.#root)) return;
    const found = this.#now.get(path);
    if (!isFile(found)) {
      this.#syncNames(path, began);
      return;
    }
    const isSynced = ({ ended }: Pending): boolean => ended < began;
    found.synced = changed(
      found.synced,
      found.pending.filter(isSynced).map(({ change }) => change),
    );
    found.pending = found.pending.filter((pending) => !isSynced(pending));
    for (const naming of this.#namings)
      if (naming.ended < began && (isWhole || naming.paths.includes(path))) naming.isInJournal = true;
  }

  #syncNames(folder: string, began: number): void {
    const sure = new Set<Naming>();
    for (const naming of this.#namings.toReversed()) {
      const isOfFolder = naming.ended < began && naming.paths.some((path) => dirname(path) === folder);
      if (isOfFolder || [...sure].some((later) => needs(later, naming))) sure.add(naming);
    }
    for (const naming of this.#namings) if (sure.has(naming)) naming.apply(this.#synced);
    this.#namings = this.#namings.filter((naming) => !sure.has(naming));
  }

  #isHere(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`);
  }
}

function isFile(found: Stored | 'folder' | undefined): found is Stored {
  return found !== undefined && found !== 'folder';
}

function wholeOf({ synced, pending }: Stored): Buffer {
  return changed(
    synced,
    pending.map(({ change }) => change),
  );
}

function sizeOf({ synced, pending }: Stored): number {
  return sizeWith(
    synced.length,
    pending.map(({ change }) => change),
  );
}

function adding(path: string, added: Stored | 'folder'): Naming['apply'] {
  return (names) => void names.set(path, added);
}

/** With all that is below it. */
function move(names: Map<string, Stored | 'folder'>, from: string, to: string): void {
  const moved = [...names].filter(([path]) => path === from || path.startsWith(`${from}/`));
  for (const [path] of [...names]) if (path === to || path.startsWith(`${to}/`)) names.delete(path);
  for (const [path, found] of moved) {
    names.delete(path);
    names.set(to + path.slice(from.length), found);
  }
}

/** Whether a change of names is nothing without an earlier one: of the same name, or of a folder that it is in. */
function needs(later: Naming, earlier: Naming): boolean {
  return earlier.paths.some((before) => later.paths.some((path) => isWithin(path, before) || isWithin(before, path)));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
