import { absolute, relative } from '../lib/time.ts';

/** An instant in ms since 1970: how long ago, and exactly for a closer look. */
export function Time({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={absolute(at)}>
      {relative(at)}
    </time>
  );
}
