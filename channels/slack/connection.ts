import { setImmediate } from 'node:timers/promises';
import type { ChannelHost } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { endsWithin, sleep } from '../../src/lib/clock.ts';
import type { Reception } from '../kit/reception.ts';
import type { SlackApi } from './api.ts';
import { receiveRequests } from './http-events.ts';
import type { SlackSettings } from './settings.ts';
import { holdSockets } from './sockets.ts';
import { identify, lostFeatures, missingWords } from './tokens.ts';
import type { Workspace, Workspaces } from './workspaces.ts';

export interface ConnectionOptions {
  readonly settings: SlackSettings;
  readonly host: ChannelHost;
  readonly workspaces: Workspaces;
  readonly apiFor: (token: string) => SlackApi;
  readonly reception: Reception;
  /** Resolves once what came is stored, with whether there was anything to store. Throws if it was not stored. */
  readonly take: (body: unknown) => Promise<boolean>;
}

/** How long what is being stored when the connection ends may take, in milliseconds. */
const lastPatience = 1_000;
/** How often Slack is asked whether a token still holds, and at most, in milliseconds. */
const lookEvery = 15 * 60_000;
const leastPause = 30_000;

/**
 * One session with Slack. First it finds out where the bot tokens belong and what they may do; as soon as one is good, it
 * receives, over sockets or by requests. What it cannot do now it tries for ever; only what the operator must mend ends it.
 * Slack hears of an event when it is stored. What was not stored is not acknowledged, so that Slack delivers it again.
 *
 * Whether the tokens still hold is asked now and then. Nothing else would tell: sockets need the app-level token only, so they
 * stay open when a bot token is taken back, and nothing comes through them any more.
 */
export function createConnection({ settings, host, workspaces, apiFor, reception, take: store }: ConnectionOptions) {
  const { clock, log } = host;
  const ending = new AbortController();
  const { signal } = ending;
  const underWay = new Set<Promise<void>>();
  const known = Promise.withResolvers<void>();
  /** By token: aborted where it is to be asked about at once. */
  const doubts = new Map<string, AbortController>();
  /** From now on nothing is taken, and so nothing acknowledged. */
  let isOver = false;

  /** Takes what Slack has not delivered as if it had. Resolves once it is stored; throws if it was not. */
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
        return holdSockets({ settings, host, reception, take: deliver, die }, workspaces.find()?.appId, signal);
    }
  }

  /** Asks where the token belongs until Slack has said so, and from then on now and then whether that still holds. */
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
      // While another workspace works, one that does not is nothing that concerns the whole channel.
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
    workspaces.accept(token, workspace);
    if (wasGood) return;
    known.resolve();
    const { teamId: team, scopes } = workspace;
    for (const { feature, missing } of scopes === undefined ? [] : lostFeatures(scopes))
      log.warn({ team, missing }, missingWords(feature));
  }

  /** The last one that was good ends everything: nothing would come in any more. */
  function refuse(token: string, reason: string): void {
    const verdict = workspaces.verdictOn(token);
    if (verdict === 'refused') return;
    workspaces.refuse(token);
    if (!workspaces.isAnyGood && !workspaces.isIncomplete) die(reason);
    else if (settings.more_bot_tokens.length > 0) log.warn({ reason }, uselessWords(verdict === 'good'));
  }

  return {
    take,

    /** Receives until `stop` is called or Slack shuts us out. */
    async run(): Promise<void> {
      reception.health.tell({ status: 'connecting' });
      const tokens = [...new Set([settings.bot_token, ...settings.more_bot_tokens])];
      for (const token of tokens) workspaces.expect(token);
      const keeping = Promise.all(tokens.map(keep)).then(() => {});
      await reception.health.accompany(Promise.race([known.promise, keeping]), signal);
      if (!signal.aborted) await receive();
      await keeping;
    },

    /** Slack has refused this bot token for something: it is found out whether it still holds. Returns at once. */
    doubt(token: string): void {
      doubts.get(token)?.abort();
    },

    /** What is being stored is stored and acknowledged, if that takes no longer than a second. Nothing new is taken. */
    async stop(): Promise<void> {
      isOver = true;
      // Slack is told of what is stored right afterwards.
      const settled = Promise.allSettled(underWay).then(() => setImmediate());
      await endsWithin(settled, { clock, milliseconds: lastPatience });
      ending.abort();
    },
  };
}

export type Connection = ReturnType<typeof createConnection>;

function uselessWords(wasGood: boolean): string {
  return `slack: one of the bot tokens is of no use${wasGood ? ' any more' : ''}, and is tried again later`;
}
