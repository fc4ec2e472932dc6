import type { ResultPicture } from '../../transcript.ts';
import type { Row } from '../row.ts';

/** Pictures of a result as a column holds them: their paths, as JSON. */
export function picturesColumn(pictures: readonly ResultPicture[] = []): string | null {
  return pictures.length === 0 ? null : JSON.stringify(pictures.map(({ path }) => path));
}

/** Those that the row holds, for an object that has some or none. */
export function picturesOf(row: Row): { readonly pictures?: readonly ResultPicture[] } {
  if (row.optionalText('pictures') === undefined) return {};
  const paths = row.json('pictures');
  return {
    pictures: Array.isArray(paths) ? paths.filter((path) => typeof path === 'string').map((path) => ({ path })) : [],
  };
}
