/*
 * Keeps what files were before calls changed them. Before a call, the files that it may change are looked at and copied,
 * and the call is noted, all of it on disk; after it, they are looked at again, and what differs is what the call changed. A
 * call that a killed process left is ended the same way by the next one.
 */

import { posix, relative, resolve, sep } from 'node:path';
import type { FeatureCore } from '../../feature-points.ts';
import { KeyedTurns } from '../../lib/background.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { Remembered } from '../../lib/remembered.ts';
import { wordsIn } from '../../lib/words.ts';
import type { CallCopies, CopiedCall, FileCopies } from '../../tools/file-copies.ts';
import type { FileLabelStore } from '../../tools/file-watch.ts';
import type { Workspace } from '../../tools/guard/workspace/workspace.ts';
import { WorkspaceError } from '../../tools/guard/workspace/workspace-error.ts';
import { isRepeatable } from '../../tools/tool.ts';
import type { Copies } from './copies.ts';
import { changesBetween, type Files } from './file-facts.ts';
import { keptLabels } from './labels.ts';
import { lookAt, type TakenStock, takeStock } from './stock.ts';
import type { KeptCall, KeptCallDraft, KeptEnd, UndoStore } from './tables.ts';

/** What is noted of a call that begins. */
export type NotedCall = Omit<KeptCallDraft, 'id' | 'beganAt' | 'shortfall' | 'labels'> & {
  readonly paths: readonly string[];
};

/** A call that was noted. */
export interface OpenCall {
  readonly id: string;
  /** `isOutside`: what it did outside counts. */
  end(ending: { readonly isOutside: boolean; readonly event?: KeptEnd['event'] }): Promise<void>;
}

export interface Keeper extends FileCopies {
  /** Notes a call. Rejects if it cannot be stored. */
  note(call: NotedCall): Promise<OpenCall>;
  /** Ends what a killed process left. Never rejects. */
  recover(): Promise<void>;
  /** Forgets what is too old, or too much; everything, if that is switched off. Never rejects. While something is kept, it comes again. */
  tidy(): Promise<void>;
}

export interface KeeperParts extends Pick<FeatureCore, 'clock' | 'log' | 'workspaceAt' | 'readerIn' | 'ending'> {
  readonly store: UndoStore;
  readonly copies: Copies;
  /** The labels of untrusted files in a workspace. */
  readonly labelsIn: FileLabelStore['labelsIn'];
  readonly settings: () => { readonly enabled: boolean; readonly max_mb: number; readonly keep_days: number };
}

interface KeeperContext extends KeeperParts {
  /** What is known of the workspaces that were used last. */
  readonly known: Remembered<string, Files>;
  /** The calls that run, by their workspaces. */
  readonly running: Map<string, Set<RunningCall>>;
  /** No copy is removed while it is being stored. */
  readonly turns: KeyedTurns;
  readonly nextTidying: NextTidying;
}

/** When old copies are looked for again: no timer runs while there are none. */
class NextTidying {
  #isPlanned = false;

  plan(clock: Clock, work: () => void): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    clock.after(tidyEvery, () => {
      this.#isPlanned = false;
      work();
    });
  }
}

/** In ms. */
const tidyEvery = 6 * 3_600_000;

interface RunningCall {
  readonly seq: number;
  readonly call: NotedCall;
  readonly before: TakenStock;
  isShared: boolean;
}

export function createKeeper(parts: KeeperParts): Keeper {
  const context: KeeperContext = {
    ...parts,
    known: new Remembered(8),
    running: new Map(),
    turns: new KeyedTurns(),
    nextTidying: new NextTidying(),
  };
  return {
    begin: (call) => begin(call, context),
    note: (call) => note(call, context),
    recover: () => recover(context),
    tidy: () => tidy(context),
  };
}

const nothing: CallCopies = { end: async () => {} };

async function begin(call: CopiedCall, context: KeeperContext): Promise<CallCopies> {
  const { log, settings, readerIn, workspaceAt } = context;
  const reach = reachOf(call);
  if (!settings().enabled || reach === undefined) return nothing;
  const { conversationId, principal, workspace } = call;
  const isOutside = actsOutside(call);
  try {
    const what = wordsIn(readerIn(conversationId).language, call.what);
    const paths = Array.isArray(reach) ? await pathsOf(reach, workspace, workspaceAt(workspace)) : [];
    const kind = reach === 'all' ? 'all' : reach === 'none' ? 'none' : 'paths';
    const { callId } = call;
    const draft = { callId, conversationId, principal, workspace, what, reach: kind, isOutside } as const;
    const open = await note({ ...draft, undoes: undefined, paths }, context);
    return {
      async end({ isError }) {
        try {
          await open.end({ isOutside: isOutside && !isError });
        } catch (cause) {
          log.warn({ err: cause, call: call.callId }, 'what a call changed could not be noted: it cannot be undone');
        }
      },
    };
  } catch (cause) {
    log.warn({ err: cause, call: call.callId }, 'no copies could be kept: what the call changes cannot be undone');
    return nothing;
  }
}

/** What the call may change; undefined: nothing that anybody could want to undo. */
function reachOf(call: CopiedCall): readonly string[] | 'all' | 'none' | undefined {
  const { category, facets } = call;
  if (category === 'memory' || isRepeatable(category) || facets.leavesNothing === true) return undefined;
  // Code of others makes facets, too.
  const paths: unknown = facets.writes;
  const named = Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : undefined;
  if (named !== undefined && named.length > 0) return named;
  if (named === undefined && category !== 'messaging') return 'all';
  // A command that only looks does nothing outside either.
  return category !== 'shell' && actsOutside(call) ? 'none' : undefined;
}

/** Whether it does something that no copy brings back. */
function actsOutside({ category, facets }: CopiedCall): boolean {
  if (category === 'messaging' || category === 'network_write' || category === 'hardware') return true;
  return facets.unconfined === true || (category === 'shell' && facets.brings !== undefined);
}

/** The files that the paths lead to, and the folders that are missing on the way. */
async function pathsOf(paths: readonly string[], workspace: string, folder: Workspace): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => locate(path, workspace, folder)));
  const all = [...new Set(found.flatMap((path) => [...foldersOf(path), path]))];
  const there = await folder.look(all, 0);
  const isTarget = new Set(found);
  return all.filter((path, index) => isTarget.has(path) || there[index] === undefined);
}

async function locate(path: string, workspace: string, folder: Workspace): Promise<string> {
  try {
    return await folder.locate(path);
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    return relative(workspace, resolve(workspace, path)).replaceAll(sep, '/');
  }
}

function foldersOf(path: string): readonly string[] {
  const above = posix.dirname(path);
  return above === '.' || above === '/' || above.startsWith('..') ? [] : [...foldersOf(above), above];
}

async function note(call: NotedCall, context: KeeperContext): Promise<OpenCall> {
  const { store, clock, running } = context;
  const { workspace, paths, ...draft } = call;
  const id = newId(5);
  const { before, seq } = await inTurn(context, async () => {
    const labels = keptLabels(await context.labelsIn(workspace));
    const taken = await stockOf(call, context);
    const shortfall = taken.isWhole ? undefined : 'many-files';
    const row = { ...draft, workspace, id, beganAt: clock.now(), shortfall, labels } as const;
    return { before: taken, seq: await store.began(row, taken.files, paths, taken.stock) };
  });
  planTidying(context);
  const beside = running.get(workspace) ?? new Set();
  const own: RunningCall = { seq, call, before, isShared: beside.size > 0 };
  for (const other of beside) other.isShared = true;
  running.set(workspace, beside.add(own));
  return {
    id,
    async end({ isOutside, event }) {
      beside.delete(own);
      if (beside.size === 0) running.delete(workspace);
      await end(own, { isOutside, event }, context);
    },
  };
}

/** What the call may change, as it is now. */
async function stockOf(
  call: NotedCall,
  { workspaceAt, copies, known, store, settings, clock }: KeeperContext,
): Promise<TakenStock> {
  const { workspace, reach, paths } = call;
  const folder = workspaceAt(workspace);
  if (reach !== 'all') return lookAt(workspace, folder, paths, copies);
  const former = known.get(workspace) ?? (await store.filesIn(workspace));
  const room = (settings().max_mb * 2 ** 20) / 4;
  const taken = await takeStock(workspace, folder, former, { at: clock.now(), copies, room });
  if (taken.isWhole) known.set(workspace, taken.files);
  return taken;
}

/** More changes of one call are not kept. */
const mostChanges = 2_000;

async function end(
  { seq, call, before, isShared }: RunningCall,
  ending: Parameters<OpenCall['end']>[0],
  context: KeeperContext,
): Promise<void> {
  const { store, clock, settings } = context;
  const hasCopied = await inTurn(context, async () => {
    const after = await stockOf(call, context);
    const isKnown = before.isWhole && after.isWhole;
    const all = isKnown ? changesBetween(before.files, after.files) : [];
    const isTooMuch = all.length > mostChanges;
    const shortfall = isTooMuch ? 'many-changes' : isKnown ? undefined : 'many-files';
    const changes = isTooMuch ? [] : all;
    const shared = isShared && call.reach === 'all';
    await store.ended({ seq, changes, shortfall, isShared: shared, at: clock.now(), ...ending }, after.stock);
    return before.stock.copied.size + after.stock.copied.size > 0;
  });
  if (hasCopied && (await store.size()) > settings().max_mb * 2 ** 20) await tidy(context);
}

async function inTurn<Result>({ turns, ending }: KeeperContext, work: () => Promise<Result>): Promise<Result> {
  const leave = await turns.enter('copies', ending);
  if (leave === undefined) throw new Error('the process is ending');
  try {
    return await work();
  } finally {
    leave();
  }
}

async function recover(context: KeeperContext): Promise<void> {
  const { store, copies } = context;
  try {
    if ((await store.isEmpty()) && !copies.areThere()) return;
    await inTurn(context, () => copies.sweep(store.contentsAmong));
    for (const call of await store.open()) await endLeft(call, context);
  } catch (cause) {
    if (!context.ending.aborted)
      context.log.warn({ err: cause }, 'copies of an earlier process could not be looked at');
  }
}

/** A call whose process died. Of what it did outside, nothing is known. */
async function endLeft(call: KeptCall, context: KeeperContext): Promise<void> {
  const { store, log } = context;
  const { seq, workspace, isOutside } = call;
  const kept = await store.changesOf(seq);
  const files: Files =
    call.reach === 'all'
      ? await store.filesIn(workspace)
      : new Map(kept.flatMap(({ path, before }) => (before === undefined ? [] : [[path, before] as const])));
  const stock = { workspace, isKnown: false, changed: new Map(), copied: new Map(), at: 0 };
  const before = { files, isWhole: call.shortfall === undefined, stock };
  const noted = { ...call, paths: kept.map(({ path }) => path) };
  try {
    await end({ seq, call: noted, before, isShared: false }, { isOutside }, context);
  } catch (cause) {
    log.warn({ err: cause }, 'what a call had changed before a kill could not be found out: it cannot be undone');
  }
}

const day = 86_400_000;

async function tidy(context: KeeperContext): Promise<void> {
  const { store, copies, log, ending } = context;
  if (ending.aborted) return;
  try {
    if ((await store.isEmpty()) && !copies.areThere()) return;
    await inTurn(context, () => forget(context));
    if (!(await store.isEmpty())) planTidying(context);
  } catch (cause) {
    if (!ending.aborted) log.warn({ err: cause }, 'old copies of files could not be removed');
  }
}

function planTidying(context: KeeperContext): void {
  context.nextTidying.plan(context.clock, () => void tidy(context));
}

async function forget({ store, copies, settings, clock, known }: KeeperContext): Promise<void> {
  const { enabled, max_mb: most, keep_days: days } = settings();
  if (!enabled) {
    await store.clear();
    known.clear();
    await copies.sweep(async () => new Set());
    return;
  }
  const removed = await store.prune(clock.now() - days * day, most * 2 ** 20);
  if (removed.length === 0) return;
  // Workspaces that were forgotten are looked at afresh.
  known.clear();
  await copies.remove(removed);
}
