/*
 * Which literal values of a config, and which of its remarks, are kept from those who edit it somewhere else. These are more
 * than copies leave out: what is shown as a mark is put back, so that one too many costs little.
 */

import type { Redactor } from '../tools/guard/redact/redact.ts';
import { holdsSecret, type KeyPath } from './config-error.ts';
import { mayBeSecret } from './environment.ts';
import { isLeftOut } from './last-good.ts';
import { isMark } from './left-out.ts';

/** A string or a number of a config, at its place. */
export interface Literal {
  readonly path: KeyPath;
  readonly value: string | number;
  /** The entry before it in its list. */
  readonly before?: string | undefined;
}

/** `shapes`: takes out what is shaped like a secret. */
export function isSecretLiteral({ path, value, before = '' }: Literal, shapes: Redactor): boolean {
  if (isMark(value)) return false;
  if (isLeftOut(path, value, shapes)) return true;
  if (typeof value === 'number') return false;
  const literal = withoutVariables(value);
  if (literal === '') return false;
  const [parent] = path.slice(-2);
  return (
    parent === 'headers' ||
    secretOption.test(before) ||
    gluedOption.test(literal) ||
    secretsOfAddress(literal).length > 0 ||
    assignedIn(literal).some(({ value: assigned }) => looksChosen(assigned))
  );
}

/** What of a secret may stand somewhere else in the text, too: the whole, and what in it is the secret. */
export function secretsOf({ path, value }: Pick<Literal, 'path' | 'value'>): readonly string[] {
  const literal = withoutVariables(String(value));
  const isNamed = holdsSecret(path.slice(-1)) && path.at(-2) !== 'headers';
  const scheme = /^(?:bearer|basic|token|bot)\s+(\S+)$/i.exec(literal)?.slice(1) ?? [];
  const parts = [...scheme, ...secretsOfAddress(literal), ...assignedIn(literal).map((one) => one.value)];
  return [...(isNamed || isTelling(literal) ? [literal] : []), ...parts].filter(isFindable);
}

/** A part of the text of a remark, from `start` to before `end`. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** What of it may stand somewhere else in the text, too. */
  readonly secrets: readonly string[];
}

/** Where a remark, or several lines of one, has a value by the name of a secret, or is a part of a config that may have some. */
export function secretsInRemark(remark: string): readonly SecretSpan[] {
  const assigned = assignedIn(remark, true).map(({ start }) => [start, endOfValue(remark, start)] as const);
  const parts = [...remark.matchAll(partOfConfig)].map(
    ({ 0: found, index }) => [index, endOfPart(remark, index + found.length)] as const,
  );
  const random = [...remark.matchAll(randomWord)].map(({ 0: word, index }) => [index, index + word.length] as const);
  const addresses = [...remark.matchAll(address)].filter(({ 0: found }) => secretsOfAddress(found).length > 0);
  const spans = [...assigned, ...parts, ...random].map(([start, end]) => {
    const words = remark.slice(start, end).split(/[\s"'`,;=()[\]{}]+/);
    return { start, end, secrets: words.filter((word) => looksChosen(word) && isFindable(word)) };
  });
  const ofAddresses = addresses.map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
    secrets: secretsOfAddress(found).filter(isFindable),
  }));
  return [...spans, ...ofAddresses];
}

const secretOption = /^--?[\w.-]*(?:token|key|secret|pass\w*|pwd|auth\w*|credentials?|cookie|pat|header|pin)$/i;

/** `-phunter2` */
const gluedOption = /^-[A-Za-z](?=\S*\d)[^\s=]{6,}$/;

/** `"headers": {"X-Thing": …` */
const partOfConfig = /(?<![\w-])(?:headers|env|args)["'`]?\s*[:=]\s*[{[]/gi;

/** Letters and digits without an order that somebody might have written. */
const randomWord = /(?<![\w/+.-])(?=[A-Za-z+_]*\d)(?=[\d+_]*[A-Za-z])[A-Za-z\d+_]{24,}={0,2}(?![\w/.-])/g;

/** The last word of a name, `MY_PASSWORD` and `api-key`. */
const secretWord =
  /(?:token|key|secret|passw(?:or)?d|passphrase|passcode|credentials?|authorization|cookie|signature|(?:^|[^a-z])(?:pass|pwd|pw|pat|pin|auth|sig))$|密码|口令|密钥|令牌|凭据/i;

interface Assigned {
  readonly start: number;
  readonly value: string;
}

/** What is given by the name of a secret: `MY_PASSWORD=…`, `"api_key": …`, `--token …`; in a remark, also `password is …`. */
function assignedIn(text: string, isRemark = false): readonly Assigned[] {
  const names = [...text.matchAll(assignment), ...(isRemark ? text.matchAll(prose) : [])];
  return names.flatMap(({ 1: name = '', 2: link = '', 3: written = '', index }) => {
    const value = withoutVariables(written.replace(/^["'`\\(]+|["'`\\),;]+$/g, ''));
    const isSaid = !/[=:：>]/.test(link) && !name.startsWith('-');
    const isSecret = secretWord.test(name) && value !== '' && (!isSaid || looksChosen(value));
    return isSecret ? [{ start: index, value }] : [];
  });
}

const assignment =
  /(?<![\p{L}\w.-])(-{0,2}[\p{L}_][\p{L}\w.-]{0,100})(["'`\])]{0,3}\s{0,20}(?:=>?|->|[:：])\s{0,200}|(?<=(?<![\w-])--?[\w.-]{1,100})["'`]?[\s,]{1,20})(?=(\S{1,400}))/gu;
const prose =
  /(?<![\p{L}\w.-])([\p{L}_][\p{L}\w.-]{0,100}?)(\s{1,20}(?:is|was)\s{1,20}|\s{0,20}[是为]\s{0,20}|\s{1,20})(?=(\S{1,400}))/gu;

/** Not a word of a sentence. */
function looksChosen(value: string): boolean {
  return value.length >= 6 && /\d/.test(value) && /\p{L}/u.test(value);
}

/** Of the line, and of those that go on with it: `"hunter2-" +`. */
function endOfValue(text: string, start: number): number {
  const found = text.indexOf('\n', start);
  const at = found < 0 ? text.length : found;
  const goesOn = /(?:[+\\([{,=:]|["'`]\s*\.)\s*$/.test(text.slice(Math.max(start, at - 80), at));
  return goesOn && at < text.length ? endOfValue(text, at + 1) : at;
}

/** Where the bracket before it is closed. */
function endOfPart(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if ('{['.includes(character)) depth += 1;
    if ('}]'.includes(character)) depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** The user, the password, the values of the query, and long parts of the path that nobody has made up. */
function secretsOfAddress(text: string): readonly string[] {
  const found = [...text.matchAll(address)].flatMap(({ 1: user = '', 2: rest = '' }) => [
    ...user.split(':'),
    ...[...rest.matchAll(/[?&#;][\w.[\]-]{1,100}=([^\s&#;"']{1,500})/g)]
      .map(([, value = '']) => value)
      .filter(isNoSwitch),
    ...rest.split(/[?#]/, 1).join('').split('/').slice(1).filter(looksRandom),
  ]);
  return found.flatMap((one) => [one, decoded(one)].map(withoutVariables)).filter((one) => one !== '');
}

const address = /:\/\/(?:([^\s/?#@]{0,500}(?:@[^\s/?#@]{1,500})?)@(?=[^@\s]))?([^\s"'`]{0,2000})/g;

/** `?stream=true`, `?v=2` */
function isNoSwitch(value: string): boolean {
  return value.length >= 4 && mayBeSecret(value);
}

function looksRandom(part: string): boolean {
  return /^(?=.*\d)(?=.*[A-Za-z])\S{20,}$/.test(part);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** It is looked for in other texts, where a shorter one, or a plain word, would be found by chance. */
function isFindable(secret: string): boolean {
  return secret.length >= 8 && mayBeSecret(secret) && !/^[\w.-]+:\d{1,5}$/.test(secret);
}

function isTelling(literal: string): boolean {
  return /\d/.test(literal) || /[^\p{L}\s._/-]/u.test(literal);
}

function withoutVariables(text: string): string {
  return text.replaceAll(/\$\{\w+\}/g, '').trim();
}
