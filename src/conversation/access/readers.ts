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
}

interface ReaderParts {
  readonly timeZones: Pick<TimeZones, 'forAnswer' | 'forConversation'>;
  readonly languages: Pick<Languages, 'of' | 'inConversation'>;
  /** The stored conversation with this id, if there is one. */
  readonly conversationOf: (conversationId: string) => Conversation | undefined;
}

export function createReaders({ timeZones, languages, conversationOf }: ReaderParts): Readers {
  return {
    forAnswer: (origin) => ({ ...timeZones.forAnswer(origin), language: languages.of(origin).language }),
    forConversation: (conversationId) => {
      const conversation = conversationOf(conversationId) ?? nowhere;
      return { ...timeZones.forConversation(conversation), language: languages.inConversation(conversation) };
    },
  };
}

const nowhere: Conversation = { channel: '', chatId: '', kind: 'direct' };
