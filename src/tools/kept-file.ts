/** A file that is to be sent with a message. */
export interface FileDraft {
  /** As people are to see it. What can't stand in a file's name is taken out. */
  readonly name: string;
  readonly mediaType: string;
  /** Where it can be read now. */
  readonly path: string;
  /** Where it stands in the workspace, for people who can't be shown it. */
  readonly from?: string;
}

/** A file of a message, of which a copy is kept until it was sent. */
export interface KeptFile {
  /** One path segment, without what can't be seen. */
  readonly name: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly from?: string;
}

/** Keeps what goes with messages, so that it neither changes nor vanishes on its way. */
export interface FileKeeper {
  /**
   * Copies the files for the message, which is stored with what this resolves with, afterwards. Copies for a message that
   * is never stored are gone after the next start. Throws `FileNotKeptError` if one can't be read or copied.
   */
  keep(messageId: string, files: readonly FileDraft[]): Promise<readonly KeptFile[]>;
}

/** A file can't be sent. Says which, and why. */
export class FileNotKeptError extends Error {
  override readonly name = 'FileNotKeptError';
}
