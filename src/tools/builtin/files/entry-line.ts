import type { EntryType } from '../../guard/workspace/entry.ts';
import { formatSize } from '../../text.ts';

/** A file or folder in a list for the model: a folder ends with "/", a link with "@", a file has its size. `size`: in bytes. */
export function entryLine(shownName: string, type: EntryType, size: number): string {
  switch (type) {
    case 'directory':
      return `${shownName}/`;
    case 'link':
      return `${shownName}@`;
    case 'file':
      return `${shownName}  ${formatSize(size)}`;
    case 'other':
      return `${shownName}  (device, pipe or socket)`;
  }
}
