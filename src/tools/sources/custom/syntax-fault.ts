import { forEachChild, type SyntaxNode } from 'unbash';
import { doubtOf } from '../../guard/command/syntax-doubts.ts';

/** Parts in each other: about 50 substitutions. */
const deepest = 300;

/** Why it cannot be said for certain how a shell, whichever it is, reads a text. Undefined where it can. */
export function syntaxFault(node: SyntaxNode, level = 0): string | undefined {
  if (level > deepest) return 'its parts stand too deep in each other. Put it into a script file, and run that.';
  const own = ownFault(node);
  if (own !== undefined) return own;
  let fault: string | undefined;
  forEachChild(node, (child) => {
    fault ??= syntaxFault(child, level + 1);
  });
  return fault;
}

function ownFault(node: SyntaxNode): string | undefined {
  if (node.type === 'Script') {
    const [error] = node.errors ?? [];
    return error === undefined ? undefined : `it has a mistake in its syntax: ${error.message}.`;
  }
  // Where shells disagree on where a string ends, they disagree on all that follows.
  if (node.type !== 'AnsiCQuoted' && node.type !== 'HereDocDelimiter') return undefined;
  return doubtOf(node) === undefined
    ? undefined
    : `shells read ${node.text.slice(0, 60)} differently. Write it with plain quotes.`;
}
