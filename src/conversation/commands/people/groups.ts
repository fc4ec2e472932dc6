/* The groups in `/people`: what owners have chosen for them, and the buttons that choose otherwise. */

import { firstWord } from '../../../engine/message.ts';
import { nameCode } from '../../../lib/plain-text.ts';
import { dayWords, type Reader } from '../../../lib/time-words.ts';
import { actingButton, type ListButton } from '../../../words/command-buttons.ts';
import { type AskedGroup, type Choosing, groupAnswers } from '../../access/group-choices.ts';
import { peopleWords } from './words.ts';

/** A list of at most five rows has room for the people, too. */
const mostWithButtons = 2;

/** All groups, numbered as on the buttons. */
export function groupList(groups: readonly AskedGroup[], reader: Reader): string {
  const words = peopleWords[reader.language];
  const lines = groups.map(({ title, chatId, channel, choice = 'leave', isOpen, chosenByName, chosenAt }, index) =>
    words.groupLine({
      number: index + 1,
      title: nameCode(title ?? chatId),
      channel,
      choice,
      isOpen,
      chosen:
        chosenByName === undefined || chosenAt === undefined
          ? undefined
          : { by: nameCode(chosenByName), since: dayWords(chosenAt, reader) },
    }),
  );
  return words.groupList({ lines });
}

/** A row of buttons for each of the first groups. */
export function groupRows(groups: readonly AskedGroup[], { language }: Reader): readonly (readonly ListButton[])[] {
  const words = peopleWords[language];
  return groups.slice(0, mostWithButtons).map(({ requestId, choice, isOpen }, index) => {
    const place = { number: index + 1 };
    const button = (label: string, wish: string) => actingButton(label, `people group ${requestId} ${wish}`);
    return [
      ...(choice === 'mentioned' ? [] : [button(words.buttonMentioned(place), 'mentioned')]),
      ...(choice === 'everything' ? [] : [button(words.buttonEverything(place), 'everything')]),
      isOpen ? button(words.buttonKnown(place), 'known') : button(words.buttonAll(place), 'all'),
      ...(choice === 'leave' ? [] : [button(words.buttonLeave(place), 'leave')]),
    ];
  });
}

/** What `ID mentioned` wishes; undefined if there is no such group or wish. `all` and `known`: who is heard there. */
export function wishFor(written: string, groups: readonly AskedGroup[]): Choosing | undefined {
  const { word: id, rest: wish } = firstWord(written);
  const group = groups.find(({ requestId }) => requestId === id);
  if (group === undefined) return undefined;
  const { conversationId, choice = 'mentioned', isOpen } = group;
  if (wish === 'all' || wish === 'known') return { of: { conversationId }, choice, isOpen: wish === 'all' };
  const answer = groupAnswers.find((one) => one === wish);
  return answer && { of: { conversationId }, choice: answer, isOpen };
}
