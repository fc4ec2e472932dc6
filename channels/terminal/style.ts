/** How text is set off on this terminal. */
export interface Style {
  /** Whether markdown is shown as what it means, or as it is written. */
  readonly rendersMarkdown: boolean;
  bold(text: string): string;
  dim(text: string): string;
  code(text: string): string;
}

/** Sets nothing off: for pipes, and where the person wants no colour. */
export const plainStyle: Style = {
  rendersMarkdown: false,
  bold: (text) => text,
  dim: (text) => text,
  code: (text) => text,
};

/** Each ends what it began, and nothing else. */
export const ansiStyle: Style = {
  rendersMarkdown: true,
  bold: (text) => `\u001b[1m${text}\u001b[22m`,
  dim: (text) => `\u001b[2m${text}\u001b[22m`,
  code: (text) => `\u001b[36m${text}\u001b[39m`,
};
