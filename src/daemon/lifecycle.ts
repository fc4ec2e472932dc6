/*
 * How the composed daemon starts, follows an edit of the config, and ends. At start, unfinished work is found before new
 * events can come in, and continued once it can be shown. At the end, tools have their own time; all else ends at once.
 */

import type { RequestDesk } from '../conversation/access/request-desk.ts';
import type { Downtime } from '../conversation/health/downtime.ts';
import type { StorageNotices } from '../conversation/health/storage.ts';
import type { LiveReplies } from '../conversation/live/live-replies.ts';
import type { Marks } from '../conversation/live/message-marks.ts';
import type { ToolCards } from '../conversation/live/tool-cards.ts';
import type { Delivery } from '../delivery/send.ts';
import type { ModelWaits } from '../engine/ask.ts';
import type { RunQueue } from '../engine/wake.ts';
import type { ChannelPort, ConfigChange, Feature } from '../feature-points.ts';
import { endsWithin, watchForJumps } from '../lib/clock.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import { wordsIn } from '../lib/words.ts';
import type { ProcessNote } from '../store/process-note.ts';
import type { FileWatch } from '../tools/file-watch.ts';
import { endLeftCommands, ownerOf } from '../tools/guard/process/process-family.ts';
import type { ChannelEdit, Channels } from './channels.ts';
import type { EditOutcomes } from './edit-outcome.ts';
import type { LocalSocket } from './local-socket/local-socket.ts';
import { readThrough } from './owner-notices.ts';
import type { Services, Setup } from './services.ts';
import { daemonWords } from './words.ts';

/** The composed parts. */
export interface DaemonParts {
  readonly services: Services;
  readonly note: ProcessNote;
  readonly features: readonly Feature[];
  readonly starting: FeatureStart;
  readonly delivery: Delivery;
  readonly live: LiveReplies;
  readonly cards: ToolCards;
  readonly marks: Marks;
  readonly queue: RunQueue;
  readonly modelWaits: ModelWaits;
  readonly fileWatch: FileWatch;
  readonly downtime: Downtime;
  readonly notices: StorageNotices;
  readonly requests: RequestDesk;
  readonly channels: Channels;
  readonly outcomesOfEdits: EditOutcomes;
  readonly renewTools: () => Promise<void>;
  readonly followModels: () => void;
  /** For commands at this machine. */
  readonly localSocket: LocalSocket;
  /** Ends with the process. */
  readonly ending: AbortController;
  /** What goes on beside the work, and ends with the process. */
  readonly beside: Promise<void>[];
}

/** Starts receiving, and continues the work of the previous process. Resolves with what stops the watch for jumps of the clock. */
export async function startDaemon(parts: DaemonParts): Promise<() => void> {
  const { services, note, starting, delivery, live, queue, modelWaits, downtime, notices, channels, beside } = parts;
  const { store, config, approvals, registry, ending, timeJumped, deliver, clock, log } = services;
  await endLeftCommands(ownerOf(config.data_dir), clock, log);
  // Before new events can come in: find unfinished work, and continue it once it can be shown.
  const { lastCause } = note;
  if (lastCause !== undefined) log.info({ cause: lastCause }, 'the last process was killed for a cause from outside');
  const recovering = delivery.recover(lastCause === undefined);
  const [{ undelivered, previews }] = await Promise.all([recovering, downtime.begin()]);
  live.adopt(previews);
  if (lastCause !== undefined) await store.attempts.leave();
  queue.suspect(await store.attempts.recover());
  note.begin();
  await parts.fileWatch.recover();
  await notices.learn();
  const unfinished = await store.inbox.unfinished();
  await endCodes(services);
  parts.requests.begin();
  parts.followModels();
  beside.push(registry.learn(ending));
  await channels.start();
  starting.begin(channels);
  deliver(undelivered);
  await approvals.recover();
  await modelWaits.begin();
  beside.push(queue.takeUp(unfinished), live.endLeft(queue.whenIdle, ending));
  channels.watch.begin();
  beside.push(readThrough(store, services));
  downtime.tell();
  await parts.localSocket.open();
  return watchForJumps(clock, (by) => {
    log.info({ by }, 'the time has jumped');
    timeJumped.tell(by);
    if (by < 0) channels.watch.clockSet();
  });
}

/** Drops the codes of people whom the config lets in now, or all if pairing is off. */
async function endCodes({ store, config, rules, clock, deliver }: Services): Promise<void> {
  const holders = await store.people.codeHolders(clock.now());
  const ended = holders.filter(({ principal }) => !config.pairing.enabled || rules.mayTalk(principal));
  if (ended.length > 0) deliver(await store.people.dropCodes(ended.map(({ principal }) => principal)));
}

/** Applies an edit of the config. Owners are told of a part that cannot follow; the rest goes on. */
export async function applyEdit(next: Setup, edit: ChannelEdit, parts: DaemonParts): Promise<void> {
  const { services, features, channels, outcomesOfEdits } = parts;
  const { setup, approvals, registry, rightsChanged, ending } = services;
  const { config: from, warnings: former = [] } = setup.now;
  const known = new Set(former.map((warning) => wordsIn('en', warning)));
  const warnings = next.warnings?.filter((warning) => !known.has(wordsIn('en', warning)));
  const change: ConfigChange = { from, to: next.config, warnings };
  setup.replace(next);
  parts.followModels();
  // The new rules hold from here on; each part applies them in turn.
  await parts.renewTools();
  rightsChanged.tell();
  const outcomes = await Promise.allSettled([
    endCodes(services),
    approvals.lookAgain(),
    channels.edited(edit),
    ...features.map((feature) => feature.reload?.(change)),
  ]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') tellOfFailure(outcome.reason, services);
  outcomesOfEdits.begin(change, [...edit.made.keys(), ...channels.plugged()]);
  // Once the channels are those of the new config.
  approvals.followSoon();
  void registry.learn(ending);
}

function tellOfFailure(error: unknown, { tellOwners, redact, log }: Services): void {
  const why = escapeMarkdown(redact(error instanceof Error ? error.message : String(error)));
  log.error({ err: error }, 'a part could not follow the config');
  tellOwners((language) => daemonWords[language].editPartFailed({ why }));
}

/** Ends within 2.5 s after the tools, whose time is `toolGrace`. `toolsEnded` is called when they have ended. */
export async function stopDaemon(
  parts: DaemonParts,
  { toolGrace, toolsEnded }: { readonly toolGrace: number; readonly toolsEnded: (() => void) | undefined },
): Promise<void> {
  const { services, note, queue, channels, delivery, cards, marks, downtime, notices, outcomesOfEdits, beside } = parts;
  const { store, approvals, bounds, log } = services;
  note.toldToEnd();
  parts.ending.abort();
  parts.localSocket.close();
  store.hurry();
  parts.modelWaits.stop();
  approvals.endQuestions();
  // Messages that arrive while tools end are stored, and answered by the next process.
  await Promise.all([queue.end(toolGrace).then(toolsEnded), channels.watch.stop(), delivery.stop()]);
  await Promise.all(parts.features.map((feature) => feature.stop?.()));
  await Promise.all([approvals.stop(), cards.stop(), bounds.stop(), ...beside]);
  await Promise.all([marks.stop(), downtime.stop(), notices.stop(), parts.requests.stop(), outcomesOfEdits.settled()]);
  await store.attempts
    .leave()
    .then(note.ended)
    .catch((error: unknown) => log.warn({ err: error }, 'the end could not be stored; the next start does that'));
  await store.close();
}

/** How long runs wait for the features to start, in ms. */
const longestWait = 2_000;

/** The start of the features. */
export interface FeatureStart {
  /** Resolves when runs need not wait any longer. */
  readonly ready: Promise<void>;
  /** Does not wait. */
  begin(channels: ChannelPort): void;
}

export function featureStart(features: readonly Feature[], services: Services): FeatureStart {
  const { clock, log, ending } = services;
  const begun = Promise.withResolvers<void>();
  ending.addEventListener('abort', () => begun.resolve(), { once: true });
  return {
    ready: begun.promise,
    begin(channels) {
      const starts = features.map(async (feature) => {
        await feature.start?.(channels).catch((err: unknown) => log.error({ err }, 'a feature could not begin'));
      });
      const limits = { clock, milliseconds: longestWait, signal: ending };
      void endsWithin(Promise.all(starts), limits).then(() => begun.resolve());
    },
  };
}
