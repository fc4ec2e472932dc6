/** What any of the fake platforms can do to a request. */
export type NetworkFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: '429'; readonly retryAfter: number }
  | { readonly kind: 'drop-before' }
  | { readonly kind: 'drop-after' }
  | { readonly kind: 'hang'; readonly done?: boolean }
  | { readonly kind: 'html' };

/** Which requests it befalls. */
export type Aim = 'all' | 'sends' | 'polls';

export interface MixedFault {
  readonly fault: NetworkFault;
  readonly aim: Aim;
  /** How likely, from 0 to 1. */
  readonly probability: number;
  readonly seed: number;
  /** How often at most. */
  readonly times?: number;
}

/** A fake platform that does it. */
export interface FaultyServer {
  /** Says how often it has happened. */
  fault(mixed: MixedFault): { readonly fired: number };
  /** How many messages were shown, and the connection was reset before the bot was told so. */
  resetAfterSending(): number;
}

interface Ingredient {
  readonly name: string;
  readonly fault: NetworkFault;
  readonly aim?: Aim;
  readonly times?: number;
}

/** Five kinds befall every request, and make one in five go wrong; the others come on top of that. */
const share = 1 / 5 / 5;

/** Makes at least one request in five go wrong, whatever it asks for, in ways that follow from the seed. */
export class FaultMix {
  readonly #server: FaultyServer;
  readonly #active: ReadonlyMap<string, { readonly fired: number }>;

  /** No more polls than given hang: one that does is given up after 16 s only. */
  constructor(server: FaultyServer, seed: number, hangingPolls: number) {
    this.#server = server;
    // The rules are asked one after the other: what is left for the later ones is less, so they take more of it.
    this.#active = new Map(
      ingredients(hangingPolls).map(({ name, fault, aim = 'all', ...limits }, index) => {
        const probability = share / (1 - index * share);
        return [name, server.fault({ fault, aim, ...limits, probability, seed: seed + index })];
      }),
    );
  }

  /** How many requests went wrong. */
  get total(): number {
    return [...this.#active.values()].reduce((sum, { fired }) => sum + fired, 0);
  }

  /** How many requests went wrong in each way. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#active].map(([name, { fired }]) => [name, fired]));
  }

  /** The messages that are shown in a chat though the bot was not told so. */
  lostAnswers(): number {
    return this.#server.resetAfterSending() + (this.#active.get(sentAndSilent)?.fired ?? 0);
  }
}

const sentAndSilent = 'sent, no answer';

function ingredients(hangingPolls: number): readonly Ingredient[] {
  return [
    { name: '429', fault: { kind: '429', retryAfter: 1 } },
    { name: '500', fault: { kind: 'status', status: 500 } },
    { name: 'reset before', fault: { kind: 'drop-before' } },
    { name: 'reset after', fault: { kind: 'drop-after' } },
    { name: 'page of HTML', fault: { kind: 'html' } },
    { name: 'no answer', fault: { kind: 'hang' } },
    { name: sentAndSilent, fault: { kind: 'hang', done: true }, aim: 'sends' },
    { name: 'no answer to a poll', fault: { kind: 'hang' }, aim: 'polls', times: hangingPolls },
  ];
}
