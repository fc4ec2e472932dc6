/*
 * Mends for single values of an answer. Servers that claim to speak a provider's protocol differ from it in small ways: a
 * number in place of a text, `null` in place of a list, an object where its JSON belongs. Each mend gives what the protocol
 * wants, `undefined` for what may be missing, or throws `OddForm` if the value cannot be understood and is needed.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';

/** Part of an answer that cannot be understood. Has no text of the answer. */
export class OddForm extends Error {
  override readonly name = 'OddForm';
  /** Where it stands: `choices[0].delta.tool_calls`. */
  readonly path: string;

  constructor(path: string) {
    super(`An odd ${path}`);
    this.path = path;
  }
}

export type Mend = (value: JsonValue | undefined, path: string) => JsonValue | undefined;

/** A text that people or tools need. */
export const text: Mend = (value, path) => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object') throw new OddForm(path);
  return String(value);
};

/** A text that nobody needs, or an id: empty ones are none. */
export const label: Mend = (value) =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;

export const count: Mend = (value) => {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** A count that the package insists on. */
export const countOrZero: Mend = (value, path) => count(value, path) ?? 0;

/** The JSON of the arguments of a call. An empty object stands where others write nothing yet. */
export const jsonText: Mend = (value) => {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') return String(value);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
};

/** The arguments of a call as an object. */
export const jsonObject: Mend = (value, path) => {
  if (value === undefined || value === null || value === '') return {};
  if (typeof value !== 'string') return value;
  const read = parsed(value);
  if (isJsonObject(read)) return read;
  throw new OddForm(path);
};

function parsed(value: string): JsonValue | undefined {
  try {
    const read: JsonValue = JSON.parse(value);
    return read;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const nothing: Mend = () => undefined;

/** An object: the named members are mended, the others stay. */
export function fields(mends: Readonly<Record<string, Mend>>): Mend {
  return (value, path) => {
    if (value === undefined || value === null) return undefined;
    if (!isJsonObject(value)) throw new OddForm(path);
    return mendFields(value, mends, path);
  };
}

export function mendFields(object: JsonObject, mends: Readonly<Record<string, Mend>>, path = ''): JsonObject {
  const mended = Object.entries(mends).map(([key, mend]) => {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    return [key, mend(value, path === '' ? key : `${path}.${key}`)] as const;
  });
  const others = Object.entries(object).filter(([key]) => !Object.hasOwn(mends, key));
  return Object.fromEntries(
    [...others, ...mended].flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

/** A list; one object alone is a list of one, and what is no object in it is left out. */
export function list(mend: Mend): Mend {
  return (value, path) => {
    if (value === undefined || value === null) return undefined;
    const items = isJsonObject(value) ? [value] : value;
    if (!Array.isArray(items)) throw new OddForm(path);
    return items.flatMap((item: JsonValue, index) => (item === null ? [] : (mend(item, `${path}[${index}]`) ?? [])));
  };
}

/** A value that is left out if it cannot be understood. */
export function loosely(mend: Mend): Mend {
  return (value, path) => {
    try {
      return mend(value, path);
    } catch (error) {
      if (error instanceof OddForm) return undefined;
      throw error;
    }
  };
}

/**
 * The fault that a value tells of, in any of the usual forms; undefined if it tells of none. `name`: of its event. Gateways in
 * China send `{code, msg}`, `{error_code, error_msg}` or `{base_resp}` with a status of success.
 */
export function faultIn(value: JsonObject, name: string | undefined): JsonObject | undefined {
  const { error, base_resp: base } = value;
  if (isJsonObject(error)) return Object.keys(error).length === 0 ? undefined : faultOf({ ...value, ...error });
  if (Array.isArray(error) && error.length > 0) return faultOf({ message: error[0] });
  if (typeof error === 'string' && error !== '') return faultOf({ ...value, message: error });
  if (isJsonObject(base) && isFaultCode(base.status_code)) return faultOf({ ...base, code: base.status_code });
  const isNamed = name === 'error' || value.object === 'error' || value.type === 'error' || value.success === false;
  const code = value.error_code ?? value.code ?? value.status_code ?? value.status;
  return isNamed || (isFaultCode(code) && wordsIn(value) !== undefined) ? faultOf({ ...value, code }) : undefined;
}

function isFaultCode(code: JsonValue | undefined): boolean {
  if (typeof code !== 'string' && typeof code !== 'number') return false;
  return !/^(?:0|2\d\d|ok|success|completed|in_progress)?$/i.test(String(code));
}

function faultOf(fault: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const { type = 'error', code = null, status = null, statusCode = null } = fault;
  return { message: wordsIn(fault) ?? '', type, code, status, statusCode };
}

function wordsIn(value: Readonly<Record<string, JsonValue | undefined>>): string | undefined {
  const words = ['message', 'error_msg', 'status_msg', 'msg', 'detail', 'error'].map((key) => value[key]);
  for (const word of words) {
    const inner = isJsonObject(word) ? wordsIn(word) : word;
    if (typeof inner === 'string' && inner.trim() !== '') return inner;
  }
  return undefined;
}
