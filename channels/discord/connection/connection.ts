import type { ChannelHost } from '../../../src/contract.ts';
import { Background } from '../../../src/lib/background.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { DiscordIntake } from '../incoming/intake.ts';
import type { Known } from '../incoming/known.ts';
import type { DiscordSelf } from '../incoming/sender.ts';
import type { Interactions } from '../interactions.ts';
import { registerCommands } from '../register-commands.ts';
import type { DiscordSettings } from '../settings.ts';
import type { DiscordApi } from '../web-api/api.ts';
import { inviteLink } from '../web-api/invite.ts';
import type { Continuity } from './continuity.ts';
import { Gateway } from './gateway.ts';
import { Link } from './link.ts';
import { Missed } from './missed.ts';
import type { BotIdentity } from './preflight.ts';
import { Reception } from './reception.ts';

export interface ConnectionDependencies {
  readonly settings: DiscordSettings;
  readonly host: ChannelHost;
  readonly api: DiscordApi;
  readonly continuity: Continuity;
  readonly interactions: Interactions;
  readonly known: Known;
}

/** From one start to the next stop: receives, looks for what was missed, and has the commands offered. */
export class Connection {
  readonly #dependencies: ConnectionDependencies;
  readonly #background: Background;
  readonly #intake: DiscordIntake;
  readonly #missed: Missed;
  readonly #ending = new AbortController();
  #bot: BotIdentity | undefined;
  #hasBegun = false;

  /** Begins to connect. */
  constructor(dependencies: ConnectionDependencies) {
    const { settings, host, api, continuity, interactions, known } = dependencies;
    const { signal } = this.#ending;
    this.#dependencies = dependencies;
    this.#background = new Background(host.log);
    this.#intake = new DiscordIntake({ api, host, interactions, known, self: () => this.#self(), signal });
    const needsRoles = namesRoles(settings);
    this.#missed = new Missed({ api, host, continuity, intake: this.#intake, needsRoles, signal });
    this.#background.run('receiving has ended by a fault', () => this.#receive(signal));
  }

  get clock(): Clock {
    return this.#dependencies.host.clock;
  }

  /** Undefined until the bot is known. */
  get applicationId(): string | undefined {
    return this.#bot?.applicationId;
  }

  /** Resolves when nothing of it is left. What was not stored by then comes again. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#background.settled();
    await this.#intake.settled();
  }

  async #receive(signal: AbortSignal): Promise<void> {
    const { settings, host, api, continuity } = this.#dependencies;
    const link = new Link(host);
    const take = (event: string, data: unknown): Promise<void> => this.#intake.take(event, data);
    const isStuck = (): boolean => this.#intake.isStuck;
    const gateway = new Gateway({
      ...{ token: settings.token, api, host, continuity, link },
      reception: new Reception({ continuity, host, link, take, isStuck }),
      onKnown: (bot) => this.#know(bot, signal),
      onBegan: ({ guilds, heardAt }) => {
        if (guilds === 0) this.#invite();
        this.#hasBegun = true;
        this.#catchUp(heardAt ?? host.leftAt);
      },
      onResumed: () => this.#background.run(missedWords, () => this.#missed.goOn()),
    });
    await gateway.run(signal);
  }

  #know(bot: BotIdentity, signal: AbortSignal): void {
    const { settings, host, api } = this.#dependencies;
    const isNew = this.#bot === undefined;
    this.#bot = bot;
    if (!settings.register_commands || !isNew) return;
    const { clock, log } = host;
    const { applicationId } = bot;
    this.#background.run('the commands could not be registered', () =>
      registerCommands({ api, applicationId, clock, log, signal }),
    );
  }

  #invite(): void {
    if (this.#hasBegun) return;
    const invitation = inviteLink(this.#self().applicationId);
    this.#dependencies.host.log.warn(
      { invitation },
      'discord: the bot is in no server yet; open this address to let it in',
    );
  }

  #catchUp(since: number | undefined): void {
    if (since === undefined || !this.#dependencies.settings.backfill) return;
    this.#background.run(missedWords, () => this.#missed.look(since));
  }

  #self(): DiscordSelf {
    if (this.#bot === undefined) throw new Error('Nothing comes from Discord before the bot is known.');
    return { userId: this.#bot.id, applicationId: this.#bot.applicationId };
  }
}

const missedWords = 'what was said meanwhile could not be looked for';

/** Whether anybody may do something because of a role. */
function namesRoles({ allow_from, groups }: DiscordSettings): boolean {
  const lists = Object.values(groups).flatMap((group) => [...group.allow_from, ...group.commands_from]);
  return [...allow_from, ...lists].some((id) => id.startsWith('role:'));
}
