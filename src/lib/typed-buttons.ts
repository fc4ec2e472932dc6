/** A button as far as it can be typed. */
interface TypedButton {
  readonly label: string;
  readonly shortcut: string;
}

/** The text of a list with its buttons as what to type, where there is nothing to press: a line of markdown each. */
export function withTypedButtons(markdown: string, rows: readonly (readonly TypedButton[])[] = []): string {
  const lines = rows.flat().map(({ label, shortcut }) => `- ${label}: \`${shortcut.replaceAll('`', '')}\``);
  return [markdown, lines.join('\n')].filter((text) => text !== '').join('\n\n');
}
