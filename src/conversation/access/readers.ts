import type { Conversation } from '../../contract.ts';
import type { Origin } from '../../engine/message.ts';
import type { Reader } from '../../lib/time-words.ts';
import type { Languages } from './languages.ts';
import type { TimeZones } from './time-zones.ts';

/** For whom a text is written: in which language, and by which clock. */
export interface Readers {
  /** Who reads the answer to somebody: their language, and their zone or that of the group that reads along. */
  forAnswer(origin: Pick<Origin, 'principal' | 'conversation' | 'language' | 'writes'>): Reader;
  /** Who reads a text in the conversation with this id. */
  forConversation(conversationId: string): Reader;
  /** Resolves once it is known who reads there. Await it before texts are written for these conversations. */
  prepare(conversationIds: readonly string[]): Promise<void>;
}

/**
 * Where conversations are, and who talks there: for words only, never for a right. It answers at once, as words are chosen in
 * the midst of steps; what it says may be as of before them, or be rolled back with them.
 */
export interface Places {
  /** The stored conversation with this id, if there is one. */
  conversationOf(id: string): Conversation | undefined;
  /** The person who talks in a direct conversation; undefined if there is none, or if it is a group. */
  personIn(id: string): string | undefined;
  /** Who was the first to talk in a conversation; undefined if nobody has. */
  firstIn(id: string): string | undefined;
  /** Resolves once the answers about these conversations are right, as far as is stored by now. */
  prepare(conversationIds: readonly string[]): Promise<void>;
}

interface ReaderParts {
  readonly timeZones: Pick<TimeZones, 'forAnswer' | 'forConversation'>;
  readonly languages: Pick<Languages, 'of' | 'inConversation'>;
  readonly places: Pick<Places, 'conversationOf' | 'prepare'>;
}

export function createReaders({ timeZones, languages, places }: ReaderParts): Readers {
  return {
    forAnswer: (origin) => ({ ...timeZones.forAnswer(origin), language: languages.of(origin).language }),
    forConversation: (conversationId) => {
      const conversation = places.conversationOf(conversationId) ?? nowhere;
      return { ...timeZones.forConversation(conversation), language: languages.inConversation(conversation) };
    },
    prepare: (conversationIds) => places.prepare(conversationIds),
  };
}

const nowhere: Conversation = { channel: '', chatId: '', kind: 'direct' };
