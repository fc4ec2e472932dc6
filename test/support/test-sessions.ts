import type { ChannelHealth, ChannelHost } from '../../src/contract.ts';

/** The starts and stops of a channel in memory. */
export class TestSessions {
  /** What it was given at each start, the oldest first. */
  readonly hosts: ChannelHost[] = [];
  /** Waited for at each start, before it is connected. */
  onStart: () => Promise<void> = async () => {};
  /** Waited for at each stop, before it is no longer connected. */
  onStop: () => Promise<void> = async () => {};

  /** What it tells of itself once it is started. */
  health: ChannelHealth = { status: 'connected' };

  async start(host: ChannelHost): Promise<void> {
    this.hosts.push(host);
    await this.onStart();
  }
}
