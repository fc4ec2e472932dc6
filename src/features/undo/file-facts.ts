import type { FileState } from '../../tools/guard/workspace/survey.ts';

/** Why there is no copy: it is too large, there was no room, it cannot be read, or the disk was full. */
export type NoCopy = 'large' | 'room' | 'unreadable' | 'full';

/** What was known of a name in a workspace. */
export interface FileFacts extends Pick<FileState, 'type' | 'size' | 'mode' | 'stamp'> {
  /** SHA-256 of its content, if there is a copy. */
  readonly digest?: string | undefined;
  readonly lacks?: NoCopy | undefined;
  /** It had not changed for a while: as long as the stamp is the same, the content is. */
  readonly isSettled: boolean;
}

/** Files by their paths. */
export type Files = ReadonlyMap<string, FileFacts>;

/** A path before a call and after it. Undefined: nothing was there. */
export interface FileChange {
  readonly path: string;
  readonly before: FileFacts | undefined;
  readonly after: FileFacts | undefined;
}

/** Whether it is the same file, as far as people care. Of a folder, only whether it is there. */
export function isSameFile(one: FileFacts | undefined, other: FileFacts | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.type !== other.type) return false;
  if (one.type === 'directory') return true;
  if (one.digest === undefined || other.digest === undefined) return one.stamp === other.stamp;
  return one.digest === other.digest && one.mode === other.mode;
}

/** What differs, in the order of paths. */
export function changesBetween(before: Files, after: Files): readonly FileChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
    .filter((change) => !isSameFile(change.before, change.after));
}

/** A file that strangers may have written, and where that came from; without a path, any file of the workspace. */
export interface KeptLabel {
  readonly path: string;
  readonly source: string;
}
