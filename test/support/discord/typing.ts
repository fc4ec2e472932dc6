import type { Places } from './places.ts';
import { missingPermissions, Refusal } from './refusal.ts';
import { pathPart, type RouteRequest } from './route.ts';
import type { DiscordTimes } from './times.ts';

interface Dependencies {
  readonly places: Places;
  readonly times: DiscordTimes;
  readonly now: () => number;
}

/** Where people see that the bot is writing. */
export class Typing {
  readonly #dependencies: Dependencies;
  readonly #until = new Map<string, number>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  begin(request: RouteRequest): undefined {
    const { places, times, now } = this.#dependencies;
    const channel = places.visible(pathPart(request, 'channel'));
    if (channel.isClosed === true) throw new Refusal(403, 50007, 'Cannot send messages to this user');
    const needed = channel.thread === undefined ? 'SEND_MESSAGES' : 'SEND_MESSAGES_IN_THREADS';
    if (!places.allows(channel, [needed])) throw missingPermissions();
    this.#until.set(channel.id, now() + times.typing);
  }

  /** A message ends it. */
  end(channelId: string): void {
    this.#until.delete(channelId);
  }

  isShown(channelId: string): boolean {
    return (this.#until.get(channelId) ?? 0) > this.#dependencies.now();
  }
}
