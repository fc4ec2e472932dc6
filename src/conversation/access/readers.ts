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
  forPlace(conversationId: string): Reader;
}

interface ReaderParts {
  readonly timeZones: Pick<TimeZones, 'forAnswer' | 'forPlace'>;
  readonly languages: Pick<Languages, 'of' | 'inPlace'>;
  /** The stored conversation with this id, if there is one. */
  readonly placeOf: (conversationId: string) => Conversation | undefined;
}

export function createReaders({ timeZones, languages, placeOf }: ReaderParts): Readers {
  return {
    forAnswer: (origin) => ({ ...timeZones.forAnswer(origin), language: languages.of(origin).language }),
    forPlace: (conversationId) => {
      const place = placeOf(conversationId) ?? nowhere;
      return { ...timeZones.forPlace(place), language: languages.inPlace(place) };
    },
  };
}

const nowhere: Conversation = { channel: '', chatId: '', kind: 'direct' };
