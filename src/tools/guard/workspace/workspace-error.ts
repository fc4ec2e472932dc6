import { oneLine } from '../../../lib/plain-text.ts';

/** Why a file of the workspace can't be used, in words that the model can act on. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
}

/** A path for messages. */
export function quotePath(path: string): string {
  return `"${oneLine(path, 200)}"`;
}

const explained: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'lies under something that is not a directory',
  EISDIR: 'is a directory',
  EACCES: 'may not be accessed: the operating system refuses',
  EPERM: 'may not be accessed: the operating system refuses',
  EROFS: 'cannot be written: the file system is read-only',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk quota is used up',
  ENAMETOOLONG: 'is too long a path',
  ELOOP: 'was exchanged for a link while it was opened; try again',
  ENXIO: 'is not a regular file',
};

/** Makes an error of the operating system a `WorkspaceError`; returns anything else unchanged. */
export function explain(cause: unknown, path: string): unknown {
  const why = explained[errorCode(cause) ?? ''];
  return why === undefined ? cause : new WorkspaceError(`${quotePath(path)} ${why}.`, { cause });
}

export function errorCode(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}

/** What the operating system answers if a path is missing or not accessible. */
export const absent = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'];

/** The result, or undefined if the operating system answers with one of these codes. */
export async function unless<Result>(codes: readonly string[], work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (codes.includes(errorCode(cause) ?? '')) return undefined;
    throw cause;
  }
}

/** The same for synchronous work. */
export function unlessNow<Result>(codes: readonly string[], work: () => Result): Result | undefined {
  try {
    return work();
  } catch (cause) {
    if (codes.includes(errorCode(cause) ?? '')) return undefined;
    throw cause;
  }
}
