/** A message that is an order to Keyturn, not something for the model. */
export interface Command {
  /** Lower case, without the slash. */
  readonly name: string;
  /** The rest of the message, trimmed. */
  readonly argument: string;
}

/** Reads `/name the rest`. Undefined if the text is no command: a path such as `/etc/hosts` is none. */
export function parseCommand(text: string): Command | undefined {
  const match = /^\/([a-z][a-z0-9_]{0,31})(?:\s+([\s\S]*))?$/i.exec(text.trim());
  const [, name, argument] = match ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), argument: (argument ?? '').trim() };
}

/** Splits the first word off: `k3f9 too risky` is `k3f9` and `too risky`. */
export function firstWord(text: string): { readonly word: string; readonly rest: string } {
  const [word = '', ...rest] = text.split(/\s+/);
  return { word, rest: rest.join(' ') };
}
