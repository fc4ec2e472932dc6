/** An object as JSON has it, not looked at yet. */
export type Json = { readonly [key: string]: unknown };

/** Whether the value is an object that JSON writes with braces. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a frame is; undefined if it is none. */
export function readFrame(text: unknown): Json | undefined {
  try {
    const frame: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return isJson(frame) ? frame : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The text; empty if it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A random name that nobody guesses. */
export function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
