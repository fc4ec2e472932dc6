import type { Acquaintance, Link } from '../../conversation/access/access.ts';
import { inlineCode, oneLine, personWords } from '../../lib/plain-text.ts';
import { dayWords, durationWords } from '../../lib/time-words.ts';

export function offerWords(code: string, lifetime: number, letsIn: boolean): string {
  const stranger = letsIn
    ? 'It may be one that I do not know yet.'
    : 'It has to be one that may talk to me already: here, everybody may.';
  return [
    // Commands may look different on other platforms.
    `To link another account of yours, write to me with it, in a chat of our own: ${inlineCode('/link CODE')}, or as commands are written there. ${stranger}`,
    `The code: ${inlineCode(code)}`,
    `It is good for ${durationWords(lifetime)}, once. Anybody who uses it acts as you: they can read what I remember for you, and do what you may do. Type it yourself and show it to nobody, whatever reason they give.`,
  ].join('\n\n');
}

export function joinedWords(linked: Acquaintance): string {
  return `🔗 Linked: this account and ${personWords(linked)} are the same person to me now. \`/links\` shows all, \`/unlink\` undoes it.`;
}

export function linkedNotice(account: Acquaintance): string {
  const undo = inlineCode(`/unlink ${oneLine(account.principal, 100)}`);
  return `🔗 Linked with your code: ${personWords(account)} is you to me now. If that was not you, write ${undo} at once.`;
}

/** The notice to owners when a stranger was let in by a link. */
export function ownersLinkNotice(account: Acquaintance, linked: Acquaintance): string {
  const undo = inlineCode(`/unlink ${oneLine(account.principal, 100)}`);
  return `🔗 ${personWords(linked)} has linked another account: ${personWords(account)} may talk to me now, as the same person. ${undo} undoes it.`;
}

export const unlinkedNotice = '🔗 This account is no longer linked.';

export function takenOutWords(account: Acquaintance, isOwn: boolean): string {
  const who = isOwn ? 'This account is' : `${personWords(account)} is`;
  return `${who} no longer linked. What it did under its own name stays with it.`;
}

/** The answer to `/links`. `others` are for owners. */
export function personsReport({ own, others, links, asking }: PersonsFacts): string {
  const mine = own.length === 1 ? notLinked : `You are to me:\n${accountLines(own, links, asking)}\n\n${howToEnd}`;
  if (others.length === 0) return mine;
  const rest = others.map((accounts) => accountLines(accounts, links, asking)).join('\n\n');
  return `${mine}\n\nOther people with several accounts:\n\n${rest}`;
}

export interface PersonsFacts {
  readonly own: readonly string[];
  readonly others: readonly (readonly string[])[];
  readonly links: readonly Link[];
  readonly asking: string;
}

function accountLines(accounts: readonly string[], links: readonly Link[], asking: string): string {
  const lines = accounts.map((principal) => {
    const link = links.find((found) => found.principal === principal);
    const how =
      link === undefined
        ? `${inlineCode(principal)}, by the config`
        : `${personWords(link)}, since ${dayWords(link.linkedAt)}`;
    return `- ${how}${principal === asking ? ' (this one)' : ''}`;
  });
  return lines.join('\n');
}

export function severalWords(found: readonly string[]): string {
  return `That could be ${found.map((principal) => inlineCode(principal)).join(' or ')}. Say it with the channel.`;
}

const howToEnd = '`/unlink ID` takes one out, `/unlink` this one.';

export const notLinked = 'This account is linked with no other. `/link` gives you a code for another one of yours.';
export const notHere =
  'Write that to me in a chat of our own: it is not for a group to read. A code that was written here is no longer valid.';
export const notFromDevice =
  'Ask for that in another chat: on a device that was paired, no accounts are linked. It is yours as long as it is paired.';
export const wrongCode =
  'There is no such code, or it is no longer valid. To get one, write `/link` to me with the account that I know already.';
export const tooMany = 'Too many wrong codes. Try again in an hour.';
export const inConfig = 'That link is in the config, under `people`, and can only be undone there.';
export const notFound = 'No account with that id is linked with yours. `/links` shows them.';

export const ownCode = 'That is the code of this very account. Type it with the other one.';
export const alreadyTogether = 'The two accounts are linked already.';
export const alreadyElsewhere =
  'This account is linked with others already. `/unlink` takes it out; or write `/link` here, and type that code with the other account.';
export const full = 'That person has as many accounts as one may have.';
export const fromTheOther =
  'Not linked: this account may do more than the one with the code, and that would be given away. If both are yours, write `/link` here, and type that code with the other one.';
export const cannotLetIn =
  'That code is valid, but this account may talk to me only because everybody may there. An owner has to let this account in first.';
