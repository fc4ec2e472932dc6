import { common, createLowlight } from 'lowlight';
import type { ComponentChildren } from 'preact';

const lowlight = createLowlight(common);

/** Code in colours, as elements; undefined if the language is not known. */
export function highlight(language: string, code: string): ComponentChildren {
  const name = language.toLowerCase();
  if (!lowlight.registered(name)) return undefined;
  return drawn(lowlight.highlight(name, code));
}

/** A tree of HTML, as far as it is spans. */
interface Tree {
  readonly type: string;
  readonly value?: unknown;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Tree[];
}

function drawn({ type, value, properties, children = [] }: Tree): ComponentChildren {
  if (type === 'text') return String(value);
  const inner = children.map(drawn);
  const names = properties?.className;
  return type === 'element' && Array.isArray(names) ? <span class={names.join(' ')}>{inner}</span> : inner;
}
