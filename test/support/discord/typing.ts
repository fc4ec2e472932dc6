import type { Places } from './places.ts';
import { missingPermissions, Refusal } from './refusal.ts';
import { pathPart, type RouteRequest } from './route.ts';

interface Dependencies {
  readonly places: Places;
}

/** Where the bot may say that it is writing. */
export class Typing {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  begin(request: RouteRequest): undefined {
    const { places } = this.#dependencies;
    const channel = places.visible(pathPart(request, 'channel'));
    if (channel.isClosed === true) throw new Refusal(403, 50007, 'Cannot send messages to this user');
    const needed = channel.thread === undefined ? 'SEND_MESSAGES' : 'SEND_MESSAGES_IN_THREADS';
    if (!places.allows(channel, [needed])) throw missingPermissions();
    return undefined;
  }
}
