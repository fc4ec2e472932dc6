/*
 * A text of the config that can be shown and edited without its secrets: each literal value that may be secret, each remark
 * that names one, and whatever has one in it that stands elsewhere in the text, is a mark. The mark is bound to its place and to what stands there, by a key that only this process
 * knows: it tells nothing of the secret, and elsewhere it stands for nothing. What is put back is what stood there, byte for byte.
 */

import { createHmac } from 'node:crypto';
import { type ParseError, parse, parseTree, visit } from 'jsonc-parser';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import { type Redactor, redactor } from '../tools/guard/redact/redact.ts';
import type { KeyPath } from './config-error.ts';
import { leftOut } from './left-out.ts';
import { isSecretLiteral, secretsInRemark, secretsOf } from './secret-literals.ts';
import { isTooDeep, syntax } from './source.ts';

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

/** The literal secrets of a text, as far as one can look for them in others. None of a text that is no JSON. */
export function secretsIn(text: string): readonly string[] {
  return isJson(text) ? [...new Set(partsOf(text).flatMap(({ secrets }) => secrets))] : [];
}

/** A config as a value, with `[secret]` in the place of each literal that may be one. */
export function withoutLiterals(config: object, redact: Redactor): JsonValue {
  return withoutMarks(markedValue(JSON.stringify(config), { key: new Uint8Array(), redact }) ?? {}, redact);
}

/** A text as a value, with marks. Undefined if it is no JSON. */
export function markedValue(text: string, shield: Shield): JsonValue | undefined {
  const safe = shielded(text, shield);
  if (safe === undefined) return undefined;
  const value: JsonValue | undefined = parse(withoutByteOrderMark(safe), [], syntax);
  return value ?? {};
}

function marksIn(text: string, shield: Shield): readonly Mark[] {
  const parts = partsOf(text);
  const own = redactor([...new Set(parts.flatMap(({ secrets }) => secrets))], shortestKnown);
  return parts
    .filter(({ isSecret, said }) => isSecret || own(said) !== said || shield.redact(said) !== said)
    .map((part) => markOf(part, shield));
}

/** A shorter one is in too many texts by chance. */
export const shortestKnown = 8;

/** A string, a number or a remark of a text. */
interface Part {
  /** Undefined: it is a remark. */
  readonly path: KeyPath | undefined;
  readonly offset: number;
  readonly raw: string;
  readonly said: string;
  /** Whether it is one by itself, whatever else is in the text. */
  readonly isSecret: boolean;
  readonly secrets: readonly string[];
}

function partsOf(text: string): readonly Part[] {
  const found: { readonly path: KeyPath; readonly value: unknown; readonly offset: number; readonly raw: string }[] =
    [];
  const remarks: Remark[] = [];
  const rawAt = (offset: number, length: number) => text.slice(offset, offset + length);
  visit(
    withoutByteOrderMark(text),
    {
      onLiteralValue: (value: unknown, offset, length, _line, _column, pathOf) =>
        void found.push({ path: pathOf(), value, offset, raw: rawAt(offset, length) }),
      onComment: (offset, length) => void remarks.push({ offset, raw: rawAt(offset, length) }),
    },
    syntax,
  );
  const shapes = redactor([]);
  const literals = found.flatMap(({ path, value, offset, raw }, index): readonly Part[] => {
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    const literal = { path, value, before: entryBefore(path, found[index - 1]) };
    const isSecret = isSecretLiteral(literal, shapes);
    return [{ path, offset, raw, said: String(value), isSecret, secrets: isSecret ? secretsOf(literal) : [] }];
  });
  return [...literals, ...blocksOf(remarks, text).flatMap(partsOfBlock)];
}

/** Of a list, what stands just before this entry. */
function entryBefore(
  path: KeyPath,
  last: { readonly path: KeyPath; readonly value: unknown } | undefined,
): string | undefined {
  const index = path.at(-1);
  if (typeof index !== 'number' || last === undefined || index === 0) return undefined;
  return isSame(last.path, [...path.slice(0, -1), index - 1]) ? String(last.value) : undefined;
}

interface Remark {
  readonly offset: number;
  readonly raw: string;
}

/** Lines of remarks that stand below each other are read as one: a part of a config may have been taken out of use. */
function blocksOf(remarks: readonly Remark[], text: string): readonly (readonly Remark[])[] {
  const blocks: Remark[][] = [];
  for (const remark of remarks) {
    const block = blocks.at(-1);
    const last = block?.at(-1);
    const isNext = last !== undefined && text.slice(last.offset + last.raw.length, remark.offset).trim() === '';
    if (block !== undefined && isNext) block.push(remark);
    else blocks.push([remark]);
  }
  return blocks;
}

function partsOfBlock(block: readonly Remark[]): readonly Part[] {
  const lines = block.map(({ raw }) => raw.replace(/^\/\/+|^\/\*+|\*+\/$/g, '').replaceAll(/\r\n?/g, '\n'));
  const spans = secretsInRemark(lines.join('\n'));
  let start = 0;
  return block.map(({ offset, raw }, index) => {
    const end = start + (lines[index] ?? '').length;
    const own = spans.filter((span) => span.start <= end && span.end > start);
    start = end + 1;
    return {
      path: undefined,
      offset,
      raw,
      said: raw,
      isSecret: own.length > 0,
      secrets: own.flatMap(({ secrets }) => secrets),
    };
  });
}

function markOf({ path, offset, raw }: Pick<Mark, 'path' | 'offset' | 'raw'>, { key }: Shield): Mark {
  // A remark may move: it stands for itself.
  const place = JSON.stringify([path ?? 'remark', raw]);
  const id = createHmac('sha256', key).update(place).digest('hex').slice(0, 10);
  const content = path === undefined ? remarkWith(leftOut + id, raw) : JSON.stringify(leftOut + id);
  return { path, offset, raw, length: raw.length, content, id };
}

function remarkWith(words: string, raw: string): string {
  return raw.startsWith('//') ? `// ${words}` : `/* ${words} */`;
}

function isSame(one: KeyPath, other: KeyPath): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isJson(text: string): boolean {
  // The parser would overflow the stack.
  if (isTooDeep(text)) return false;
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
