import type { ChannelHost } from '../../../src/contract.ts';
import { endsWithin } from '../../../src/lib/ends-within.ts';
import type { SlackSettings } from '../settings.ts';
import type { SlackApi } from '../web-api/api.ts';
import type { Workspace, Workspaces } from '../workspaces.ts';
import { Deliveries } from './deliveries.ts';
import { HttpDoor } from './http-door.ts';
import { Link } from './link.ts';
import { Preflight } from './preflight.ts';
import type { Reception } from './reception.ts';
import type { Setback } from './setback.ts';
import { Socket } from './socket.ts';
import { Sockets } from './sockets.ts';
import { TokenWatch } from './token-watch.ts';

export interface ConnectionDependencies {
  readonly settings: SlackSettings;
  readonly host: ChannelHost;
  readonly workspaces: Workspaces;
  readonly reception: Reception;
  readonly apiFor: (token: string) => SlackApi;
  /** Resolves once what came is stored, with whether there was anything to store. Throws if it was not stored. */
  readonly take: (body: unknown) => Promise<boolean>;
}

/** How long what is being stored when the connection ends may take, in milliseconds. */
const lastPatience = 1_000;

/**
 * One session with Slack: looks at the tokens, then receives, over sockets or by requests. What it cannot do now it tries
 * for ever; only what the operator must mend ends it.
 */
export class Connection {
  readonly #dependencies: ConnectionDependencies;
  readonly #deliveries: Deliveries;
  readonly #link: Link;
  readonly #preflight: Preflight;
  readonly #watch: TokenWatch;
  readonly #ending = new AbortController();
  #lastReason = '';
  /** One token at least is good: a former session's knowledge of it does not count. */
  #isReceiving = false;

  constructor(dependencies: ConnectionDependencies) {
    const { host, workspaces, reception, apiFor, take } = dependencies;
    const { log } = host;
    this.#dependencies = dependencies;
    this.#link = new Link({ host, reception, account: () => accountOf(workspaces) });
    this.#deliveries = new Deliveries({ take, workspaces, reception, link: this.#link, log });
    this.#preflight = new Preflight({
      apiFor,
      workspaces,
      onSetback: (setback) => this.#meet(setback),
      clock: host.clock,
      log,
    });
    this.#watch = new TokenWatch({ apiFor, clock: host.clock, onLost: (...lost) => this.#lose(...lost) });
  }

  /** Receives until `stop` is called or Slack shuts us out. */
  async run(): Promise<void> {
    const { settings, host } = this.#dependencies;
    const { signal } = this.#ending;
    host.reportHealth({ status: 'connecting' });
    await this.#deliveries.app.init();
    const tokens = new Set([settings.bot_token, ...settings.more_bot_tokens]);
    const lessons = [...tokens].map((token) => this.#learn(token, signal));
    const isKnown = await this.#link.accompany(anySucceeds(lessons), signal);
    if (signal.aborted) return;
    if (!isKnown) {
      this.#link.die(this.#lastReason);
      return;
    }
    this.#isReceiving = true;
    const over = new AbortController();
    const watching = this.#watch.run(AbortSignal.any([signal, over.signal]));
    await Promise.all([this.#receive(signal), ...lessons]);
    over.abort();
    await watching;
  }

  /** Slack has refused a bot token for something: it is found out whether it still holds. Returns at once. */
  doubt(): void {
    this.#watch.doubt();
  }

  /** Takes what Slack has not delivered, as if it had. Resolves once it is stored; throws if it was not. */
  async take(body: unknown): Promise<void> {
    await this.#deliveries.take(body);
  }

  /** What is being stored is stored and acknowledged, if that takes no longer than a second. Nothing new is taken. */
  async stop(): Promise<void> {
    const { clock } = this.#dependencies.host;
    await endsWithin(this.#deliveries.end(), { clock, milliseconds: lastPatience });
    this.#ending.abort();
  }

  async #learn(token: string, signal: AbortSignal): Promise<Workspace | undefined> {
    const workspace = await this.#preflight.learn(token, signal);
    if (workspace !== undefined) this.#watch.add(token);
    return workspace;
  }

  /** While another workspace works, one that does not is nothing that concerns the whole channel. */
  #meet({ reason, isFinal }: Setback): void {
    const { settings, host } = this.#dependencies;
    this.#lastReason = reason;
    if (!this.#isReceiving) this.#link.fail(reason);
    const isOneOfSeveral = settings.more_bot_tokens.length > 0;
    if (isOneOfSeveral && isFinal) host.log.warn({ reason }, 'slack: one of the bot tokens is of no use');
  }

  /** The last one that was good ends everything: nothing would come in any more. */
  #lose({ reason }: Setback, left: number): void {
    const { workspaces, host } = this.#dependencies;
    if (left > 0 || workspaces.isIncomplete) {
      host.log.warn({ reason }, 'slack: one of the bot tokens is of no use any more');
      return;
    }
    this.#link.die(reason);
    this.#ending.abort();
  }

  #receive(signal: AbortSignal): Promise<void> {
    const { settings, host, workspaces } = this.#dependencies;
    const { app_token: appToken, api_url: apiUrl, request_timeout_secs: requestTimeoutSecs } = settings;
    const { app } = this.#deliveries;
    const link = this.#link;
    switch (settings.mode) {
      case 'http': {
        const { http, signing_secret: signingSecret } = settings;
        return new HttpDoor({ app, signingSecret, http, link, host }).run(signal);
      }
      case 'socket': {
        const { clock, log } = host;
        const onHeard = (): void => link.heard(clock.now());
        const connect = (): Socket => new Socket({ app, appToken, apiUrl, requestTimeoutSecs, onHeard, clock, log });
        const appId = workspaces.find()?.appId;
        return new Sockets({ connect, count: settings.sockets, appId, link, host }).run(signal);
      }
    }
  }
}

/** Whether one of them brings something. Resolves as soon as one does. */
async function anySucceeds(lessons: readonly Promise<unknown>[]): Promise<boolean> {
  const successes = lessons.map(async (lesson) => {
    if ((await lesson) === undefined) throw new Error('This token is of no use.');
  });
  return Promise.any(successes).then(
    () => true,
    () => false,
  );
}

function accountOf({ all }: Workspaces): string {
  return all.map(({ botName, name }) => `@${botName} in ${name}`).join(', ');
}
