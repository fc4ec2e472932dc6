import type { Node } from 'jsonc-parser';
import { type KeyPath, shorten } from './placed-fault.ts';

/** What stands in the file, for a message. A value that may be a secret is named by its kind only. */
export function foundValue(node: Node, path: KeyPath): string {
  switch (node.type) {
    case 'object':
      return 'an object';
    case 'array':
      return 'a list';
    case 'null':
      return 'null';
    case 'property':
      return 'a key';
    case 'string':
    case 'number':
    case 'boolean':
      return holdsSecret(path)
        ? `a ${node.type} that is not shown here`
        : shorten(node.type === 'string' ? JSON.stringify(node.value) : String(node.value));
  }
}

/** Whether what stands at this place may be a secret, by the names of the keys above it. */
export function holdsSecret(path: KeyPath): boolean {
  return path.some((segment) => typeof segment === 'string' && secretKey.test(segment));
}

/** At the end of the key only: `max_output_tokens` is none. */
const secretKey = /(token|key|secret|password|passphrase|credentials?|authorization|cookie|headers?)$/i;
