import type { Assignment, Word, WordPart } from 'unbash';

/** A word of a command, as the shell makes it. */
export interface ShellWord {
  /** Without quotes and escapes. What is filled in when it runs stands as it is written. */
  readonly text: string;
  /** Nothing is filled in: no variable, pattern, list in braces or other command. */
  readonly isKnown: boolean;
  /** What it begins with in any case. */
  readonly beginning: string;
}

export function knownWord(text: string): ShellWord {
  return { text, isKnown: true, beginning: text };
}

/** A word of which only running the command would tell anything. */
export function anyWord(text: string): ShellWord {
  return { text, isKnown: false, beginning: '' };
}

export function shellWord(node: Word | Assignment): ShellWord {
  if (node.type === 'Assignment') return assignmentWord(node);
  const beginning = knownBeginning(node.parts ?? []);
  if (node.parts === undefined || beginning.isWhole) return knownWord(node.value);
  return { text: node.value, isKnown: false, beginning: beginning.text };
}

/** An argument that looks like an assignment is one word all the same. */
function assignmentWord({ name, append, index, value, text }: Assignment): ShellWord {
  if (value.type === 'ArrayValue' || index !== undefined) return { text, isKnown: false, beginning: name };
  const word = shellWord(value);
  const before = `${name}${append === true ? '+' : ''}=`;
  return { text: before + word.text, isKnown: word.isKnown, beginning: before + word.beginning };
}

function knownBeginning(parts: readonly WordPart[]): { readonly text: string; readonly isWhole: boolean } {
  let text = '';
  for (const part of parts) {
    if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') {
      text += part.value;
      continue;
    }
    if (part.type !== 'DoubleQuoted' && part.type !== 'LocaleString') return { text, isWhole: false };
    const quoted = knownBeginning(part.parts);
    text += quoted.text;
    if (!quoted.isWhole) return { text, isWhole: false };
  }
  return { text, isWhole: true };
}
