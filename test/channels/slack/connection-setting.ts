import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { type Gap, Reception } from '../../../channels/kit/reception.ts';
import { SlackApi } from '../../../channels/slack/api.ts';
import { Connection } from '../../../channels/slack/connection.ts';
import { settings } from '../../../channels/slack/settings.ts';
import { Workspaces } from '../../../channels/slack/workspaces.ts';
import type { Delivery } from '../../../packages/fakes/src/slack/deliveries.ts';
import { SlackServer } from '../../../packages/fakes/src/slack-server.ts';
import { directNetwork } from '../../../src/contract.ts';
import { Background } from '../../../src/lib/background.ts';
import type { Language } from '../../../src/lib/words.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';

const saidShape = z.object({ event: z.object({ text: z.string() }) });

/** What the host knows before. */
interface Known {
  readonly heardAt?: number | undefined;
  readonly language?: Language | undefined;
}

/** A connection to a fake Slack, and what it has brought. */
export class ConnectionSetting {
  readonly slack: SlackServer;
  readonly host = new RecordingHost();
  readonly workspaces = new Workspaces();
  readonly bodies: unknown[] = [];
  readonly gaps: Gap[] = [];
  readonly connection: Connection;
  readonly running: Promise<void>;
  store: () => Promise<void> = async () => {};
  /** Whether there is anything to store in what comes. */
  holdsAnything = true;
  /** Whether something that came is being stored. */
  isWaiting = false;

  constructor(slack: SlackServer, overrides: object, { heardAt, language = 'en' }: Known = {}) {
    this.slack = slack;
    this.host.language = language;
    if (heardAt !== undefined) this.host.leftAt = heardAt;
    const checked = settings.parse({
      enabled: true,
      bot_token: slack.botToken,
      app_token: slack.appToken,
      api_url: slack.apiUrl,
      request_timeout_secs: 2,
      ...overrides,
    });
    this.connection = new Connection({
      network: directNetwork,
      settings: checked,
      host: this.host,
      workspaces: this.workspaces,
      ending: new AbortController(),
      reception: new Reception({
        ...{ channel: 'slack', platform: 'Slack', host: this.host, keptFor: 300_000, former: undefined },
        account: () => this.workspaces.all.map(({ botName, name }) => `@${botName} in ${name}`).join(', '),
        look: async (gap) => this.gaps.push(gap) > 0,
        background: new Background(this.host.log),
        signal: new AbortController().signal,
      }),
      apiFor: (token) =>
        new SlackApi({
          token,
          apiUrl: checked.api_url,
          requestTimeoutSecs: checked.request_timeout_secs,
        }),
      take: async (body) => {
        this.isWaiting = true;
        await this.store();
        this.isWaiting = false;
        this.bodies.push(body);
        return this.holdsAnything;
      },
    });
    this.running = this.connection.run();
  }

  /** Says it in the direct conversation with the bot. */
  say(text: string): Delivery {
    const [delivery] = this.slack.say(this.slack.home.addDirect('U00000001'), text).deliveries;
    if (delivery === undefined) throw new Error('Slack tells nobody of it.');
    return delivery;
  }

  /** What people have said in messages, in the order in which it came. */
  get heard(): readonly string[] {
    return this.bodies.flatMap((body) => saidShape.safeParse(body).data?.event.text ?? []);
  }

  get reason(): string {
    return this.host.health?.reason ?? '';
  }

  /** Resolves when so many sockets are open. Time passes faster meanwhile. */
  async has(count: number): Promise<void> {
    await this.until(() => this.slack.sockets.count === count, `${count} sockets`);
  }

  /** Waits while time passes faster. */
  async until(look: () => boolean, what: string): Promise<void> {
    const describe = (): string => JSON.stringify([this.host.healths, this.host.logged]);
    await waitUntil(look, { what, describe, meanwhile: () => this.host.clock.advance(2_000) });
  }
}

/** Both are closed when the test is over. The settings may depend on the server, which can be told to fail before. */
export async function connectionSetting(
  overrides: object | ((slack: SlackServer) => object) = {},
  { heardAt, language, ...options }: Parameters<typeof SlackServer.start>[0] & Known = {},
): Promise<ConnectionSetting> {
  const slack = await SlackServer.start({ timeScale: 0.1, pingMs: 20, ...options });
  onTestFinished(() => slack.close());
  const setting = new ConnectionSetting(slack, typeof overrides === 'function' ? overrides(slack) : overrides, {
    heardAt,
    language,
  });
  onTestFinished(async () => {
    await setting.connection.stop();
    await setting.running;
  });
  return setting;
}

/** The settings with which the second workspace is used too. */
export function withSecond({ workspaces }: SlackServer): object {
  return { more_bot_tokens: workspaces.slice(1).map(({ installation }) => installation.botToken) };
}
