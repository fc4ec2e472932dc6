import { durationWords } from '../../lib/duration.ts';
import { dayWords } from '../../lib/local-time.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Acquaintance, CodeHolder, GivenCode, PairedPerson } from '../people-store.ts';

/** What a stranger is told, with a code or without. */
export function strangerWords(principal: string, given: GivenCode | undefined, now: number): string {
  const start = 'I am a private assistant and only talk with people whom my owner has let in.';
  if (given === undefined) return `${start} If that should be you: your id here is ${inlineCode(principal)}.`;
  return [
    `${start} If you know my owner, ask him: he lets you in by writing ${inlineCode(`/pair ${given.code}`)} to me.`,
    `That code is good for ${durationWords(given.expiresAt - now)}. Tell it to nobody else.`,
    `I have not kept what you wrote: write it again once you are let in. Your id here is ${inlineCode(principal)}.`,
  ].join('\n\n');
}

/** What somebody is told who was let in. */
export const welcomeWords = '🔑 You are let in. Write to me whenever you like; `/help` shows what I know.';

/** What an owner is told whom he has let in. */
export function pairedWords(person: Acquaintance): string {
  return `🔑 Let in: ${personWords(person)}. ${inlineCode(`/unpair ${person.principal}`)} undoes it.`;
}

/** What `/people` shows. */
export function peopleReport(paired: readonly PairedPerson[], holders: readonly CodeHolder[], now: number): string {
  const people = paired.map(
    (person) => `- ${personWords(person)}, by ${inlineCode(person.pairedBy)} since ${dayWords(person.pairedAt)}`,
  );
  const asking = holders.map(
    (holder) => `- ${personWords(holder)}, for another ${durationWords(holder.expiresAt - now)}`,
  );
  return [
    people.length === 0
      ? 'Nobody was let in with a code. The owners, and whom the config names, may talk in any case.'
      : ['Let in with a code:', ...people, '', 'End it with `/unpair ID`.'].join('\n'),
    asking.length === 0
      ? 'Nobody has a code.'
      : ['Have a code, and ask to be let in:', ...asking, '', 'Let one in with `/pair CODE`: he has it.'].join('\n'),
  ].join('\n\n');
}

/** Somebody's name, which anybody can take, and his id, which nobody else has. */
export function personWords({ name, principal }: Acquaintance): string {
  return `${escapeMarkdown(oneLine(name, 60))} (${inlineCode(oneLine(principal, 100))})`;
}
