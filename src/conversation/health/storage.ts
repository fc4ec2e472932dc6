import type { Conversation } from '../../contract.ts';
import { noticeTo } from '../../engine/message.ts';
import { Background } from '../../lib/background.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { Remembered } from '../../lib/remembered.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { DirectChat } from '../inbox.ts';

export interface StorageTrouble {
  /** A word or two that reveal nothing about the machine: `the disk is full`. */
  readonly brief: string;
  /** For owners, with what to do. */
  readonly words: string;
}

/** Whether incoming events can be stored. */
interface StorageState {
  readonly trouble: StorageTrouble | undefined;
  /** The watcher is told of changes. */
  watch(watcher: (trouble: StorageTrouble | undefined) => void): void;
}

interface StorageNoticesParts extends ConversationCore {
  readonly storage: StorageState;
}

/** How long storing must work before owners are told so, and the pause between attempts to reach an owner. In ms. */
const pause = 30_000;
/** How many answered commands are remembered, so that redeliveries are not answered again. */
const mostAnswered = 1000;

export type StorageNotices = ReturnType<typeof createStorageNotices>;

/** Sends notices while nothing can be stored: bypasses the outbox, once per outage, and once when it is over. */
export function createStorageNotices({ storage, adapters, ownersChats, clock, log }: StorageNoticesParts) {
  const background = new Background(log);
  const told = new Set<string>();
  const answered = new Remembered<string, true>(mostAnswered);
  /** The chats of each owner, best first, as last read while all was well. */
  let chats: readonly (readonly DirectChat[])[] = [];
  let callOff = (): void => {};

  storage.watch((trouble) => {
    callOff();
    if (trouble !== undefined) {
      log.error({ reason: trouble.brief }, trouble.words);
      return tell(trouble);
    }
    log.info({}, 'what comes in can be stored again');
    if (told.size > 0) callOff = clock.after(pause, tellOver);
  });

  /** Tells each owner who does not know yet, repeatedly while the trouble lasts. */
  function tell(trouble: StorageTrouble): void {
    background.run('the owners could not be told that nothing can be stored', async () => {
      await learn();
      for (const own of chats)
        if (!own.some(({ conversationId }) => told.has(conversationId))) await tellPerson(own, trouble);
      if (storage.trouble === trouble) callOff = clock.after(pause, () => tell(trouble));
    });
  }

  /** In one chat: the next one only if that refuses. */
  async function tellPerson(own: readonly DirectChat[], trouble: StorageTrouble): Promise<void> {
    for (const { conversationId, conversation } of own) {
      try {
        await send(conversation, `⚠️ ${escapeMarkdown(trouble.words)}`);
        told.add(conversationId);
        return;
      } catch (error) {
        const words = 'an owner could not be told that nothing can be stored';
        log.warn({ err: error, conversation: conversationId }, words);
      }
    }
  }

  function tellOver(): void {
    background.run('the owners could not be told that all can be stored again', async () => {
      const knowing = chats.flat().filter(({ conversationId }) => told.has(conversationId));
      told.clear();
      for (const { conversation } of knowing) await send(conversation, '✅ I can store again what comes in.');
    });
  }

  async function send(to: Conversation, markdown: string): Promise<void> {
    await adapters.get(to.channel)?.send(to, noticeTo({}, markdown));
  }

  /** A database that is lost may give none, or throw: those that are known remain. */
  async function learn(): Promise<void> {
    try {
      const found = await ownersChats.all();
      if (storage.trouble === undefined || found.length > 0) chats = found;
    } catch (error) {
      log.warn({ err: error }, 'the chats of the owners could not be read');
    }
  }

  return {
    /** Reads the owners' chats in advance, now and then: a lost database can no longer be asked. Never throws. */
    learn,

    /**
     * Answers a read-only command whose answer could not be stored, and remembers it for `hasAnswered`. False if the
     * storage is not at fault.
     */
    async answer(key: string, to: Conversation, markdown: string): Promise<boolean> {
      if (storage.trouble === undefined) return false;
      answered.set(key, true);
      await send(to, markdown);
      return true;
    },

    hasAnswered: (key: string): boolean => answered.has(key),

    async stop(): Promise<void> {
      callOff();
      await background.settled();
    },
  };
}
