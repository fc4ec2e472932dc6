import type { Dirent, Stats } from 'node:fs';

export type EntryType = 'directory' | 'file' | 'link' | 'other';

/** What an entry of a directory is itself: a link is a link. */
export function entryType(found: Stats | Dirent): EntryType {
  if (found.isSymbolicLink()) return 'link';
  if (found.isDirectory()) return 'directory';
  return found.isFile() ? 'file' : 'other';
}
