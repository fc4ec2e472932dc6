import type { ActiveFault, Fault, FaultRule } from '../support/telegram/faults.ts';
import type { TelegramServer } from '../support/telegram-server.ts';

interface Ingredient {
  readonly name: string;
  readonly fault: Fault;
  /** `*` if not set. */
  readonly method?: string;
  readonly when?: NonNullable<FaultRule['when']>;
  readonly times?: number;
}

/** Five kinds befall every request, and make one in five go wrong; the others come on top of that. */
const share = 1 / 5 / 5;

/** Makes at least one request in five go wrong, whatever it asks for, in ways that follow from the seed. */
export class FaultMix {
  readonly #telegram: TelegramServer;
  readonly #active: ReadonlyMap<string, ActiveFault>;

  /** No more polls than given hang: one that does is given up after 16 s only. */
  constructor(telegram: TelegramServer, seed: number, hangingPolls: number) {
    this.#telegram = telegram;
    // The rules are asked one after the other: what is left for the later ones is less, so they take more of it.
    this.#active = new Map(
      ingredients(hangingPolls).map(({ name, fault, method = '*', ...limits }, index) => {
        const probability = share / (1 - index * share);
        return [name, telegram.fault({ ...fault, ...limits, method, probability, seed: seed + index })];
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
    const reset = this.#telegram.callsOf('sendMessage').filter(({ fault }) => fault === 'drop-after').length;
    return reset + (this.#active.get(sentAndSilent)?.fired ?? 0);
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
    { name: 'no answer', fault: { kind: 'hang' }, when: (params) => !isPoll(params) },
    { name: sentAndSilent, fault: { kind: 'hang', done: true }, method: 'sendMessage' },
    { name: 'no answer to a poll', fault: { kind: 'hang' }, method: 'getUpdates', times: hangingPolls },
  ];
}

function isPoll(params: Readonly<Record<string, unknown>>): boolean {
  return 'allowed_updates' in params;
}
