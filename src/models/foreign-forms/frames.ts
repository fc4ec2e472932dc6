import { type JsonValue, parseJson } from '../../lib/json.ts';

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
  const line = createLineReader();
  /** The name of the event being read. */
  let name: string | undefined;
  /** Its lines of data. */
  let data: string[] = [];
  /** Lines that belong to no event. */
  let bare: string[] = [];
  let held = 0;

  function onLine(text: string): Frame[] {
    if (text.trim() === '') return flush();
    const field = bare.length === 0 ? eventField.exec(text) : null;
    if (field === null) return onBare(text);
    const [, key = '', content = ''] = field;
    switch (key.toLowerCase()) {
      case 'event':
        name = content.trim();
        return [];
      case 'error':
        name = 'error';
        return onData(content);
      case 'data':
        return onData(content);
      default:
        return [];
    }
  }

  /** Data that is whole in one line is an event, whatever follows: some servers send no blank lines. */
  function onData(text: string): Frame[] {
    if (data.length === 0) {
      const frame = wholeFrame(text, name);
      if (frame !== undefined) return [frame];
    }
    keep(data, text);
    return [];
  }

  function onBare(text: string): Frame[] {
    if (bare.length === 0) {
      if (!/^\s*[[{]/.test(text)) return [{ type: 'strange' }];
      const value = parseJson(text);
      if (value !== undefined) return [{ type: 'value', isBare: true, value }];
    }
    keep(bare, text);
    return [];
  }

  function flush(): Frame[] {
    const text = data.join('\n');
    const frame = data.length === 0 ? undefined : (wholeFrame(text, name) ?? ({ type: 'words', name, text } as const));
    held -= text.length;
    data = [];
    name = undefined;
    return frame === undefined ? [] : [frame];
  }

  function keep(lines: string[], text: string): void {
    lines.push(text);
    held += text.length;
  }

  return {
    take: (text) => line.take(text).flatMap(onLine),
    end() {
      const frames = [...line.end().flatMap(onLine), ...flush()];
      if (bare.length === 0) return frames;
      const value = parseJson(bare.join('\n'));
      bare = [];
      return [...frames, value === undefined ? { type: 'strange' } : { type: 'value', isBare: true, value }];
    },
    get held() {
      return held + line.held;
    },
  };
}

/** `error:` is how older servers of llama.cpp name an event. A comment has no name. */
const eventField = /^ {0,3}(data|event|id|retry|error|) ?: ?(.*)$/is;

/** Undefined if the data may go on in the next line. */
function wholeFrame(text: string, name: string | undefined): Frame | undefined {
  if (!/^\s*[[{]/.test(text) || text.trim() === '[DONE]') return { type: 'words', name, text: text.trim() };
  const value = parseJson(text);
  return value === undefined ? undefined : { type: 'value', name, value };
}

/** Cuts text into lines that end with `\n`, `\r\n` or `\r`. */
function createLineReader() {
  let pieces: string[] = [];
  let held = 0;
  let endsWithReturn = false;

  return {
    take(text: string): string[] {
      if (text === '') return [];
      const [first = '', ...others] = (endsWithReturn && text.startsWith('\n') ? text.slice(1) : text).split(
        /\r\n|\n|\r/,
      );
      endsWithReturn = text.endsWith('\r');
      pieces.push(first);
      held += first.length;
      if (others.length === 0) return [];
      const lines = [pieces.join(''), ...others.slice(0, -1)];
      pieces = [others.at(-1) ?? ''];
      held = pieces[0]?.length ?? 0;
      return lines;
    },
    end(): string[] {
      const line = pieces.join('');
      pieces = [];
      held = 0;
      return line === '' ? [] : [line];
    },
    get held() {
      return held;
    },
  };
}
