import type { FileKeeper } from '../tools/kept-file.ts';

/** What is sent as a file: a file of the message, by its number from 0 on, or the whole text of the message. */
export type FileKey = 'text' | `${number}`;

/** Where the files of messages stand until they were sent. */
export interface MessageFiles extends FileKeeper {
  /** An absolute path; not whether something stands there. */
  pathOf(messageId: string, key: FileKey): string;
  /** Keeps the whole text of a message as its file `text`. Doing it twice changes nothing. */
  keepText(messageId: string, text: string): Promise<void>;
  has(messageId: string, key: FileKey): Promise<boolean>;
  /** Removes all that was kept for the message, if anything. */
  remove(messageId: string): Promise<void>;
  /** The messages for which something is kept. */
  owners(): Promise<readonly string[]>;
}
