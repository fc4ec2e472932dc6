import fc from 'fast-check';

/**
 * Any text at all: every code point may stand in it, and so may halves of pairs. What fast-check calls `binary` is the same,
 * and takes half a second to begin with.
 */
export function anyText(length: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  return fc.array(fc.nat(0x10_ff_ff), length).map((points) => String.fromCodePoint(...points));
}
