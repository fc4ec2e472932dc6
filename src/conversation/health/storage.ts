import type { ChannelAdapter, Conversation } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import { noticeTo } from '../../engine/message.ts';
import { Background } from '../../lib/background.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import type { DirectChat } from '../inbox.ts';

/** Why nothing can be stored. */
export interface StorageTrouble {
  /** In a word or two that tell nothing of the machine: `the disk is full`. */
  readonly brief: string;
  /** For owners, with what to do. */
  readonly words: string;
}

/** Whether what comes in can be stored. Its watchers are told when that changes. */
export class StorageState {
  #trouble: StorageTrouble | undefined;
  #isLost = false;
  readonly #listeners: ((trouble: StorageTrouble | undefined) => void)[] = [];

  get trouble(): StorageTrouble | undefined {
    return this.#trouble;
  }

  /** Whether nothing may be stored any more until the next start. */
  get isLost(): boolean {
    return this.#isLost;
  }

  watch(listener: (trouble: StorageTrouble | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /** Something could not be stored. Where that was its own fault, nothing is wrong with the storage. */
  failed(error: unknown): void {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const brief = briefOf(code);
    if (brief === undefined || this.#isLost || !(error instanceof Error)) return;
    const what = brief === 'the disk is full' ? '' : ` (${error.message})`;
    const words = `I cannot store anything: ${brief}${what}. What you write meanwhile is not lost: it stays with the platform, and I take it up when I can store it.`;
    this.#change({ brief, words });
  }

  /** Something was stored, and is on disk. */
  stored(): void {
    if (this.#trouble !== undefined && !this.#isLost) this.#change(undefined);
  }

  /** From now on nothing is stored: it would go where nobody finds it. */
  lose(trouble: StorageTrouble): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#change(trouble);
  }

  #change(trouble: StorageTrouble | undefined): void {
    if (trouble?.words === this.#trouble?.words) return;
    this.#trouble = trouble;
    for (const listener of this.#listeners) listener(trouble);
  }
}

/** What SQLite's code, or the system's, says of the disk. */
function briefOf(code: string): string | undefined {
  if (/^(?:SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return 'the disk is full';
  if (/^(?:SQLITE_IOERR_WRITE|EFBIG)/.test(code)) return 'the disk is full, or fails';
  if (/^(?:SQLITE_IOERR|EIO)/.test(code)) return 'the disk fails';
  if (/^(?:SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|EROFS|EACCES)/.test(code))
    return 'the database may not be written';
  return undefined;
}

interface StorageNoticesDependencies extends Pick<Core, 'clock' | 'log'> {
  readonly storage: StorageState;
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
  /** One chat of each owner with the bot alone, for each channel. */
  readonly ownersChats: () => Promise<readonly DirectChat[]>;
}

/** How long all has to be well before it is called so, and how long until an owner who could not be told is tried again; in milliseconds. */
const pause = 30_000;
/** How many commands are known to be answered, so that they are not answered again when the platform delivers them again. */
const mostAnswered = 1000;

/** Says what must be said while nothing can be stored: past the outbox, once for each time that lasts, and once when it is over. */
export class StorageNotices {
  readonly #dependencies: StorageNoticesDependencies;
  readonly #background: Background;
  readonly #told = new Set<string>();
  readonly #answered = new Set<string>();
  /** The owners' chats when they could last be read. */
  #chats: readonly DirectChat[] = [];
  #callOff = (): void => {};

  constructor(dependencies: StorageNoticesDependencies) {
    this.#dependencies = dependencies;
    this.#background = new Background(dependencies.log);
    dependencies.storage.watch((trouble) => this.#changed(trouble));
  }

  /** Learns whom to tell. A database that is gone can be asked no more. */
  async begin(): Promise<void> {
    this.#chats = await this.#dependencies.ownersChats();
  }

  /**
   * Answers a command that changes nothing, where its answer could not be stored. False where that is no fault of the storage.
   * Delivered again, it is not answered again.
   */
  async answer(key: string, to: Conversation, markdown: string): Promise<boolean> {
    if (this.#dependencies.storage.trouble === undefined) return false;
    if (this.#answered.size >= mostAnswered) this.#answered.clear();
    this.#answered.add(key);
    await this.#send(to, markdown);
    return true;
  }

  /** Whether the command was answered so. */
  hasAnswered(key: string): boolean {
    return this.#answered.has(key);
  }

  async stop(): Promise<void> {
    this.#callOff();
    await this.#background.settled();
  }

  #changed(trouble: StorageTrouble | undefined): void {
    const { log } = this.#dependencies;
    this.#callOff();
    if (trouble !== undefined) {
      log.error({ reason: trouble.brief }, trouble.words);
      this.#tell(trouble);
      return;
    }
    log.info({}, 'what comes in can be stored again');
    if (this.#told.size > 0) this.#callOff = this.#dependencies.clock.after(pause, () => this.#tellOver());
  }

  /** Tells each owner who does not know yet, until all do. */
  #tell(trouble: StorageTrouble): void {
    this.#background.run('the owners could not be told that nothing can be stored', async () => {
      const { clock, log, storage } = this.#dependencies;
      await this.begin().catch((error: unknown) =>
        log.warn({ err: error }, 'the chats of the owners could not be read'),
      );
      for (const { conversationId, conversation } of this.#chats) {
        if (this.#told.has(conversationId)) continue;
        try {
          await this.#send(conversation, `⚠️ ${escapeMarkdown(trouble.words)}`);
          this.#told.add(conversationId);
        } catch (error) {
          log.warn(
            { err: error, conversation: conversationId },
            'an owner could not be told that nothing can be stored',
          );
        }
      }
      if (storage.trouble === trouble) this.#callOff = clock.after(pause, () => this.#tell(trouble));
    });
  }

  #tellOver(): void {
    this.#background.run('the owners could not be told that all can be stored again', async () => {
      const chats = this.#chats.filter(({ conversationId }) => this.#told.has(conversationId));
      this.#told.clear();
      for (const { conversation } of chats) await this.#send(conversation, '✅ I can store again what comes in.');
    });
  }

  async #send(to: Conversation, markdown: string): Promise<void> {
    await this.#dependencies.adapters.get(to.channel)?.send(to, noticeTo({}, markdown));
  }
}
