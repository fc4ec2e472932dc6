import { isDeeperThan, type JsonValue, parseJson } from '../../lib/json.ts';

/**
 * One thing that a server sent. `value`: JSON, of an event or bare · `words`: an event that holds no JSON · `strange`: neither
 * an event nor JSON. `name`: of the event.
 */
export type Frame =
  | { readonly type: 'value'; readonly name?: string | undefined; readonly isBare?: true; readonly value: JsonValue }
  | { readonly type: 'words'; readonly name: string | undefined; readonly text: string }
  | { readonly type: 'strange' };

export interface FrameReader {
  /** What is complete with the next piece of text. */
  take(text: string): readonly Frame[];
  /** What the text ended with. */
  end(): readonly Frame[];
  /** The length of the text that is not complete yet, in characters. */
  readonly held: number;
}

/**
 * Reads the answer of a server, whichever framing it has: server-sent events with any kind of line ends, also without blank
 * lines between them; JSON, a line each; or one JSON document. Pieces may be cut anywhere. Linear in the length of the text.
 */
export function createFrameReader(): FrameReader {
  return new Frames();
}

class Frames implements FrameReader {
  readonly #line = new LineReader();
  /** The name of the event being read. */
  #name: string | undefined;
  /** Its lines of data. */
  #data: string[] = [];
  /** Lines that belong to no event. */
  #bare: string[] = [];
  #held = 0;

  get held(): number {
    return this.#held + this.#line.held;
  }

  take(text: string): readonly Frame[] {
    const frames: Frame[] = [];
    for (const line of this.#line.take(text)) for (const frame of this.#onLine(line)) frames.push(frame);
    return frames;
  }

  end(): readonly Frame[] {
    const frames = [...this.#line.end().flatMap((one) => this.#onLine(one)), ...this.#flush()];
    if (this.#bare.length === 0) return frames;
    const value = shallowJson(this.#bare.join('\n'));
    this.#bare = [];
    return [...frames, value === undefined ? { type: 'strange' } : { type: 'value', isBare: true, value }];
  }

  #onLine(text: string): Frame[] {
    // Nearly all lines.
    if (this.#bare.length === 0 && text.startsWith('data: ')) return this.#onData(text.slice(6));
    if (text.trim() === '') return this.#flush();
    const field = this.#bare.length === 0 ? eventField.exec(text) : null;
    if (field === null) return this.#onBare(text);
    const [, key = '', content = ''] = field;
    switch (key.toLowerCase()) {
      case 'event':
        this.#name = content.trim();
        return [];
      case 'error':
        this.#name = 'error';
        return this.#onData(content);
      case 'data':
        return this.#onData(content);
      default:
        return [];
    }
  }

  /** Data that is whole in one line is an event, whatever follows: some servers send no blank lines. */
  #onData(text: string): Frame[] {
    if (this.#data.length === 0) {
      const frame = wholeFrame(text, this.#name);
      if (frame !== undefined) return [frame];
    }
    this.#keep(this.#data, text);
    return [];
  }

  #onBare(text: string): Frame[] {
    if (this.#bare.length === 0) {
      if (!/^\s*[[{]/.test(text)) return [{ type: 'strange' }];
      const value = shallowJson(text);
      if (value !== undefined) return [{ type: 'value', isBare: true, value }];
    }
    this.#keep(this.#bare, text);
    return [];
  }

  #flush(): Frame[] {
    if (this.#data.length === 0) {
      this.#name = undefined;
      return [];
    }
    const text = this.#data.join('\n');
    const frame: Frame = wholeFrame(text, this.#name) ?? { type: 'words', name: this.#name, text };
    this.#held -= text.length + 1;
    this.#data = [];
    this.#name = undefined;
    return [frame];
  }

  #keep(lines: string[], text: string): void {
    lines.push(text);
    // With its end: of empty lines, there could be any number.
    this.#held += text.length + 1;
  }
}

/** `error:` is how older servers of llama.cpp name an event. A comment has no name. */
const eventField = /^ {0,3}(data|event|id|retry|error|) ?: ?(.*)$/is;

/** Undefined if the data may go on in the next line. */
function wholeFrame(text: string, name: string | undefined): Frame | undefined {
  const isObject = text.startsWith('{');
  if (!isObject && (!/^\s*[[{]/.test(text) || text.trim() === '[DONE]'))
    return { type: 'words', name, text: text.trim() };
  const value = shallowJson(text);
  return value === undefined ? undefined : { type: 'value', name, value };
}

/** Undefined, too, if it is nested so deep that what walks it would overflow the stack. */
function shallowJson(text: string): JsonValue | undefined {
  const value = parseJson(text);
  const isDeep = text.length > 2 * deepest && value !== undefined && isDeeperThan(value, deepest);
  return isDeep ? undefined : value;
}

/** Levels of brackets. No server means that. */
const deepest = 500;

/** Cuts text into lines that end with `\n`, `\r\n` or `\r`. */
class LineReader {
  #pieces: string[] = [];
  #held = 0;
  #endsWithReturn = false;

  get held(): number {
    return this.#held;
  }

  take(text: string): string[] {
    if (text === '') return [];
    const rest = this.#endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    const [first = '', ...others] = rest.split(text.includes('\r') ? /\r\n|\n|\r/ : '\n');
    this.#endsWithReturn = text.endsWith('\r');
    this.#pieces.push(first);
    this.#held += first.length;
    if (others.length === 0) return [];
    const lines = [this.#pieces.join(''), ...others.slice(0, -1)];
    this.#pieces = [others.at(-1) ?? ''];
    this.#held = this.#pieces[0]?.length ?? 0;
    return lines;
  }

  end(): string[] {
    const line = this.#pieces.join('');
    this.#pieces = [];
    this.#held = 0;
    return line === '' ? [] : [line];
  }
}
