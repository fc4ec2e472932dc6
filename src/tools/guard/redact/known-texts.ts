/** A part of a text, from `start` to before `end`, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** What it is, if more is known than that it is secret. */
  readonly kind?: string;
}

/** What texts have in common, and how they go on from there: a tree, so that a text is compared with all at once. */
interface Branch {
  /** As character codes, which are read faster. */
  readonly label: Uint16Array;
  /** One of the texts is over here. */
  readonly isEnd: boolean;
  readonly next: ReadonlyMap<number, Branch>;
}

/** All texts that begin with the same window. */
interface Wanted {
  readonly strict?: Branch;
  /** They are found also where blanks and line ends stand in them: encoders wrap their lines. */
  readonly loose?: Branch;
}

/** Shorter ones would be found in columns of numbers. */
const shortestLoose = 12;
/** So many blanks may stand at one place in a loose one. */
const mostBlanks = 80;
/** A text is recognised by so many of its characters at once: the key holds 16 bits, and each one shifts it by 4. */
const windowLength = 4;

/** Finds many texts at once, in one pass. Each has at least 4 characters that are not blank; others are left out. */
export class KnownTexts {
  readonly #wanted: readonly Wanted[];
  /** For each key where its texts stand, counted from 1; 0 where there are none. */
  readonly #places = new Uint16Array(0x1_0000);

  constructor(texts: readonly string[]) {
    const long = texts.filter((text) => packed(text).length >= windowLength);
    const groups = Map.groupBy(new Set(long), keyOf);
    this.#wanted = [...groups.values()].map(wantedOf);
    for (const [index, key] of [...groups.keys()].entries()) this.#places[key] = index + 1;
  }

  /** The longest of the texts at every place where one begins: what overlaps is found, too. */
  find(text: string): readonly Span[] {
    if (this.#wanted.length === 0) return [];
    const spans: Span[] = [];
    const starts = new Uint32Array(windowLength);
    let key = 0;
    let count = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (isBlank(code)) continue;
      key = shifted(key, code);
      starts[count % windowLength] = at;
      count += 1;
      const place = this.#places[key] ?? 0;
      if (place === 0 || count < windowLength) continue;
      const start = starts[count % windowLength] ?? 0;
      const end = endOf(this.#wanted[place - 1], text, start);
      if (end > start) spans.push({ start, end });
    }
    return spans;
  }
}

function packed(text: string): string {
  return text.replaceAll(/[\0-\u0020]/g, '');
}

function keyOf(text: string): number {
  const characters = packed(text);
  return Array.from({ length: windowLength }, (_, at) => characters.charCodeAt(at)).reduce(shifted, 0);
}

function shifted(key: number, code: number): number {
  return ((key << 4) ^ code) & 0xffff;
}

function isBlank(code: number): boolean {
  return code <= 0x20;
}

function wantedOf(texts: readonly string[]): Wanted {
  const { strict = [], loose = [] } = Object.groupBy(texts, (text) =>
    packed(text).length < shortestLoose ? 'strict' : 'loose',
  );
  return {
    ...(strict.length === 0 ? {} : { strict: branchOf(strict.map((text) => text.trim())) }),
    ...(loose.length === 0 ? {} : { loose: branchOf(loose.map(packed)) }),
  };
}

function branchOf(texts: readonly string[]): Branch {
  const label = texts.reduce(commonStart, texts[0] ?? '');
  const rests = texts.map((text) => text.slice(label.length));
  const longer = Map.groupBy(
    rests.filter((rest) => rest !== ''),
    (rest) => rest.charCodeAt(0),
  );
  return {
    label: Uint16Array.from({ length: label.length }, (_, index) => label.charCodeAt(index)),
    isEnd: rests.includes(''),
    next: new Map([...longer].map(([code, group]) => [code, branchOf(group)])),
  };
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return one.slice(0, length);
}

/** Where the longest ends that begins at the start; the start if there is none. */
function endOf(wanted: Wanted | undefined, text: string, start: number): number {
  const strict = wanted?.strict === undefined ? start : endIn(wanted.strict, text, start, false);
  const loose = wanted?.loose === undefined ? start : endIn(wanted.loose, text, start, true);
  return Math.max(strict, loose);
}

function endIn(root: Branch, text: string, start: number, isLoose: boolean): number {
  let [end, at] = [start, start];
  for (let branch: Branch | undefined = root; branch !== undefined; ) {
    const { label, isEnd, next }: Branch = branch;
    for (let index = 0; index < label.length; index++) {
      let code = text.charCodeAt(at);
      if (isLoose && isBlank(code)) {
        at = behindBlanks(text, at);
        code = text.charCodeAt(at);
      }
      if (code !== label[index]) return end;
      at += 1;
    }
    if (isEnd) end = at;
    branch = next.get(text.charCodeAt(isLoose ? behindBlanks(text, at) : at));
  }
  return end;
}

function behindBlanks(text: string, start: number): number {
  let at = start;
  while (at < start + mostBlanks && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}
