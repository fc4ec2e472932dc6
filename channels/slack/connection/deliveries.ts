import type { ReceiverEvent } from '@slack/bolt';
import { App, AuthorizationError } from '@slack/bolt';
import type { Log } from '../../../src/lib/log.ts';
import type { Workspaces } from '../workspaces.ts';
import { boltLogger } from './bolt-logger.ts';
import type { Link } from './link.ts';
import type { Reception } from './reception.ts';

export interface DeliveryDependencies {
  /** Resolves once what came is stored, with whether there was anything to store. Throws if it was not stored. */
  readonly take: (body: unknown) => Promise<boolean>;
  readonly workspaces: Workspaces;
  readonly reception: Reception;
  /** Is told whether what comes in can be stored. */
  readonly link: Link;
  readonly log: Log;
}

/**
 * Bolt's app, turned round: left alone it acknowledges an event before anybody has seen it. Here the receivers' events go
 * through it first, and Slack hears of it when what came is stored. What was not stored is not acknowledged, so that
 * Slack delivers it again.
 */
export class Deliveries {
  readonly app: App;
  readonly #dependencies: DeliveryDependencies;
  readonly #underWay = new Set<Promise<void>>();
  /** What has come as far as to us, so that what Bolt stumbles over before that can be told from it. */
  readonly #reached = new WeakSet<object>();
  #isOver = false;

  constructor(dependencies: DeliveryDependencies) {
    this.#dependencies = dependencies;
    this.app = this.#makeApp();
    const process = this.app.processEvent.bind(this.app);
    this.app.processEvent = (event) => this.#watch(this.#deliver(event, process));
  }

  /** From now on nothing is taken, and so nothing acknowledged. Resolves when what was being stored is stored. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#underWay);
  }

  /** Takes what Slack has not delivered, as if it had. Resolves once it is stored; throws if it was not. */
  async take(body: unknown): Promise<void> {
    const { take, reception, link, log } = this.#dependencies;
    const arriving = reception.begin();
    try {
      if (await take(body)) link.stored(arriving);
      else reception.ignored(arriving);
    } catch (error) {
      log.error({ err: error }, 'an event of Slack was not stored: it is not acknowledged');
      link.refused(arriving);
      throw error;
    }
  }

  #makeApp(): App {
    const { workspaces, log } = this.#dependencies;
    const app = new App({
      // Connections come and go, each with a receiver of its own.
      receiver: { init() {}, start: async () => {}, stop: async () => {} },
      authorize: async ({ teamId }) => {
        const workspace = workspaces.find(teamId);
        if (workspace !== undefined) return { botId: workspace.botId, botUserId: workspace.botUserId };
        if (workspaces.isIncomplete) throw new Error(`The team ${teamId} is not known yet.`);
        return {};
      },
      deferInitialization: true,
      convoStore: false,
      ignoreSelf: false,
      attachFunctionToken: false,
      logger: boltLogger(log),
    });
    app.use(async ({ body, next }) => {
      this.#reached.add(body);
      await this.take(body);
      await next();
    });
    // What fails must reach the receiver: Bolt would call it handled.
    app.error(async (error) => {
      throw error;
    });
    return app;
  }

  async #deliver(event: ReceiverEvent, process: (event: ReceiverEvent) => Promise<void>): Promise<void> {
    if (this.#isOver) throw new Error('The connection is being closed.');
    await this.#process({ ...event, ack: async () => {} }, process);
    await event.ack();
  }

  async #process(event: ReceiverEvent, process: (event: ReceiverEvent) => Promise<void>): Promise<void> {
    const { log } = this.#dependencies;
    try {
      await process(event);
    } catch (error) {
      if (this.#reached.has(event.body) || error instanceof AuthorizationError) throw error;
      // Bolt expects more of a payload than we do.
      log.warn({ err: error }, 'Bolt could not read an event of Slack: it is taken as it stands');
      await this.take(event.body);
    }
  }

  #watch(delivery: Promise<void>): Promise<void> {
    const watched = delivery.finally(() => this.#underWay.delete(watched));
    this.#underWay.add(watched);
    return watched;
  }
}
