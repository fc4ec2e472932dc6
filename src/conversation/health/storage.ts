import type { Conversation } from '../../contract.ts';
import { noticeTo, quietly } from '../../engine/message.ts';
import { Background } from '../../lib/background.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { Remembered } from '../../lib/remembered.ts';
import { type Language, type Words, wordsIn } from '../../lib/words.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { DirectChat } from '../inbox.ts';
import { healthWords } from './words.ts';

export interface StorageTrouble {
  /** A word or two that reveal nothing about the machine: `the disk is full`. Programs and logs get them in English. */
  readonly brief: Words;
  /** For owners, with what to do. */
  readonly words: Words;
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

/** Sends notices while nothing can be stored: bypasses the outbox, once per outage, and once when it is over. */
export interface StorageNotices {
  /** Reads the owners' chats in advance, now and then: a lost database can no longer be asked. Never throws. */
  learn(): Promise<void>;
  /**
   * Answers a read-only command whose answer could not be stored, and remembers it for `hasAnswered`. False if the
   * storage is not at fault.
   */
  answer(key: string, to: Conversation, markdown: string): Promise<boolean>;
  hasAnswered(key: string): boolean;
  stop(): Promise<void>;
}

/** With the language of its owner: a lost database can no longer be asked for it. */
interface OwnersChat extends DirectChat {
  readonly language: Language;
}

interface NoticesState extends StorageNoticesParts {
  readonly background: Background;
  /** The chats in which the trouble was told. */
  readonly told: Set<string>;
  /** The chats of each owner, best first, as last read while all was well. */
  known: readonly (readonly OwnersChat[])[];
  callOff: () => void;
}

export function createStorageNotices(parts: StorageNoticesParts): StorageNotices {
  const { storage, log } = parts;
  const answered = new Remembered<string, true>(mostAnswered);
  const notices: NoticesState = {
    ...parts,
    background: new Background(log),
    told: new Set(),
    known: [],
    callOff: () => {},
  };
  storage.watch((trouble) => changed(trouble, notices));
  return {
    learn: () => learn(notices),
    async answer(key, to, markdown) {
      if (storage.trouble === undefined) return false;
      answered.set(key, true);
      await send(to, markdown, notices);
      return true;
    },
    hasAnswered: (key) => answered.has(key),
    async stop() {
      notices.callOff();
      await notices.background.settled();
    },
  };
}

function changed(trouble: StorageTrouble | undefined, notices: NoticesState): void {
  const { log, clock, told } = notices;
  notices.callOff();
  if (trouble !== undefined) {
    log.error({ reason: wordsIn('en', trouble.brief) }, wordsIn('en', trouble.words));
    tell(trouble, notices);
    return;
  }
  log.info({}, 'what comes in can be stored again');
  if (told.size > 0) notices.callOff = clock.after(pause, () => tellOver(notices));
}

/** Tells each owner who does not know yet, repeatedly while the trouble lasts. */
function tell(trouble: StorageTrouble, notices: NoticesState): void {
  const { background, storage, told, clock } = notices;
  background.run('the owners could not be told that nothing can be stored', async () => {
    await learn(notices);
    for (const own of notices.known)
      if (!own.some(({ conversationId }) => told.has(conversationId))) await tellPerson(own, trouble, notices);
    if (storage.trouble === trouble) notices.callOff = clock.after(pause, () => tell(trouble, notices));
  });
}

/** In one chat: the next one only if that refuses. */
async function tellPerson(own: readonly OwnersChat[], trouble: StorageTrouble, notices: NoticesState): Promise<void> {
  const { told, log } = notices;
  for (const { conversationId, conversation, language } of own) {
    try {
      await send(conversation, `⚠️ ${escapeMarkdown(wordsIn(language, trouble.words))}`, notices);
      told.add(conversationId);
      return;
    } catch (error) {
      log.warn({ err: error, conversation: conversationId }, 'an owner could not be told that nothing can be stored');
    }
  }
}

function tellOver(notices: NoticesState): void {
  const { background, told } = notices;
  background.run('the owners could not be told that all can be stored again', async () => {
    const knowing = notices.known.flat().filter(({ conversationId }) => told.has(conversationId));
    told.clear();
    for (const { conversation, language } of knowing)
      await send(conversation, healthWords[language].storesAgain, notices);
  });
}

async function send(to: Conversation, markdown: string, { adapters }: NoticesState): Promise<void> {
  await adapters.get(to.channel)?.send(to, quietly(noticeTo({}, markdown)));
}

/** A database that is lost may give none, or throw: those that are known remain. */
async function learn(notices: NoticesState): Promise<void> {
  const { ownersChats, storage, readerIn, log } = notices;
  try {
    const chats = await ownersChats.all();
    const found = chats.map((own) =>
      own.map((chat) => ({ ...chat, language: readerIn(chat.conversationId).language })),
    );
    if (storage.trouble === undefined || found.length > 0) notices.known = found;
  } catch (error) {
    log.warn({ err: error }, 'the chats of the owners could not be read');
  }
}
