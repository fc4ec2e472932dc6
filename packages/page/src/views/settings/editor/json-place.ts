/* Where the cursor stands in a text of JSON with comments: also in one that is not complete, as it is while somebody types. */

/** The keys and indexes that lead to a place. */
export type Path = readonly (string | number)[];

export interface JsonPlace {
  /** Of the object whose key is written here, or of the value that is. */
  readonly path: Path;
  readonly isKey: boolean;
  /** Where the word begins that is written here, its quotation mark included. */
  readonly from: number;
  /** The keys of the object that stand before. */
  readonly present: readonly string[];
}

interface Frame {
  readonly isObject: boolean;
  /** Of an object: the key that was read last. */
  key: string | undefined;
  /** Of a list. */
  index: number;
  /** What comes next. */
  awaits: 'key' | 'value' | 'end';
  readonly keys: string[];
}

const token = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"/]+|\//g;

/** Undefined: within a comment, or where nothing can be written. */
export function placeIn(text: string, offset: number): JsonPlace | undefined {
  const frames: Frame[] = [];
  const before = text.slice(0, offset);
  let from = offset;
  for (const { 0: word, index } of before.matchAll(token)) {
    const end = index + word.length;
    if (/^\/[/*]/.test(word)) {
      const isOpen = word.startsWith('//') ? end === offset : !word.endsWith('*/');
      if (isOpen) return undefined;
      continue;
    }
    const isWord = !/^[{}[\],:]$/.test(word);
    if (isWord && end === offset && isUnfinished(word)) {
      from = index;
      break;
    }
    take(word, frames);
  }
  const frame = frames.at(-1);
  if (frame === undefined || frame.awaits === 'end') return undefined;
  const isKey = frame.isObject && frame.awaits === 'key';
  const path = pathOf(isKey ? frames.slice(0, -1) : frames);
  return { path, isKey, from, present: frame.keys };
}

/** A string that is closed is done; a bare word may go on. */
function isUnfinished(word: string): boolean {
  return !/^"(?:[^"\\\n]|\\.)*"$/.test(word);
}

function take(word: string, frames: Frame[]): void {
  const frame = frames.at(-1);
  switch (word) {
    case '{':
    case '[':
      if (frame !== undefined) frame.awaits = 'end';
      frames.push({
        isObject: word === '{',
        key: undefined,
        index: 0,
        awaits: word === '{' ? 'key' : 'value',
        keys: [],
      });
      return;
    case '}':
    case ']':
      frames.pop();
      return;
    case ',':
      if (frame === undefined) return;
      frame.awaits = frame.isObject ? 'key' : 'value';
      frame.index += 1;
      return;
    case ':':
      if (frame !== undefined) frame.awaits = 'value';
      return;
    default:
      if (frame !== undefined) takeValue(word, frame);
  }
}

function takeValue(word: string, frame: Frame): void {
  if (frame.isObject && frame.awaits === 'key') {
    frame.key = unquoted(word);
    frame.keys.push(frame.key);
  }
  frame.awaits = 'end';
}

function unquoted(word: string): string {
  try {
    return String(JSON.parse(word));
  } catch {
    return word.replace(/^"|"$/g, '');
  }
}

function pathOf(frames: readonly Frame[]): Path {
  return frames.map(({ isObject, key = '', index }) => (isObject ? key : index));
}
