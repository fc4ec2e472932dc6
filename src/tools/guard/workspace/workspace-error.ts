import { oneLine } from '../../../lib/plain-text.ts';
import { type InLanguage, type Words, wordsIn } from '../../../lib/words.ts';
import { workspaceWords } from './words.ts';

type WorkspaceWords = (typeof workspaceWords)['en'];

/** Why a file of the workspace can't be used. The message is English, in words that the model can act on. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  /** The same for people. */
  readonly saidIn: InLanguage;

  constructor(words: Words, options?: ErrorOptions) {
    super(wordsIn('en', words), options);
    this.saidIn = (language) => wordsIn(language, words);
  }
}

/** The error in the words of the catalogue. */
export function workspaceError(words: (say: WorkspaceWords) => string, options?: ErrorOptions): WorkspaceError {
  return new WorkspaceError((language) => words(workspaceWords[language]), options);
}

/** A path for messages. */
export function quotePath(path: string): string {
  return `"${oneLine(path, 200)}"`;
}

type Explained =
  | 'missing'
  | 'underFile'
  | 'isFolder'
  | 'noAccess'
  | 'readOnlyDisk'
  | 'diskFull'
  | 'quotaUsedUp'
  | 'pathTooLong'
  | 'becameLink'
  | 'noFile';

const explained: Readonly<Record<string, Explained>> = {
  ENOENT: 'missing',
  ENOTDIR: 'underFile',
  EISDIR: 'isFolder',
  EACCES: 'noAccess',
  EPERM: 'noAccess',
  EROFS: 'readOnlyDisk',
  ENOSPC: 'diskFull',
  EDQUOT: 'quotaUsedUp',
  ENAMETOOLONG: 'pathTooLong',
  ELOOP: 'becameLink',
  ENXIO: 'noFile',
};

/** Makes an error of the operating system a `WorkspaceError`; returns anything else unchanged. */
export function explain(cause: unknown, path: string): unknown {
  const why = explained[errorCode(cause) ?? ''];
  return why === undefined ? cause : workspaceError((say) => say[why]({ path: quotePath(path) }), { cause });
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
