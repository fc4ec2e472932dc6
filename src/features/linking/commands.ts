import { partsOf } from '../../contract.ts';
import { type Acquaintance, isFromDevice, type Link, withoutDevices } from '../../conversation/access/access.ts';
import { defineCommands, type ObeyedCommand, type StrangersCommand } from '../../conversation/commands/definition.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import { createGuesses, type Guesses } from '../../conversation/commands/guesses.ts';
import { commandWords } from '../../conversation/commands/words.ts';
import { type Command, firstWord, noticeTo } from '../../engine/message.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode, oneLine, personWords } from '../../lib/plain-text.ts';
import { dayWords, durationWords, type Reader } from '../../lib/time-words.ts';
import type { Language } from '../../lib/words.ts';
import { linkingWords } from './words.ts';

export const linkingCommands = defineCommands(linkingWords, {
  link: { section: 'yours', order: 220 },
  links: { section: 'yours', order: 230 },
  unlink: { section: 'yours', order: 240 },
});

const lifetime = 600_000;

/** 49 bits. */
const codeLength = 10;

/** More than one person needs: linking must not let a crowd in. */
const mostAccounts = 10;

interface LinkParts extends FeatureCore {
  readonly guesses: Guesses;
  /** Codes that a group has read, though that is not stored yet. */
  readonly burnt: Set<string>;
}

/** What the feature adds. */
interface LinkCommands {
  readonly commands: readonly ObeyedCommand[];
  readonly strangersCommands: readonly StrangersCommand[];
}

/**
 * The commands to link accounts. A code is shown to one account and used once by another, in direct chats only. Five
 * wrong codes an hour are checked per account.
 */
export function linkCommands(core: FeatureCore): LinkCommands {
  const parts = { ...core, guesses: createGuesses(core.clock), burnt: new Set<string>() };
  return {
    commands: linkingCommands.obeyed({
      link: (given) => directly(given, parts, () => link(given, parts)),
      links: (given) => directly(given, parts, () => list(given, parts)),
      unlink: (given) => directly(given, parts, () => unlink(given, parts)),
    }),
    strangersCommands: [
      {
        takes: isJoining,
        // Answers a wrong code of a stranger as a hint, which stores nothing else.
        obey: (given) => join(given, (words) => hint(given, words, parts), parts),
      },
    ],
  };
}

async function hint({ origin }: GivenCommand, words: string, { store, clock, deliver }: LinkParts): Promise<void> {
  const subject = `link ${origin.principal}`;
  await store.people.hint({ subject, origin, message: noticeTo(origin, words), at: clock.now(), again: 0 });
  deliver([origin.conversationId]);
}

/** Not in groups. One that has read a code revokes it. */
async function directly(given: GivenCommand, { store, burnt }: LinkParts, obey: () => Promise<void>): Promise<void> {
  if (given.origin.conversation.kind !== 'group') return obey();
  const { notHere } = linkingWords[given.reader.language];
  if (!isJoining(given)) return given.answer(notHere);
  const code = codeOf(given);
  await given.end(store.links.burn(code), () => notHere, {
    held: notHere,
    now: () => void burnt.add(code),
    over: () => void burnt.delete(code),
  });
}

async function link(given: GivenCommand, parts: LinkParts): Promise<void> {
  // A stolen device must not link an account that outlives its revocation.
  if (isFromDevice(given.origin)) return given.answer(linkingWords[given.reader.language].notFromDevice);
  return isJoining(given) ? join(given, given.answer, parts) : offer(given, parts);
}

async function offer({ origin, obey, reader }: GivenCommand, { store, clock, rules }: LinkParts): Promise<void> {
  const code = newId(codeLength);
  const words = linkingWords[reader.language].code({
    // Commands may look different on other platforms.
    command: inlineCode('/link CODE'),
    code: inlineCode(code),
    lifetime: durationWords(lifetime, reader.language),
    letsIn: rules.isLetIn(origin.principal),
  });
  await obey(store.links.offer(code, clock.now() + lifetime), () => words);
}

async function join(given: GivenCommand, answer: (words: string) => Promise<void>, parts: LinkParts): Promise<void> {
  const { guesses, burnt, store, clock, rules, ownersChats, readers } = parts;
  const { principal } = given.origin;
  const { language } = given.reader;
  const words = linkingWords[language];
  const guess = guesses.take(principal);
  if (guess === 'ignored') return;
  if (guess === 'too-many') return answer(commandWords[language].tooManyGuesses);
  const code = codeOf(given);
  const maker = burnt.has(code) ? undefined : await store.links.codeOf(code, clock.now());
  if (maker === undefined) return answer(words.wrongCode);
  guesses.giveBack(principal);
  await readers.prepare([maker.conversationId]);
  const why = objection(maker.principal, principal, parts);
  if (why !== undefined) return answer(words[why]);
  // Owners are told if somebody else lets a stranger in.
  const isKnown = rules.isOwner(maker.principal) || rules.mayTalk(principal);
  const owners = isKnown ? [] : await ownersChats.best();
  const languageOf = (conversationId: string): Language => readers.forConversation(conversationId).language;
  const effect = store.links.join({
    code,
    told: owners.map(({ principal: owner, conversationId }) => ({
      principal: owner,
      notice: (account, linked) => ownersNotice(account, linked, languageOf(conversationId)),
    })),
    notice: (account) => linkedNotice(account, languageOf(maker.conversationId)),
  });
  const obeyed = await given.obey(effect, (joined) =>
    joined === undefined ? words.wrongCode : words.joined({ account: personWords(joined.linked) }),
  );
  if (obeyed.status === 'done' && obeyed.result !== undefined) renew(obeyed.result.links, parts);
}

type Objection =
  | 'ownCode'
  | 'alreadyTogether'
  | 'alreadyElsewhere'
  | 'wrongCode'
  | 'full'
  | 'fromTheOther'
  | 'cannotLetIn';

/** Why the account that typed the code may not be linked with its maker. */
function objection(maker: string, joining: string, { accounts, rules, approvals }: LinkParts): Objection | undefined {
  if (maker === joining) return 'ownCode';
  const own = accounts.accountsOf(joining);
  if (own.includes(maker)) return 'alreadyTogether';
  if (withoutDevices(own).length > 1) return 'alreadyElsewhere';
  if (!rules.mayTalk(maker)) return 'wrongCode';
  if (withoutDevices(accounts.accountsOf(maker)).length >= mostAccounts) return 'full';
  // Rights pass only from a code's maker to its user: nobody can be tricked into giving theirs away.
  const mayMore = [rules.isOwner, approvals.isApprover].some((may) => may(joining) && !may(maker));
  if (mayMore) return 'fromTheOther';
  return rules.mayTalk(joining) || rules.isLetIn(maker) ? undefined : 'cannotLetIn';
}

async function list({ origin, answer, reader }: GivenCommand, { accounts, store, rules }: LinkParts): Promise<void> {
  const words = linkingWords[reader.language];
  const { principal: asking } = origin;
  const own = withoutDevices(accounts.accountsOf(asking));
  const links = await store.links.links();
  const linesOf = (person: readonly string[]) => person.map((one) => accountLine(one, links, asking, reader));
  const parts = [own.length === 1 ? words.notLinked : words.yourAccounts({ lines: linesOf(own) })];
  const others = rules.isOwner(asking) ? accounts.persons().filter((person) => !person.includes(asking)) : [];
  if (others.length > 0) parts.push(words.otherPeople({ people: others.map((one) => linesOf(one).join('\n')) }));
  await answer(parts.join('\n\n'));
}

function accountLine(principal: string, links: readonly Link[], asking: string, reader: Reader): string {
  const link = links.find((found) => found.principal === principal);
  return linkingWords[reader.language].accountLine({
    account: link === undefined ? inlineCode(principal) : personWords(link),
    since: link && dayWords(link.linkedAt, reader),
    isThis: principal === asking,
  });
}

async function unlink(given: GivenCommand, parts: LinkParts): Promise<void> {
  const { argument, origin, answer, reader } = given;
  const { accounts, languages, store } = parts;
  const words = linkingWords[reader.language];
  const word = firstWord(argument).word.replaceAll('`', '');
  const found = word === '' ? [origin.principal] : matching(within(origin.principal, parts), word);
  const [principal] = found;
  if (principal === undefined) return answer(words.notFound);
  if (found.length > 1) return answer(words.several({ accounts: found.map((one) => inlineCode(one)) }));
  if (accounts.accountsOf(principal).length === 1) return answer(words.notLinked);
  if (accounts.isFixed(principal)) return answer(words.inConfig);
  const told = (linked: Acquaintance | undefined) =>
    unlinkedWords(linked, principal === origin.principal, reader.language);
  const links = await store.links.links();
  // For those who read it there.
  const { unlinkedNotice } = linkingWords[languages.of({ principal }).language];
  await given.end(store.links.unlink(principal, unlinkedNotice), (result) => told(result?.linked), {
    held: told(links.find((link) => link.principal === principal)),
    now: () => renew(withoutLink(links, principal), parts),
    over: (isStored) => isStored || renew(links, parts),
    ended: (result) => result && renew(result.links, parts),
  });
}

function unlinkedWords(linked: Acquaintance | undefined, isOwn: boolean, language: Language): string {
  const words = linkingWords[language];
  return linked === undefined ? words.notLinked : words.takenOut({ account: isOwn ? undefined : personWords(linked) });
}

function renew(links: readonly Link[], { accounts, rightsChanged }: LinkParts): void {
  accounts.renew(links);
  rightsChanged.tell();
}

/** The accounts that this person may unlink: their own; all, for an owner. */
function within(principal: string, { rules, accounts }: LinkParts): readonly string[] {
  return rules.isOwner(principal) ? accounts.persons().flat() : accounts.accountsOf(principal);
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

/** For the person whose code was used. */
function linkedNotice(account: Acquaintance, language: Language): string {
  return linkingWords[language].linkedNotice({ account: personWords(account), undo: undoOf(account) });
}

/** For owners when a stranger was let in by a link. */
function ownersNotice(account: Acquaintance, linked: Acquaintance, language: Language): string {
  return linkingWords[language].ownersNotice({
    account: personWords(account),
    linked: personWords(linked),
    undo: undoOf(account),
  });
}

function undoOf({ principal }: Acquaintance): string {
  return inlineCode(`/unlink ${oneLine(principal, 100)}`);
}
