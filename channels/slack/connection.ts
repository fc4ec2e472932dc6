import { setImmediate } from 'node:timers/promises';
import type { ChannelHost, Network } from '../../src/contract.ts';
import { backOff, endsWithin, sleep } from '../../src/lib/clock.ts';
import type { Reception } from '../kit/reception.ts';
import type { SlackApi } from './api.ts';
import { receiveRequests } from './http-events.ts';
import type { SlackSettings } from './settings.ts';
import { holdSockets } from './sockets.ts';
import { identify, missingWords } from './tokens.ts';
import type { Workspace, Workspaces } from './workspaces.ts';

interface ConnectionOptions {
  readonly settings: SlackSettings;
  readonly network: Network;
  readonly host: ChannelHost;
  readonly workspaces: Workspaces;
  readonly apiFor: (token: string) => SlackApi;
  readonly reception: Reception;
  /** Resolves once the event is stored, with whether there was anything to store. Rejects if it was not stored. */
  readonly take: (body: unknown) => Promise<boolean>;
  /** Ends the session. */
  readonly ending: AbortController;
}

/** How long pending events may take to be stored after `stop`, in ms. */
const lastPatience = 1_000;
/** How often a token is checked, and the shortest pause between checks, in ms. */
const lookEvery = 15 * 60_000;
const leastPause = 30_000;

/**
 * One session with Slack. Identifies the bot tokens and their scopes; once one is valid, receives over sockets or HTTP.
 * Failures are retried for ever; only what the operator must fix ends it. An event is acknowledged once it is stored;
 * otherwise Slack delivers it again.
 *
 * Tokens are checked regularly, since nothing else tells: sockets only need the app-level token, so they stay open, and
 * silent, after a bot token is revoked.
 */
export function createConnection({ settings, host, workspaces, apiFor, reception, ...options }: ConnectionOptions) {
  const { clock, log } = host;
  const { take: store, network, ending } = options;
  const { signal } = ending;
  const underWay = new Set<Promise<void>>();
  const known = Promise.withResolvers<void>();
  /** By token: abort to check it at once. */
  const doubts = new Map<string, AbortController>();
  /** Nothing is accepted or acknowledged any more. */
  let isOver = false;

  /** Stores an event, also one that backfill has found. Rejects if it was not stored. */
  async function take(body: unknown): Promise<void> {
    try {
      await reception.take(() => store(body));
    } catch (error) {
      log.error({ err: error }, 'an event of Slack was not stored: it is not acknowledged');
      throw error;
    }
  }

  async function deliver(body: unknown): Promise<void> {
    if (isOver) throw new Error('The connection is being closed.');
    const taking = take(body);
    underWay.add(taking);
    await taking.finally(() => underWay.delete(taking));
  }

  function die(reason: string): void {
    reception.health.die(reason);
    ending.abort();
  }

  async function receive(): Promise<void> {
    switch (settings.mode) {
      case 'http':
        return receiveRequests(settings, deliver, reception, host, signal);
      case 'socket':
        return holdSockets(
          { settings, network, host, reception, take: deliver, die },
          workspaces.find()?.appId,
          signal,
        );
    }
  }

  /** Identifies the token until Slack has answered, then checks it regularly. */
  async function keep(token: string): Promise<void> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      const found = await identify(apiFor(token), log, signal);
      if (signal.aborted) return;
      if ('teamId' in found) accept(token, found);
      else if (found.isFinal) refuse(token, found.reason);
      if ('teamId' in found || workspaces.verdictOn(token) !== 'open') {
        await rest(token);
        continue;
      }
      // While another workspace works, one failing token is not a failure of the channel.
      if (!workspaces.isAnyGood) reception.health.fail(found.reason);
      await sleep(clock, Math.max(backOff(failures), found.pause ?? 0), signal);
    }
  }

  async function rest(token: string): Promise<void> {
    const doubt = new AbortController();
    const isFirst = !doubts.has(token);
    doubts.set(token, doubt);
    if (!isFirst) await sleep(clock, leastPause, signal);
    await sleep(clock, lookEvery, AbortSignal.any([signal, doubt.signal]));
  }

  function accept(token: string, workspace: Workspace): void {
    const wasGood = workspaces.verdictOn(token) === 'good';
    workspaces.judge(token, 'good', workspace);
    if (wasGood) return;
    known.resolve();
    const { teamId: team, scopes } = workspace;
    const missing = scopes && missingWords(scopes);
    if (missing !== undefined) log.warn({ team }, missing);
  }

  /** If no valid or undecided token is left, the connection ends: nothing could come in. */
  function refuse(token: string, reason: string): void {
    const verdict = workspaces.verdictOn(token);
    if (verdict === 'refused') return;
    workspaces.judge(token, 'refused');
    if (!workspaces.isAnyGood && !workspaces.isIncomplete) die(reason);
    else if (settings.more_bot_tokens.length > 0) log.warn({ reason }, uselessWords(verdict === 'good'));
  }

  return {
    take,

    /** Receives until `stop` is called or a failure is final. */
    async run(): Promise<void> {
      reception.health.tell({ status: 'connecting' });
      const tokens = [...new Set([settings.bot_token, ...settings.more_bot_tokens])];
      for (const token of tokens) workspaces.judge(token, 'open');
      const keeping = Promise.all(tokens.map(keep));
      await reception.health.accompany(Promise.race([known.promise, keeping]), signal);
      if (!signal.aborted) await receive();
      await keeping;
    },

    /** Checks a bot token that Slack has just refused for something. */
    doubt(token: string): void {
      doubts.get(token)?.abort();
    },

    /** Accepts nothing new, and waits up to a second for pending events to be stored and acknowledged. */
    async stop(): Promise<void> {
      isOver = true;
      // The acknowledgement follows in the next tick.
      const settled = Promise.allSettled(underWay).then(() => setImmediate());
      await endsWithin(settled, { clock, milliseconds: lastPatience });
      ending.abort();
    },
  };
}

export type Connection = ReturnType<typeof createConnection>;

function uselessWords(wasGood: boolean): string {
  return `slack: one of the bot tokens is ${wasGood ? 'no longer' : 'not'} valid, and is tried again later`;
}
