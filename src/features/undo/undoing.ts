import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import type { FeatureCore } from '../../feature-points.ts';
import type { KeyedTurns } from '../../lib/background.ts';
import { leadingButton } from '../../words/command-buttons.ts';
import { putBackEvent } from '../../words/model-words.ts';
import { shownId, type UndoCard, undoButtons, undoCard } from './card.ts';
import type { Copies } from './copies.ts';
import type { Keeper } from './keeper.ts';
import { type LabelParts, labelling } from './labels.ts';
import { isShownState, type PlannedFile, planUndo, type UndoPlan } from './plan.ts';
import { putBack } from './put-back.ts';
import type { KeptCall, UndoStore } from './tables.ts';
import { undoWords } from './words.ts';

/** What undoing needs. */
export interface UndoParts extends LabelParts, Pick<FeatureCore, 'approvals' | 'accounts' | 'workspaceAt' | 'ending'> {
  readonly store: UndoStore;
  readonly copies: Copies;
  readonly cards: Pick<FeatureCore['store']['approvals'], 'cardAt'>;
  readonly keeper: Pick<Keeper, 'note'>;
  readonly settings: () => { readonly enabled: boolean; readonly keep_days: number };
}

export interface UndoContext extends UndoParts {
  /** In a workspace, one change is undone at a time. */
  readonly turns: KeyedTurns;
}

/** How many calls `/undo list` shows, and how many are looked through for one that can be undone. */
const mostListed = 10;
const mostSought = 200;

/**
 * `/undo`, also as a reply to a message of ours, `/undo list`, `/undo ID` ask; `/undo ID TOKEN`, which the button types, does it if the files are as they were shown.
 */
export async function undo(given: GivenCommand, parts: UndoContext): Promise<void> {
  const { argument, origin, answer, refuse, reader } = given;
  const words = undoWords[reader.language];
  if (!parts.settings().enabled) return answer(words.off);
  const [wanted = '', ...rest] = argument.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted === 'list') return list(given, parts);
  if (wanted === '')
    return origin.answersTo === undefined
      ? askAboutLast(given, parts)
      : askAboutMessage(origin.answersTo, given, parts);
  const call = await parts.store.find(origin.conversationId, wanted);
  if (call === undefined) return answer(words.notFound(shownId(wanted)));
  if (!mayUndo(call, given, parts)) return refuse(words.notYours);
  const [token] = rest;
  if (token === 'keep') return answer(words.kept(call.what));
  return token === undefined ? askAbout(call, [], given, parts) : inTurn(call, token, given, parts);
}

/** The person whom it was done for, and approvers. */
function mayUndo({ principal }: KeptCall, { origin }: GivenCommand, { approvals, accounts }: UndoParts): boolean {
  return approvals.isApprover(origin.principal) || accounts.accountsOf(origin.principal).includes(principal);
}

/** What others have changed since then, or meanwhile, only an approver takes back. */
function touchesOthers({ isShared }: KeptCall, { files }: UndoPlan): boolean {
  return isShared || files.some((file) => isDoable(file) && (file.isChangedSince || file.isLost));
}

function isKeptFrom(call: KeptCall, plan: UndoPlan, { origin }: GivenCommand, { approvals }: UndoParts): boolean {
  return touchesOthers(call, plan) && !approvals.isApprover(origin.principal);
}

function hasFiles({ changeCount, shortfall }: KeptCall): boolean {
  return changeCount > 0 && shortfall === undefined;
}

/** The last call that changed files, and was neither undone nor an undoing. */
async function askAboutLast(given: GivenCommand, parts: UndoParts): Promise<void> {
  const { origin, answer, reader } = given;
  const words = undoWords[reader.language];
  const newest = await parts.store.newest(origin.conversationId, mostSought);
  const calls = newest.filter((call) => call.undoes === undefined && mayUndo(call, given, parts));
  const at = calls.findIndex((call) => hasFiles(call) && call.undoneBy === undefined);
  const found = calls[at];
  const later = calls.slice(0, at === -1 ? 3 : at).filter((call) => !hasFiles(call));
  if (found !== undefined)
    return askAbout(
      found,
      later.slice(0, 3).map(({ what }) => what),
      given,
      parts,
    );
  const days = parts.settings().keep_days;
  const stays = later.map(({ what, shortfall }) => words.cannot({ what, why: words.whyNothing(shortfall) }));
  await answer([words.nothing({ days }), ...stays].join('\n\n'));
}

/** The call that the answered card or message is about; of a joint card, each. */
async function askAboutMessage(messageId: string, given: GivenCommand, parts: UndoParts): Promise<void> {
  const { answer, reader } = given;
  const words = undoWords[reader.language];
  const calls = await callsOfMessage(messageId, given, parts);
  const [only, ...others] = calls.filter((call) => mayUndo(call, given, parts));
  if (only === undefined) return answer(calls.length === 0 ? words.nothingOfMessage : words.notYours);
  return others.length === 0 ? askAbout(only, [], given, parts) : listOf([only, ...others], given);
}

async function callsOfMessage(
  messageId: string,
  { origin }: GivenCommand,
  { store, cards }: UndoParts,
): Promise<readonly KeptCall[]> {
  const { conversationId } = origin;
  const asked = (await cards.cardAt(conversationId, messageId))?.approval;
  if (asked?.type === 'permission')
    return store.ofCalls(conversationId, [asked.callId, ...(asked.asked?.others ?? []).map(({ callId }) => callId)]);
  const message = await store.ownMessage(conversationId, messageId);
  if (message === undefined) return [];
  if (message.callId !== undefined) return store.ofCalls(conversationId, [message.callId]);
  const { kind, createdAt, deliveredAt = Number.POSITIVE_INFINITY } = message;
  const isStatus = kind === 'status';
  if (!isStatus && kind !== 'reply' && kind !== 'for_user') return [];
  const kept = await store.newest(conversationId, mostSought);
  const [newest] = kept
    .filter(({ undoes, beganAt }) => undoes === undefined && beganAt <= (isStatus ? deliveredAt : createdAt))
    .filter((call) => hasFiles(call) && (!isStatus || call.beganAt >= createdAt - statusDelay));
  return newest === undefined ? [] : [newest];
}

/** What tools do is shown at most so long after they began, and changed until they end, in ms. */
const statusDelay = 10_000;

async function askAbout(
  call: KeptCall,
  later: readonly string[],
  given: GivenCommand,
  parts: UndoParts,
  note?: string,
): Promise<void> {
  const { answer, reader } = given;
  const { what, shortfall, undoneBy } = call;
  const words = undoWords[reader.language];
  if (undoneBy !== undefined) {
    const redo = (await parts.store.bySeq(undoneBy))?.id;
    return answer(words.alreadyUndone({ what, redo }));
  }
  if (!hasFiles(call)) return answer(words.cannot({ what, why: words.whyNothing(shortfall) }));
  const plan = await planOf(call, parts);
  const card: UndoCard = { call, plan, later, note };
  if (plan.files.every(({ step }) => step === 'none')) return answer(words.alreadyBack(what));
  if (isKeptFrom(call, plan, given, parts)) return given.refuse(words.changedByOthers);
  if (!plan.files.some(isDoable)) return answer(undoCard(card, reader));
  await given.list({ markdown: undoCard(card, reader), again: `undo ${call.id}`, rows: undoButtons(card, reader) });
}

function isDoable({ step }: PlannedFile): boolean {
  return step === 'write' || step === 'remove';
}

async function planOf({ seq, workspace }: KeptCall, { store, copies, workspaceAt }: UndoParts): Promise<UndoPlan> {
  return planUndo(await store.changesOf(seq), { folder: workspaceAt(workspace), copies });
}

/** Two people may press at once: the second finds what the first has done. */
async function inTurn(call: KeptCall, token: string, given: GivenCommand, parts: UndoContext): Promise<void> {
  const leave = await parts.turns.enter(call.workspace, parts.ending);
  // Not acknowledged: the platform brings it again.
  if (leave === undefined) throw new Error('the process is ending');
  try {
    await carryOut((await parts.store.bySeq(call.seq)) ?? call, token, given, parts);
  } finally {
    leave();
  }
}

/** Undoes a call if the files are as they were shown under this token. What is there now is kept first. */
async function carryOut(call: KeptCall, token: string, given: GivenCommand, parts: UndoParts): Promise<void> {
  const { origin, answer, reader } = given;
  const { what, workspace, seq } = call;
  const words = undoWords[reader.language];
  if (call.undoneBy !== undefined || !hasFiles(call)) return askAbout(call, [], given, parts);
  const plan = await planOf(call, parts);
  if (isKeptFrom(call, plan, given, parts)) return given.refuse(words.changedByOthers);
  if (!isShownState(plan, token)) return askAbout(call, [], given, parts, words.changedMeanwhile);
  const open = await parts.keeper.note({
    callId: undefined,
    conversationId: origin.conversationId,
    principal: origin.principal,
    workspace,
    what: call.undoes === undefined ? words.undoing(what) : what,
    reach: 'paths',
    isOutside: false,
    undoes: seq,
    paths: plan.files.filter(isDoable).map(({ path }) => path),
  });
  const work = () => putBack(plan, parts.workspaceAt(workspace), parts.copies);
  const { done, failed } = await labelling(call, work, parts);
  await open.end({ isOutside: false, event: { text: putBackEvent(done.map(({ path }) => path)), name: '' } });
  const named = {
    paths: failed.slice(0, mostListed).map(({ path }) => path),
    more: Math.max(0, failed.length - mostListed),
  };
  const report = failed.length === 0 ? [] : [words.failed(named)];
  if (done.length === 0) return answer([words.notUndone(what), ...report].join('\n\n'));
  const count = done.filter(({ now, before }) => (before ?? now)?.type !== 'directory').length;
  const markdown = [words.undone({ what, count, redo: open.id }), ...report].join('\n\n');
  const takeBack = leadingButton(words.buttonTakeBack, `undo ${open.id}`);
  await given.list({ markdown, again: 'undo list', rows: [[takeBack]] });
}

async function list(given: GivenCommand, parts: UndoParts): Promise<void> {
  const { origin, answer, reader } = given;
  const words = undoWords[reader.language];
  const newest = await parts.store.newest(origin.conversationId, mostSought);
  const calls = newest.filter((call) => mayUndo(call, given, parts)).slice(0, mostListed);
  if (calls.length === 0) return answer(words.nothing({ days: parts.settings().keep_days }));
  await listOf(calls, given);
}

async function listOf(calls: readonly KeptCall[], given: GivenCommand): Promise<void> {
  const { reader } = given;
  const words = undoWords[reader.language];
  const entries = calls.map((call) => {
    const deed = { id: call.id, what: call.what, at: call.beganAt, reader };
    if (!hasFiles(call)) return words.entryStays(deed);
    return call.undoneBy === undefined ? words.entry(deed) : words.entryUndone(deed);
  });
  const doable = calls.filter((call) => hasFiles(call) && call.undoneBy === undefined).slice(0, 4);
  const buttons = doable.map(({ id }) => leadingButton(words.buttonOne(id), `undo ${id}`));
  const markdown = [words.list, entries.join('\n'), words.listHow].join('\n\n');
  await given.list({ markdown, again: 'undo list', rows: buttons.length === 0 ? [] : [buttons] });
}
