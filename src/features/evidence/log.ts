import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { nameCode } from '../../lib/plain-text.ts';
import { clockTime, type Reader } from '../../lib/time-words.ts';
import { isRepeatable, isToolCategory } from '../../tools/tool.ts';
import { type ListAnswer, leadingButton } from '../../words/command-buttons.ts';
import { pathsPutBack } from '../../words/model-words.ts';
import { fateOf, shownIdLength, whatWords } from './call-words.ts';
import { type Period, periodOf } from './period.ts';
import { createEvidenceStore, type EvidenceStore, type LoggedCall, type LoggedUndo } from './tables.ts';
import { evidenceWords } from './words.ts';

const linesPerPage = 10;
/** Tools that are named among those that changed nothing. */
const mostCounted = 6;
const mostPaths = 3;

type LogCore = Pick<FeatureCore, 'clock' | 'owners' | 'redact' | 'database' | 'store'>;

/** Something that was done: a call that changes something, or that somebody was asked for; or an undo. */
type Deed =
  | { readonly type: 'call'; readonly at: number; readonly call: LoggedCall }
  | { readonly type: 'undo'; readonly at: number; readonly undo: LoggedUndo };

interface LogContext {
  readonly core: LogCore;
  readonly store: EvidenceStore;
  readonly given: GivenCommand;
  readonly period: Period;
  /** An owner in their own chat reads of all conversations; anybody else, of the one where they ask. */
  readonly isEverywhere: boolean;
}

/** `/log`, `/log yesterday`, `/log 7d`, and `/log 7d 2` for the second page: ten lines of what was done, the newest first. */
export async function log(given: GivenCommand, core: LogCore): Promise<void> {
  const { argument, origin, reader, answer } = given;
  const words = evidenceWords[reader.language];
  const [word = '', pageWord = '1'] = argument.toLowerCase().split(/\s+/);
  const period = periodOf(word, core.clock.now(), reader);
  if (period === undefined || !/^[1-9]\d{0,3}$/.test(pageWord)) return answer(words.wrongPeriod);
  const isEverywhere = origin.conversation.kind === 'direct' && core.owners.isOwner(origin.principal);
  const context = { core, store: createEvidenceStore(core.database), given, period, isEverywhere };
  await given.list(await pageOf(Number(pageWord), context));
}

async function pageOf(wanted: number, context: LogContext): Promise<ListAnswer> {
  const { given, store, period, isEverywhere } = context;
  const { reader, origin } = given;
  const words = evidenceWords[reader.language];
  const where = isEverywhere ? undefined : origin.conversationId;
  const { calls: found, isCut } = await store.callsSince(period.from, where);
  const undos = await store.undosSince(period.from, where);
  const isWithin = ({ at }: { readonly at: number }): boolean => period.until === undefined || at < period.until;
  const calls = found.filter(isWithin);
  const deeds: readonly Deed[] = [
    // At the same instant, the undo came later.
    ...undos.filter(isWithin).map((undo) => ({ type: 'undo', at: undo.at, undo }) as const),
    ...calls.filter(isDeed).map((call) => ({ type: 'call', at: call.at, call }) as const),
  ].toSorted((one, other) => other.at - one.at);
  const pages = Math.max(1, Math.ceil(deeds.length / linesPerPage));
  const page = Math.min(wanted, pages);
  const shown = deeds.slice((page - 1) * linesPerPage, page * linesPerPage);
  const lines = await Promise.all(shown.map((deed) => lineOf(deed, context)));
  const days = { ...period, reader };
  const title = { days, count: deeds.length, isEverywhere };
  const markdown = [
    deeds.length === 0 ? words.logEmpty(title) : words.logTitle(title),
    lines.join('\n'),
    countsOf(
      calls.filter((call) => !isDeed(call)),
      reader,
    ),
    isCut ? words.logCut : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
  return { markdown, again: `log ${period.typed} ${page}`, rows: buttonsOf(page, pages, context) };
}

function isDeed({ category, approvalId, isQuestion, outcome }: LoggedCall): boolean {
  if (isQuestion) return false;
  if (approvalId !== undefined || outcome === 'refused') return true;
  return isToolCategory(category) && category !== 'memory' && !isRepeatable(category);
}

async function lineOf(deed: Deed, context: LogContext): Promise<string> {
  const { given, core, store, period } = context;
  const { reader, origin } = given;
  const words = evidenceWords[reader.language];
  const { at } = deed;
  const time = period.name === 'days' ? words.oneDay({ at, reader }) : clockTime(at, reader);
  if (deed.type === 'undo') {
    const paths = (pathsPutBack(deed.undo.text) ?? []).slice(0, mostPaths);
    const line = {
      time,
      fate: 'done',
      what: words.logUndone({ paths }),
      decidedBy: undefined,
      isAllowed: false,
      id: undefined,
    } as const;
    return words.logLine({ ...line, ...(await askerOf(deed.undo, context)) });
  }
  const { call } = deed;
  const described = await store.described(call.id);
  const { language } = reader;
  const isGroup = origin.conversation.kind === 'group';
  const what = whatWords({ name: call.name, described }, { language, isGroup }, core);
  const by = described?.decidedBy;
  const isPerson = by !== undefined && by !== 'keyturn';
  const decidedBy = isPerson ? await personIn(call.conversationId, by, context) : undefined;
  const id = call.approvalId ?? call.id.slice(0, shownIdLength);
  const isAllowed = call.approvalState === 'approved';
  const asker = await askerOf(call, context);
  return words.logLine({ time, fate: fateOf(call), what, decidedBy, isAllowed, id, ...asker });
}

/** Nobody is named in the chat of one person, and the place only where several are listed. */
async function askerOf(
  { conversationId, principal }: Pick<LoggedCall, 'conversationId' | 'principal'>,
  context: LogContext,
): Promise<{ readonly person: string | undefined; readonly place: string | undefined }> {
  const { core, given, isEverywhere } = context;
  const { origin } = given;
  const isOwnChat = origin.conversation.kind === 'direct' && origin.conversationId === conversationId;
  if (isOwnChat) return { person: undefined, place: undefined };
  const place = isEverywhere ? await core.store.inbox.conversationOf(conversationId) : undefined;
  const title = place?.kind === 'group' ? nameCode(place.title ?? place.chatId) : undefined;
  return { person: await personIn(conversationId, principal, context), place: title };
}

async function personIn(conversationId: string, principal: string, { store, given }: LogContext): Promise<string> {
  if (principal === given.origin.principal) return nameCode(given.origin.name);
  const there = await store.nameOf(conversationId, principal);
  return nameCode(there ?? (await store.nameOf(given.origin.conversationId, principal)) ?? principal);
}

/** What changed nothing, by tools; the most used first. */
function countsOf(calls: readonly LoggedCall[], { language }: Reader): string {
  const counts = new Map<string, number>();
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  const tools = [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1));
  if (tools.length === 0) return '';
  const more = tools.slice(mostCounted).reduce((sum, { count }) => sum + count, 0);
  return evidenceWords[language].logCounts({ tools: tools.slice(0, mostCounted), more });
}

function buttonsOf(page: number, pages: number, { given, period }: LogContext): ListAnswer['rows'] {
  const words = evidenceWords[given.reader.language];
  const turning = [
    ...(page < pages ? [leadingButton(words.buttonOlder, `log ${period.typed} ${page + 1}`)] : []),
    ...(page > 1 ? [leadingButton(words.buttonNewer, `log ${period.typed} ${page - 1}`)] : []),
  ];
  const others = [
    leadingButton(words.buttonToday, 'log today'),
    leadingButton(words.buttonYesterday, 'log yesterday'),
    leadingButton(words.buttonWeek, 'log 7d'),
  ].filter(({ button }) => button.actionId !== `cmd:log ${period.typed}`);
  return [turning, others].filter((row) => row.length > 0);
}
