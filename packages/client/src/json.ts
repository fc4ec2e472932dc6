/** A JSON object, not validated. */
export type Json = { readonly [key: string]: unknown };

/** Whether the value is a plain JSON object, not an array. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a frame; undefined if it is not a JSON object. */
export function readFrame(text: unknown): Json | undefined {
  try {
    const frame: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return isJson(frame) ? frame : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The text; empty for any other type. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A random name of 128 bits. */
export function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
