/** What is looked for in the lines of files. */
export interface LineQuery {
  readonly pattern: string;
  readonly is_regex: boolean;
  readonly ignore_case: boolean;
}

/** Where in a line the first match begins; -1 if there is none. */
export type LineMatcher = (line: string) => number;

export type MatcherReading =
  | { readonly valid: true; readonly matcher: LineMatcher }
  /** The message tells the model what to mend. */
  | { readonly valid: false; readonly message: string };

/** Reads a text or a regular expression. A regular expression may take for ever on a line. */
export function matcherOf({ pattern, is_regex: isRegex, ignore_case: ignoreCase }: LineQuery): MatcherReading {
  if (!isRegex && /[\r\n]/.test(pattern)) {
    return { valid: false, message: 'The pattern has a line end, but only single lines are searched. Give one line.' };
  }
  if (!isRegex && !ignoreCase) return { valid: true, matcher: (line) => line.indexOf(pattern) };
  try {
    const expression = expressionOf(isRegex ? pattern : escaped(pattern), ignoreCase ? 'i' : '');
    return { valid: true, matcher: (line) => line.search(expression) };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return {
      valid: false,
      message: `The pattern cannot be read. ${cause.message}. To look for it as text, leave out is_regex.`,
    };
  }
}

/** With Unicode, as far as its stricter rules allow what is written. */
function expressionOf(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return new RegExp(source, flags);
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
