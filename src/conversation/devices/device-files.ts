/** A file that was shown in a session. */
export interface ShownFile {
  /** One segment of paths, of `[a-z0-9]`. */
  readonly id: string;
  readonly sessionId: string;
  /** As people see it: one path segment. */
  readonly name: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly at: number;
}

/** A file that is to be shown, and where it stands: an absolute path. */
export interface ShownFileDraft extends Omit<ShownFile, 'size'> {
  readonly path: string;
}

/** Where the files stand that devices have sent, until they are in a workspace; and copies of those that they are shown. */
export interface DeviceFiles {
  /**
   * Keeps what comes with a message. Resolves with the handles, in their order, when it is on disk. What the same message
   * has brought before stays as it is. It is there until the message has no more use for it.
   */
  receive(messageKey: string, files: readonly Uint8Array[]): Promise<readonly string[]>;
  /** The message is stored, or will not be. */
  settled(messageKey: string): void;
  /** What was received; undefined if it is there no more. */
  received(handle: string): Promise<Uint8Array | undefined>;
  /** Keeps a copy for devices to fetch, for a week, and as long as there are not too many. Doing it twice changes nothing. */
  show(draft: ShownFileDraft): Promise<ShownFile>;
  /** What was shown in a session and is still there, the oldest first. */
  shownIn(sessionId: string): Promise<readonly ShownFile[]>;
  /** One of them, and where it can be read; undefined if it is not there. */
  shown(sessionId: string, id: string): Promise<{ readonly file: ShownFile; readonly path: string } | undefined>;
  /** Removes what nobody needs any more. Call it before the first message comes in. */
  tidy(now: number): Promise<void>;
}
