/**
 * Controls of both sets but the line feed and the tab, those that change the direction of text, and line separators: a
 * terminal would obey them, and anybody's words may hold them.
 */
const obeyed = /[[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]--[\n\t]]/gv;

/**
 * What a command prints, as it may reach a terminal: what would be obeyed is an escape, `\u001b`. In JSON it means the
 * same, as it stands within strings only.
 */
export function printed(text: string): string {
  return text.replace(obeyed, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
