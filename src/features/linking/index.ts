import { partsOf } from '../../contract.ts';
import { type Acquaintance, deviceChannel, type Link, withoutDevices } from '../../conversation/access/access.ts';
import { createGuesses, tooManyGuesses } from '../../conversation/access/pairing.ts';
import type { CommandGroup, GivenCommand } from '../../conversation/commands/given-command.ts';
import { type Command, firstWord, noticeTo } from '../../engine/message.ts';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode, oneLine, personWords } from '../../lib/plain-text.ts';
import { dayWords, durationWords, type Reader } from '../../lib/time-words.ts';

/** People link their accounts on several platforms, and count as one person from then on. */
export const linking: FeatureDefinition = { name: 'linking', make: makeLinking };

function makeLinking(core: FeatureCore): Feature {
  return { commands: [linkCommands(core)] };
}

const lifetime = 600_000;

/** 49 bits. */
const codeLength = 10;

/** More than one person needs: linking must not let a crowd in. */
const mostAccounts = 10;

/**
 * The commands to link accounts. A code is shown to one account and used once by another, in direct chats only. Five
 * wrong codes an hour are checked per account.
 */
function linkCommands(core: FeatureCore): CommandGroup {
  const { store, accounts, rules, approvals, ownersChats, readers, clock, deliver, rightsChanged } = core;
  const guesses = createGuesses(clock);
  /** Codes that a group has read, though that is not stored yet. */
  const burnt = new Set<string>();
  return {
    takes: ({ name }) => name === 'link' || name === 'links' || name === 'unlink',
    help: { section: 'yours', text: '`/link`, `/links`, `/unlink ID`: your accounts on other platforms' },
    async obey(given) {
      const { conversation } = given.origin;
      if (conversation.kind === 'group') return refuseHere(given);
      if (given.name === 'links') return list(given);
      if (given.name === 'unlink') return unlink(given);
      // A stolen device must not link an account that outlives its revocation.
      if (conversation.channel === deviceChannel) return given.answer(notFromDevice);
      return isJoining(given) ? join(given, given.answer) : offer(given);
    },
    fromStrangers: {
      takes: isJoining,
      // Answers a wrong code of a stranger as a hint, which stores nothing else.
      obey: (given) =>
        join(given, async (words) => {
          const { origin } = given;
          const subject = `link ${origin.principal}`;
          await store.people.hint({ subject, origin, message: noticeTo(origin, words), at: clock.now(), again: 0 });
          deliver([origin.conversationId]);
        }),
    },
  };

  /** The group has read the code: it is revoked. */
  function refuseHere(given: GivenCommand): Promise<void> {
    if (!isJoining(given)) return given.answer(notHere);
    const code = codeOf(given);
    return given.end(store.links.burn(code), () => notHere, {
      held: notHere,
      now: () => void burnt.add(code),
      over: () => void burnt.delete(code),
    });
  }

  async function offer(given: GivenCommand): Promise<void> {
    const code = newId(codeLength);
    const words = offerWords(code, rules.isLetIn(given.origin.principal));
    await given.obey(store.links.offer(code, clock.now() + lifetime), () => words);
  }

  async function join(given: GivenCommand, answer: (words: string) => Promise<void>): Promise<void> {
    const { principal } = given.origin;
    const guess = guesses.take(principal);
    if (guess === 'ignored') return;
    if (guess === 'too-many') return answer(tooManyGuesses);
    const code = codeOf(given);
    const maker = burnt.has(code) ? undefined : await store.links.codeOf(code, clock.now());
    if (maker === undefined) return answer(wrongCode);
    guesses.giveBack(principal);
    const why = objection(maker.principal, principal);
    if (why !== undefined) return answer(why);
    // Owners are told if somebody else lets a stranger in.
    const isKnown = rules.isOwner(maker.principal) || rules.mayTalk(principal);
    const told = isKnown ? [] : (await ownersChats.best()).map((chat) => chat.principal);
    const effect = store.links.join({ code, told, notice: linkedNotice, ownersNotice: ownersLinkNotice });
    const obeyed = await given.obey(effect, (joined) =>
      joined === undefined ? wrongCode : joinedWords(joined.linked),
    );
    if (obeyed.status === 'done' && obeyed.result !== undefined) renew(obeyed.result.links);
  }

  /** Why the account that typed the code may not be linked with its maker, in words for the person who typed it. */
  function objection(maker: string, joining: string): string | undefined {
    if (maker === joining) return ownCode;
    const own = accounts.accountsOf(joining);
    if (own.includes(maker)) return alreadyTogether;
    if (withoutDevices(own).length > 1) return alreadyElsewhere;
    if (!rules.mayTalk(maker)) return wrongCode;
    if (withoutDevices(accounts.accountsOf(maker)).length >= mostAccounts) return full;
    // Rights pass only from a code's maker to its user: nobody can be tricked into giving theirs away.
    const mayMore = [rules.isOwner, approvals.isApprover].some((may) => may(joining) && !may(maker));
    if (mayMore) return fromTheOther;
    return rules.mayTalk(joining) || rules.isLetIn(maker) ? undefined : cannotLetIn;
  }

  async function list({ origin, answer }: GivenCommand): Promise<void> {
    const { principal: asking } = origin;
    const reader = readers.forAnswer(origin);
    const own = withoutDevices(accounts.accountsOf(asking));
    const links = await store.links.links();
    const linesOf = (person: readonly string[]): string => accountLines(person, links, { asking, reader });
    const parts = [own.length === 1 ? notLinked : `You are to me:\n${linesOf(own)}\n\n${howToEnd}`];
    const others = rules.isOwner(asking) ? accounts.persons().filter((person) => !person.includes(asking)) : [];
    if (others.length > 0) parts.push('Other people with several accounts:', ...others.map(linesOf));
    await answer(parts.join('\n\n'));
  }

  async function unlink(given: GivenCommand): Promise<void> {
    const { argument, origin, answer } = given;
    const word = firstWord(argument).word.replaceAll('`', '');
    const found = word === '' ? [origin.principal] : matching(within(origin.principal), word);
    const [principal] = found;
    if (principal === undefined) return answer(notFound);
    if (found.length > 1) return answer(severalWords(found));
    if (accounts.accountsOf(principal).length === 1) return answer(notLinked);
    if (accounts.isFixed(principal)) return answer(inConfig);
    const words = (linked: Acquaintance | undefined): string =>
      linked === undefined ? notLinked : takenOutWords(linked, principal === origin.principal);
    const links = await store.links.links();
    await given.end(store.links.unlink(principal, unlinkedNotice), (result) => words(result?.linked), {
      held: words(links.find((link) => link.principal === principal)),
      now: () => renew(withoutLink(links, principal)),
      over: (isStored) => isStored || renew(links),
      ended: (result) => result && renew(result.links),
    });
  }

  function renew(links: readonly Link[]): void {
    accounts.renew(links);
    rightsChanged.tell();
  }

  /** The accounts that this person may unlink: their own; all, for an owner. */
  function within(principal: string): readonly string[] {
    return rules.isOwner(principal) ? accounts.persons().flat() : accounts.accountsOf(principal);
  }
}

/** The links once this account is taken out. A person with one account left has no link. */
function withoutLink(links: readonly Link[], principal: string): readonly Link[] {
  const rest = links.filter((link) => link.principal !== principal);
  return rest.filter(({ person }) => rest.filter((link) => link.person === person).length > 1);
}

function isJoining(command: Command): boolean {
  return command.name === 'link' && codeOf(command) !== '';
}

/** The code as it was made, without blanks, hyphens and quotes. */
function codeOf({ argument }: Command): string {
  return argument.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The account with this principal, or all accounts with this id on any channel. */
function matching(principals: readonly string[], word: string): readonly string[] {
  return principals.includes(word) ? [word] : principals.filter((principal) => partsOf(principal).senderId === word);
}

function offerWords(code: string, letsIn: boolean): string {
  const stranger = letsIn
    ? 'It may be one that I do not know yet.'
    : 'It has to be one that may talk to me already: here, everybody may.';
  return [
    // Commands may look different on other platforms.
    `From your other account, send me ${inlineCode('/link CODE')} in a direct chat, or as commands are written there. ${stranger}`,
    `The code: ${inlineCode(code)}`,
    `It is good for ${durationWords(lifetime)}, once. Anybody who uses it acts as you: they can read what I remember for you, and do what you may do. Type it yourself and show it to nobody, whatever reason they give.`,
  ].join('\n\n');
}

function joinedWords(linked: Acquaintance): string {
  return `🔗 Linked: this account and ${personWords(linked)} are the same person to me now. \`/links\` shows all, \`/unlink\` undoes it.`;
}

function linkedNotice(account: Acquaintance): string {
  const undo = inlineCode(`/unlink ${oneLine(account.principal, 100)}`);
  return `🔗 Linked with your code: ${personWords(account)} is you to me now. If that was not you, write ${undo} at once.`;
}

/** The notice to owners when a stranger was let in by a link. */
function ownersLinkNotice(account: Acquaintance, linked: Acquaintance): string {
  const undo = inlineCode(`/unlink ${oneLine(account.principal, 100)}`);
  return `🔗 ${personWords(linked)} has linked another account: ${personWords(account)} may talk to me now, as the same person. ${undo} undoes it.`;
}

const unlinkedNotice = '🔗 This account is no longer linked.';

function takenOutWords(account: Acquaintance, isOwn: boolean): string {
  const who = isOwn ? 'This account is' : `${personWords(account)} is`;
  return `${who} no longer linked. What it did under its own name stays with it.`;
}

function accountLines(
  accounts: readonly string[],
  links: readonly Link[],
  { asking, reader }: { readonly asking: string; readonly reader: Reader },
): string {
  const lines = accounts.map((principal) => {
    const link = links.find((found) => found.principal === principal);
    const who = link === undefined ? inlineCode(principal) : personWords(link);
    const since = link === undefined ? 'by the config' : `since ${dayWords(link.linkedAt, reader)}`;
    return `- ${who}, ${since}${principal === asking ? ' (this one)' : ''}`;
  });
  return lines.join('\n');
}

function severalWords(found: readonly string[]): string {
  return `That could be ${found.map((principal) => inlineCode(principal)).join(' or ')}. Say it with the channel.`;
}

const howToEnd = '`/unlink ID` takes one out, `/unlink` this one.';

const notLinked = 'This account is linked with no other. `/link` gives you a code for another one of yours.';
const notHere =
  'Write that to me in a chat of our own: it is not for a group to read. A code that was written here is no longer valid.';
const notFromDevice =
  'Ask for that in another chat: on a device that was paired, no accounts are linked. It is yours as long as it is paired.';
const wrongCode =
  'There is no such code, or it is no longer valid. To get one, write `/link` to me with the account that I know already.';
const inConfig = 'That link is in the config, under `people`, and can only be undone there.';
const notFound = 'No account with that id is linked with yours. `/links` shows them.';

const ownCode = 'That is the code of this very account. Type it with the other one.';
const alreadyTogether = 'The two accounts are linked already.';
const alreadyElsewhere =
  'This account is linked with others already. `/unlink` takes it out; or write `/link` here, and type that code with the other account.';
const full = 'That person has as many accounts as one may have.';
const fromTheOther =
  'Not linked: this account may do more than the one with the code, and that would be given away. If both are yours, write `/link` here, and type that code with the other one.';
const cannotLetIn =
  'That code is valid, but this account may talk to me only because everybody may there. An owner has to let this account in first.';
