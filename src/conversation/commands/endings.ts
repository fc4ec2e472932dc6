/* Commands that end something: `/stop`, `/new` and `/revoke`. Each holds in memory at once, and is stored after. */

import type { Grant } from '../../approval/approval.ts';
import { windowMinutes } from '../../approval/verdict.ts';
import type { Config } from '../../config/schema.ts';
import type { Approvals } from '../../engine/decide.ts';
import { firstWord, type Origin } from '../../engine/message.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CommandEffects, Effect, Stopped } from '../effects.ts';
import type { InboxStore } from '../inbox.ts';
import type { GivenCommand } from './given-command.ts';
import { grantsReport } from './reports/grants.ts';
import { commandWords } from './words.ts';

interface RunEnding {
  readonly effects: CommandEffects;
  readonly inbox: Pick<InboxStore, 'newestSeq' | 'subRunsOf'>;
  readonly stop: (conversationId: string) => void;
  readonly halt: (conversationIds: readonly string[]) => () => void;
}

/** `/stop`: ends the conversation's run. */
export function stop(given: GivenCommand, parts: RunEnding): Promise<void> {
  const words = commandWords[given.reader.language];
  return endRun(given, parts.effects.stop, parts, {
    held: words.stopHeld,
    words: ({ stopped, cancelled }) => (stopped || cancelled > 0 ? words.stopped({ cancelled }) : words.nothingToStop),
  });
}

/** `/new`: ends the run, and begins a clean conversation. */
export function begin(given: GivenCommand, parts: RunEnding): Promise<void> {
  const words = commandWords[given.reader.language];
  return endRun(given, parts.effects.startOver, parts, { held: words.newHeld, words: words.startedOver });
}

interface EndWords<Result> {
  readonly held: string;
  readonly words: (result: Result) => string;
}

function endRun<Result extends Stopped>(
  given: GivenCommand,
  effect: Effect<Result>,
  { inbox, stop: stopRun, halt }: RunEnding,
  { held, words }: EndWords<Result>,
): Promise<void> {
  const { conversationId } = given.origin;
  let goOn = (): void => {};
  let upTo: number | undefined;
  return given.end(effect, (result) => given.withHint(words(result)), {
    held,
    async now() {
      const ends = [halt([conversationId])];
      goOn = () => ends.forEach((endHalt) => void endHalt());
      const [newest, subRuns] = await Promise.all([inbox.newestSeq(conversationId), inbox.subRunsOf(conversationId)]);
      upTo = newest;
      ends.push(halt(subRuns));
    },
    upTo: () => upTo,
    over: () => goOn(),
    ended({ subRuns }) {
      for (const id of [conversationId, ...subRuns]) stopRun(id);
    },
  });
}

interface GrantParts {
  readonly effects: CommandEffects;
  readonly inbox: Pick<InboxStore, 'grantsHere'>;
  readonly approvals: Pick<Approvals, 'isApprover'>;
  readonly clock: Clock;
  readonly config: Pick<Config, 'approval'>;
  readonly revoking: Set<string>;
}

/** `/grants`: the saved permissions here. */
export async function showGrants(given: GivenCommand, parts: GrantParts): Promise<void> {
  const { argument, origin, list, reader, withHint } = given;
  const { approvals, config } = parts;
  const context = {
    isApprover: approvals.isApprover.bind(approvals),
    principal: origin.principal,
    page: firstWord(argument).word,
    minutes: windowMinutes(config.approval.window_secs * 1000),
  };
  const report = grantsReport(await grantsAt(origin, parts), context, reader);
  await list({ ...report, markdown: withHint(report.markdown) });
}

/** `/revoke ID` and `/revoke all`: ends one's own permissions; those of all, for an approver. */
export async function revoke(
  { argument, origin, answer, end, reader }: GivenCommand,
  parts: GrantParts,
): Promise<void> {
  const { approvals, effects, revoking } = parts;
  const words = commandWords[reader.language];
  const { principal } = origin;
  const { word } = firstWord(argument);
  if (word === '') return answer(words.whichToRevoke);
  const grantIds = (await grantsAt(origin, parts))
    .filter(({ requester }) => requester === principal || approvals.isApprover(principal))
    .filter(({ id }) => word === 'all' || id === word.toLowerCase())
    .map(({ id }) => id);
  const told = (count: number): string => (count === 0 ? words.noSuchGrant : words.revoked({ count }));
  await end(effects.revoke(grantIds), told, {
    held: told(grantIds.length),
    now() {
      for (const id of grantIds) revoking.add(id);
    },
    over() {
      for (const id of grantIds) revoking.delete(id);
    },
  });
}

async function grantsAt({ conversationId }: Origin, { inbox, clock, revoking }: GrantParts): Promise<readonly Grant[]> {
  const grants = await inbox.grantsHere(conversationId, clock.now());
  return grants.filter(({ id }) => !revoking.has(id));
}
