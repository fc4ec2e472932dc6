import { deviceChannel } from '../../../conversation/access/access.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { InLanguage } from '../../../lib/words.ts';
import { beginning } from '../beginning.ts';
import type { PageAnswer, PageAsked, PageCore, PageRoute } from '../page-route.ts';
import { shown } from '../page-route.ts';
import { longestTitle } from '../tables.ts';
import type { CallOutput, ConversationEntries, ConversationList, ListedConversation } from '../wire/chat.ts';
import { entryOf, keysWithFiles } from './entries.ts';
import { cursorBefore, cursorIn, cursorText } from './newest.ts';
import { noPicture, pictureAnswer } from './pictures.ts';
import {
  type ChatTables,
  createChatTables,
  type ListPlace,
  type OutlinedConversation,
  type StoredConversation,
  type Whose,
} from './tables.ts';
import { chatWords } from './words.ts';

/** The person's conversations, of all channels. */
export const chatRoutes: readonly PageRoute[] = [
  { method: 'GET', path: 'conversations', answer: listConversations },
  { method: 'GET', path: 'conversations/:id', answer: showConversation },
  { method: 'GET', path: 'conversations/:id/entries', answer: showEntries },
  { method: 'POST', path: 'conversations/:id/title', answer: rename },
  { method: 'GET', path: 'conversations/:id/calls/:call/output', answer: showOutput },
  { method: 'GET', path: 'conversations/:id/pictures/:seq/:position', answer: showPicture },
];

/** A page of each. */
const mostConversations = 100;
const mostEntries = 60;
const longestLast = 160;
/** So many are looked through for words, at most. */
const mostLooked = 5_000;

async function listConversations(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const after = placeIn(asked.query.get('before'));
  if (after === 'none') return refused(400, (language) => chatWords[language].badPlace);
  const tables = createChatTables(core.database);
  const wanted = (asked.query.get('q') ?? '').trim().slice(0, longestTitle);
  const whose = await whoseOf(asked, core);
  const found = await (wanted === ''
    ? tables.list(whose, after, mostConversations + 1)
    : named(wanted, after, whose, tables));
  const page = found.slice(0, mostConversations);
  const last = page.at(-1);
  const answer: ConversationList = {
    conversations: (await tables.outlinesOf(page)).map(listed),
    before: found.length > page.length && last !== undefined ? `${last.seenAt}:${last.id}` : undefined,
  };
  return shown(answer);
}

/** Those whose title, or channel, has these words in it. Capital letters do not matter. */
async function named(
  wanted: string,
  after: ListPlace | undefined,
  whose: Whose,
  tables: ChatTables,
): Promise<readonly StoredConversation[]> {
  const small = wanted.toLowerCase();
  const looked = await tables.list(whose, after, mostLooked);
  const titles = await tables.titlesOf(looked);
  return looked
    .filter(({ id, channel }) => (titles.get(id) ?? channel).toLowerCase().includes(small))
    .slice(0, mostConversations + 1);
}

async function showConversation(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const tables = createChatTables(core.database);
  const found = await conversationIn(asked, core, tables);
  return found === undefined ? noConversation : alone(found, tables);
}

async function showEntries(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const from = cursorIn(asked.query.get('before'));
  if (from === undefined) return refused(400, (language) => chatWords[language].badPlace);
  const tables = createChatTables(core.database);
  const found = await conversationIn(asked, core, tables);
  if (found === undefined) return noConversation;
  const stored = await tables.entries(found, from, mostEntries);
  const isAll = stored.length < mostEntries;
  const files = await tables.attachmentsOf(keysWithFiles(stored));
  const answer: ConversationEntries = {
    entries: stored.map((one) => entryOf(one, asked, core, files)),
    before: isAll ? undefined : cursorText(cursorBefore(stored, from)),
  };
  return shown(answer);
}

async function showOutput(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const tables = createChatTables(core.database);
  const found = await conversationIn(asked, core, tables);
  const output = found && (await tables.outputOf(found.id, asked.params.call ?? ''));
  if (output === undefined) return refused(404, (language) => chatWords[language].noSuchCall);
  const answer: CallOutput = { output };
  return shown(answer);
}

async function showPicture(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const tables = createChatTables(core.database);
  const found = await conversationIn(asked, core, tables);
  const [seq, position] = [Number(asked.params.seq), Number(asked.params.position)];
  if (found === undefined || !Number.isSafeInteger(seq) || !Number.isSafeInteger(position)) return noPicture;
  const sent = await tables.picture(found.id, seq, position);
  return sent === undefined ? noPicture : pictureAnswer(sent, core);
}

async function rename(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const tables = createChatTables(core.database);
  const found = await conversationIn(asked, core, tables);
  if (found === undefined) return noConversation;
  if (found.channel !== deviceChannel) return refused(403, (language) => chatWords[language].notOwn);
  const said = isJsonObject(asked.body) ? asked.body.title : undefined;
  const title = typeof said === 'string' ? oneLine(said, longestTitle + 1).trim() : '';
  if (title === '' || title.length > longestTitle) return refused(400, (language) => chatWords[language].badTitle);
  await tables.rename(found.id, title);
  return alone({ ...found, title }, tables);
}

async function conversationIn(
  asked: PageAsked,
  core: PageCore,
  tables: ChatTables,
): Promise<StoredConversation | undefined> {
  return tables.find(asked.params.id ?? '', await whoseOf(asked, core));
}

async function whoseOf({ visitor, accounts, isOwner }: PageAsked, { webDoor }: PageCore): Promise<Whose> {
  return { accounts, isOwner, sessions: await webDoor.sessionsOf(visitor) };
}

async function alone(conversation: StoredConversation, tables: ChatTables): Promise<PageAnswer> {
  const [outlined] = await tables.outlinesOf([conversation]);
  return outlined === undefined ? noConversation : shown(listed(outlined));
}

function listed(conversation: OutlinedConversation): ListedConversation {
  const { id, channel, chatId, kind, title, seenAt, isOpen, lastText, waiting } = conversation;
  return {
    id,
    channel,
    kind,
    title,
    sessionId: channel === deviceChannel ? chatId : undefined,
    lastAt: seenAt,
    lastText: beginning(lastText && withoutMarks(lastText), longestLast),
    isRunning: isOpen,
    waiting,
  };
}

/** Markdown as it is read on one line, roughly. */
function withoutMarks(markdown: string): string {
  return markdown
    .slice(0, 8 * longestLast)
    .replaceAll(/^\s*(?:[-:|\s]+|```\S*|#+|>|[-*+])(?:\s|$)/gm, ' ')
    .replaceAll(/[*`|]+|\s+/g, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

/** `none`: it is no place. */
function placeIn(text: string | null): ListPlace | undefined | 'none' {
  if (text === null) return undefined;
  const [, seenAt, id] = /^(\d{1,15}):(.+)$/s.exec(text) ?? [];
  return seenAt === undefined || id === undefined ? 'none' : { seenAt: Number(seenAt), id };
}

const noConversation = refused(404, (language) => chatWords[language].noSuchConversation);

function refused(status: 400 | 403 | 404, refusal: InLanguage): PageAnswer {
  return { status, refusal };
}
