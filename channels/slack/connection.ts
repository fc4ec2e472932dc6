import { setImmediate } from 'node:timers/promises';
import type { ChannelHost } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { sleep } from '../../src/lib/clock.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import type { Reception } from '../kit/reception.ts';
import type { SlackApi } from './api.ts';
import { receiveRequests } from './http-events.ts';
import type { SlackSettings } from './settings.ts';
import { Sockets } from './sockets.ts';
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
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #ending = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  /** The tokens, as Slack has judged them in this session: a former one's knowledge does not count. */
  readonly #good = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #isKnown = Promise.withResolvers<void>();
  /** By token: aborted where it is to be asked about at once. */
  readonly #doubts = new Map<string, AbortController>();
  /** From now on nothing is taken, and so nothing acknowledged. */
  #isOver = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Receives until `stop` is called or Slack shuts us out. */
  async run(): Promise<void> {
    const { settings, host, workspaces, reception } = this.#options;
    const { signal } = this.#ending;
    host.reportHealth({ status: 'connecting' });
    const tokens = [...new Set([settings.bot_token, ...settings.more_bot_tokens])];
    for (const token of tokens) workspaces.expect(token);
    const keeping = Promise.all(tokens.map((token) => this.#keep(token))).then(() => {});
    await reception.health.accompany(Promise.race([this.#isKnown.promise, keeping]), signal);
    if (!signal.aborted) await this.#receive();
    await keeping;
  }

  /** Slack has refused this bot token for something: it is found out whether it still holds. Returns at once. */
  doubt(token: string): void {
    this.#doubts.get(token)?.abort();
  }

  /** Takes what Slack has not delivered as if it had. Resolves once it is stored; throws if it was not. */
  async take(body: unknown): Promise<void> {
    const { take, host, reception } = this.#options;
    try {
      await reception.take(() => take(body));
    } catch (error) {
      host.log.error({ err: error }, 'an event of Slack was not stored: it is not acknowledged');
      throw error;
    }
  }

  /** What is being stored is stored and acknowledged, if that takes no longer than a second. Nothing new is taken. */
  async stop(): Promise<void> {
    const { clock } = this.#options.host;
    this.#isOver = true;
    // Slack is told of what is stored right afterwards.
    const settled = Promise.allSettled(this.#underWay).then(() => setImmediate());
    await endsWithin(settled, { clock, milliseconds: lastPatience });
    this.#ending.abort();
  }

  async #receive(): Promise<void> {
    const { settings, host, workspaces, reception } = this.#options;
    const { signal } = this.#ending;
    const take = (body: unknown): Promise<void> => this.#deliver(body);
    const die = (reason: string): void => this.#die(reason);
    switch (settings.mode) {
      case 'http':
        return receiveRequests(settings, take, reception, host, signal);
      case 'socket':
        return new Sockets({ settings, host, reception, take, die }, workspaces.find()?.appId).run(signal);
    }
  }

  async #deliver(body: unknown): Promise<void> {
    if (this.#isOver) throw new Error('The connection is being closed.');
    const taking = this.take(body);
    this.#underWay.add(taking);
    await taking.finally(() => this.#underWay.delete(taking));
  }

  #die(reason: string): void {
    this.#options.reception.health.die(reason);
    this.#ending.abort();
  }

  /** Asks where the token belongs until Slack has said so, and from then on now and then whether that still holds. */
  async #keep(token: string): Promise<void> {
    const { host, apiFor, reception } = this.#options;
    const { signal } = this.#ending;
    for (let failures = 1; !signal.aborted; failures += 1) {
      const found = await identify(apiFor(token), host.log, signal);
      if (signal.aborted) return;
      if ('teamId' in found) this.#accept(token, found);
      else if (found.isFinal) this.#refuse(token, found.reason);
      if ('teamId' in found || this.#good.has(token) || this.#refused.has(token)) {
        await this.#rest(token);
        continue;
      }
      // While another workspace works, one that does not is nothing that concerns the whole channel.
      if (this.#good.size === 0) reception.health.fail(found.reason);
      await sleep(host.clock, Math.max(backOff(failures), found.pause ?? 0), signal);
    }
  }

  async #rest(token: string): Promise<void> {
    const { clock } = this.#options.host;
    const { signal } = this.#ending;
    const doubt = new AbortController();
    const isFirst = !this.#doubts.has(token);
    this.#doubts.set(token, doubt);
    if (!isFirst) await sleep(clock, leastPause, signal);
    await sleep(clock, lookEvery, AbortSignal.any([signal, doubt.signal]));
  }

  #accept(token: string, workspace: Workspace): void {
    const { workspaces, host } = this.#options;
    workspaces.add(token, workspace);
    this.#refused.delete(token);
    if (this.#good.has(token)) return;
    this.#good.add(token);
    this.#isKnown.resolve();
    const { teamId: team, scopes } = workspace;
    for (const { feature, missing } of scopes === undefined ? [] : lostFeatures(scopes))
      host.log.warn({ team, missing }, missingWords(feature));
  }

  /** The last one that was good ends everything: nothing would come in any more. */
  #refuse(token: string, reason: string): void {
    const { settings, workspaces, host } = this.#options;
    if (this.#refused.has(token)) return;
    this.#refused.add(token);
    const wasGood = this.#good.delete(token);
    if (!wasGood) workspaces.refuse(token);
    if (this.#good.size === 0 && !workspaces.isIncomplete) this.#die(reason);
    else if (settings.more_bot_tokens.length > 0) host.log.warn({ reason }, uselessWords(wasGood));
  }
}

function uselessWords(wasGood: boolean): string {
  return `slack: one of the bot tokens is of no use${wasGood ? ' any more' : ''}, and is tried again later`;
}
