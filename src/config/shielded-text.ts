/*
 * A text of the config that can be shown and edited without its secrets: each literal value that may be secret, and each
 * remark that names one, is a mark. The mark is bound to its place and to what stands there, by a key that only this process
 * knows: it tells nothing of the secret, and elsewhere it stands for nothing. What is put back is what stood there, byte for byte.
 */

import { createHmac } from 'node:crypto';
import { type ParseError, parseTree, visit } from 'jsonc-parser';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { noRedaction, type Redactor, redactor } from '../tools/guard/redact/redact.ts';
import { holdsSecret, type KeyPath } from './config-error.ts';
import { isLeftOut } from './last-good.ts';
import { leftOut } from './left-out.ts';
import { syntax } from './source.ts';

/** How a text is shielded. */
export interface Shield {
  /** Of this process, for the marks. */
  readonly key: Uint8Array;
  /** Takes out the secrets that are known from elsewhere: in the environment, in `.env`. */
  readonly redact: Redactor;
}

/** Undefined if it is no JSON: after a fault nobody can say what is a value, and any may be secret. */
export function shielded(text: string, shield: Shield): string | undefined {
  if (!isJson(text)) return undefined;
  return replaced(text, marksIn(text, shield));
}

/** The text with its secrets again; or the places where a mark stands for nothing. */
export type Unshielded =
  | { readonly type: 'whole'; readonly text: string }
  | { readonly type: 'misplaced'; readonly paths: readonly KeyPath[] };

/** `base`: the text that the marks were made for. A text that is no JSON stays as it is, and cannot be a config. */
export function unshielded(text: string, base: string, shield: Shield): Unshielded {
  if (!isJson(text)) return { type: 'whole', text };
  const known = new Map((isJson(base) ? marksIn(base, shield) : []).map((mark) => [mark.id, mark]));
  const found: Replacement[] = [];
  const paths: KeyPath[] = [];
  visit(
    withoutByteOrderMark(text),
    {
      onObjectProperty(name, _offset, _length, _line, _column, pathOf) {
        if (name.includes(leftOut)) paths.push([...pathOf(), name]);
      },
      onLiteralValue(value: unknown, offset, length, _line, _column, pathOf) {
        if (typeof value !== 'string' || !value.includes(leftOut)) return;
        const path = pathOf();
        const mark = known.get(value.slice(leftOut.length));
        if (mark?.path !== undefined && value.startsWith(leftOut) && isSame(mark.path, path))
          found.push({ offset, length, content: mark.raw });
        else paths.push(path);
      },
      onComment(offset, length) {
        const [, id = ''] = remarkOfMark.exec(text.slice(offset, offset + length)) ?? [];
        const mark = known.get(id);
        if (mark !== undefined && mark.path === undefined) found.push({ offset, length, content: mark.raw });
      },
    },
    syntax,
  );
  return paths.length > 0 ? { type: 'misplaced', paths } : { type: 'whole', text: replaced(text, found) };
}

/** A value with `[secret]` in the place of marks, and of what is known to be secret. */
export function withoutMarks(value: JsonValue, redact: Redactor): JsonValue {
  if (typeof value === 'string') return value.startsWith(leftOut) ? '[secret]' : redact(value);
  if (Array.isArray(value)) return value.map((part) => withoutMarks(part, redact));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutMarks(part, redact)]));
}

interface Replacement {
  readonly offset: number;
  readonly length: number;
  readonly content: string;
}

interface Mark extends Replacement {
  readonly id: string;
  /** Of a value. Undefined: it is a remark. */
  readonly path: KeyPath | undefined;
  /** As it is written. */
  readonly raw: string;
}

const remarkOfMark = new RegExp(`^(?://|/\\*) ${leftOut}([0-9a-f]+)(?: \\*/)?\\s*$`);

function marksIn(text: string, shield: Shield): readonly Mark[] {
  const marks: Mark[] = [];
  const shapes = redactor([]);
  // Where nothing is known to be secret in the whole, it need not be looked for in each part.
  const redact = shield.redact(text) === text ? noRedaction : shield.redact;
  visit(
    withoutByteOrderMark(text),
    {
      onLiteralValue(value: unknown, offset, length, _line, _column, pathOf) {
        if (typeof value !== 'string' && typeof value !== 'number') return;
        const path = pathOf();
        const isSecret = isLeftOut(path, value, shapes) || redact(String(value)) !== String(value);
        if (isSecret) marks.push(markOf({ path, offset, raw: text.slice(offset, offset + length) }, shield));
      },
      onComment(offset, length) {
        const raw = text.slice(offset, offset + length);
        if (redact(raw) !== raw || namesSecret(raw, shapes))
          marks.push(markOf({ path: undefined, offset, raw }, shield));
      },
    },
    syntax,
  );
  return marks;
}

function markOf({ path, offset, raw }: Pick<Mark, 'path' | 'offset' | 'raw'>, { key }: Shield): Mark {
  // A remark may move: it stands for itself.
  const place = JSON.stringify([path ?? 'remark', raw]);
  const id = createHmac('sha256', key).update(place).digest('hex').slice(0, 10);
  const content = path === undefined ? remarkWith(leftOut + id, raw) : JSON.stringify(leftOut + id);
  return { path, offset, raw, length: raw.length, content, id };
}

/** A key with a value that was taken out of use by making it a remark: `// "token": "7000001:AA…"`. */
function namesSecret(remark: string, shapes: Redactor): boolean {
  return [...remark.matchAll(/"([\w.-]+)"\s*:\s*"((?:[^"\\]|\\.)+)"/g)].some(
    ([, name = '', value = '']) => holdsSecret([name]) && isLeftOut([name], value, shapes),
  );
}

function remarkWith(words: string, raw: string): string {
  return raw.startsWith('//') ? `// ${words}` : `/* ${words} */`;
}

function isSame(one: KeyPath, other: KeyPath): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isJson(text: string): boolean {
  const errors: ParseError[] = [];
  parseTree(withoutByteOrderMark(text), errors, syntax);
  return errors.length === 0;
}

/** As long as before. */
function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, ' ');
}

function replaced(text: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { offset, length, content } of replacements.toSorted((a, b) => a.offset - b.offset)) {
    parts.push(text.slice(at, offset), content);
    at = offset + length;
  }
  return parts.join('') + text.slice(at);
}
