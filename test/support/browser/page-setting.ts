import { onTestFinished } from 'vitest';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../daemon-setting.ts';

export interface PageSettingOptions extends DaemonSettingOptions {
  /** Keys of `gateway`. */
  readonly gateway?: Readonly<Record<string, unknown>>;
  /** Whether time stands still until the test lets it pass. Otherwise it passes by itself, as browsers expect. */
  readonly standsStill?: boolean;
}

const tickMs = 20;

/** A whole daemon that shows its page: Ada is the owner, Bob a friend, and both talk on the test channel. */
export class PageSetting {
  readonly daemon: DaemonSetting;
  readonly #given = new Set<string>();

  constructor(daemon: DaemonSetting) {
    this.daemon = daemon;
  }

  /** A link as a person is given it in their own chat. */
  async link(by = 'ada'): Promise<URL> {
    const { channel } = this.daemon;
    await channel.say('/web', { by });
    const link = await channel.changes.waitFor(() => this.#newest(), {
      what: 'a link to the page',
      describe: () => channel.screen.map(({ text }) => text).join('\n'),
    });
    this.#given.add(link);
    return new URL(link);
  }

  #newest(): string | undefined {
    const links = this.daemon.channel.screen.flatMap(({ text }) => /https?:\S+#ticket=[\w-]+/.exec(text) ?? []);
    return links.find((link) => !this.#given.has(link));
  }

  /** Lets the daemon's time pass on, beyond what passes by itself. */
  passes(milliseconds: number): void {
    this.daemon.clock.advance(milliseconds);
  }
}

export async function pageSetting(options: PageSettingOptions = {}): Promise<PageSetting> {
  const { config = {}, gateway = {}, standsStill = false, allowFrom = ['bob'], ...rest } = options;
  const daemon = await daemonSetting({
    ...rest,
    allowFrom,
    config: { ...config, gateway: { port: 0, max_connections_per_person: 1000, ...gateway } },
  });
  if (!standsStill) {
    const timer = setInterval(() => daemon.clock.advance(tickMs), tickMs);
    onTestFinished(() => clearInterval(timer));
  }
  return new PageSetting(daemon);
}
