import type { Changes } from '../changes.ts';
import { Deliveries, EventPosts } from './deliveries.ts';
import type { ScaledTime } from './scaled-time.ts';
import { Sockets } from './sockets.ts';
import type { Installation } from './workspace-options.ts';

interface AppParts {
  readonly installation: Installation;
  readonly time: ScaledTime;
  readonly retryScale: number;
  readonly pingMs: number;
  readonly changes: Changes;
}

/** One app, in however many workspaces, and the ways by which it is told what happens there. */
export class SlackApp {
  readonly appId: string;
  readonly appToken: string;
  readonly sockets: Sockets;
  readonly deliveries: Deliveries;
  /** What the app's token is refused with. */
  revocation: string | undefined;
  readonly #signingSecret: string;
  readonly #time: ScaledTime;
  readonly #closing = new AbortController();

  constructor({ installation, time, retryScale, pingMs, changes }: AppParts) {
    this.appId = installation.appId;
    this.appToken = installation.appToken;
    this.#signingSecret = installation.signingSecret;
    this.#time = time;
    this.sockets = new Sockets({ appId: this.appId, time, pingMs, changes });
    this.deliveries = new Deliveries({ sockets: this.sockets, time, retryScale, changes });
  }

  /** The app's address, whether or not anything is delivered to it. */
  postsTo(url: string): EventPosts {
    return new EventPosts(url, this.#signingSecret, this.#time, this.#closing.signal);
  }

  /** From now on, everything goes to this address. Throws if it does not answer the challenge. */
  async deliverTo(url: string): Promise<void> {
    const posts = this.postsTo(url);
    await posts.verify();
    this.deliveries.posts = posts;
  }

  close(): Promise<void> {
    this.#closing.abort();
    return this.sockets.close();
  }
}
