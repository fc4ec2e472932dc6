/** A value of a sentence that may be anything on one line: `away({ time: '2 h', from: anything, until: anything })`. */
export const anything = '\ue000';

/** A number of a sentence that may be any one, with or without commas. */
export const anyNumber = 909_090_909;

/** Finds a sentence of a catalogue in a text. */
export function saying(sentence: string): RegExp {
  return new RegExp(patternOf(sentence));
}

/** Is met by a text that says this sentence and nothing else. */
export function sayingOnly(sentence: string): RegExp {
  return new RegExp(`^${patternOf(sentence)}$`);
}

function patternOf(sentence: string): string {
  const literal = sentence.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return literal.replaceAll(anything, '.*').replaceAll(/909(?:,?)090(?:,?)909/g, '[\\d,]+');
}
