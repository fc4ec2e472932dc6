import { noticeTo, type Origin } from '../../engine/message.ts';
import { laneOf } from '../../engine/outbox.ts';
import type { Strangers } from '../../engine/receive.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { inlineCode } from '../../lib/plain-text.ts';
import { Remembered } from '../../lib/remembered.ts';
import type { PeopleStore } from '../people-store.ts';
import { groupNames } from './access.ts';
import { strangerWords } from './people.ts';

export interface PairingSettings {
  /** How long a code is good for, in milliseconds. */
  readonly lifetime: number;
  /** How many codes may be open at a time. */
  readonly most: number;
}

export interface PairingDependencies {
  readonly store: Pick<PeopleStore, 'knock' | 'hint'>;
  /** Undefined where strangers are given no codes, now. */
  readonly pairing: () => PairingSettings | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
}

/** Everybody is told once an hour what they may not do. */
const again = 3_600_000;

const rememberedStrangers = 1000;

/** 30 letters and digits that nobody mixes up: 39 bits. */
const codeLength = 8;

/** Tells people why they are not heard. Nothing of what they wrote is kept. */
export class Pairing implements Strangers {
  readonly #dependencies: PairingDependencies;
  /** Conversations in which programs are not heard. */
  readonly #unheard = new Set<string>();
  /** When each stranger was last told that they may not talk in a group. */
  readonly #turnedAway = new Remembered<string, number>(rememberedStrangers);

  constructor(dependencies: PairingDependencies) {
    this.#dependencies = dependencies;
  }

  /** Answers a stranger who writes directly, with a code if they may have one. */
  async refuse(origin: Origin): Promise<void> {
    const { store, pairing, clock, log, deliver } = this.#dependencies;
    const now = clock.now();
    const settings = pairing();
    const knocked = await store.knock({
      origin,
      ...(settings === undefined
        ? {}
        : { offer: { code: newId(codeLength), expiresAt: now + settings.lifetime, most: settings.most } }),
      words: (given) => noticeTo(origin, strangerWords(origin.principal, given, now)),
      at: now,
      again,
    });
    if (knocked === 'silent') return;
    log.info({ principal: origin.principal, hasCode: knocked === 'given-code' }, 'a stranger was refused');
    deliver([origin.conversationId]);
  }

  /** Tells somebody who may talk here that they may not command here. */
  async refuseCommand(origin: Origin): Promise<void> {
    const words = 'You may talk with me here, but not give me commands, other than `/help` and `/status`.';
    await this.#hint(`command ${origin.principal}`, origin, words);
  }

  /** Tells an owner how to let the group in. */
  async explainGroup(origin: Origin): Promise<void> {
    const { channel } = origin.conversation;
    const [name] = groupNames(origin.conversation);
    const place = inlineCode(`channels.${channel}.groups`);
    const entry = inlineCode(`${JSON.stringify(name)}: { "require_mention": true }`);
    const words = `This group is not in my config, so I say nothing here. To let me in, add ${entry} to ${place} and start me again.`;
    await this.#hint(`group ${laneOf(origin.conversationId)}`, origin, words);
  }

  /** What to say to a stranger who has called us in a group, if nobody else reads it; undefined where they know. */
  turnAway({ principal }: Origin): string | undefined {
    const now = this.#dependencies.clock.now();
    const toldAt = this.#turnedAway.get(principal);
    if (toldAt !== undefined && now - toldAt < again) return undefined;
    this.#turnedAway.set(principal, now);
    return `You may not talk with me here. An owner can let you in: your id is ${inlineCode(principal)}.`;
  }

  /** A program has spoken, and was heard or not. That it is not is said once in the log, until it is heard again. */
  noteProgram({ conversationId }: Origin, isHeard: boolean): void {
    if (isHeard) this.#unheard.delete(conversationId);
    if (isHeard || this.#unheard.has(conversationId)) return;
    this.#unheard.add(conversationId);
    const message = 'programs are not heard here until a person speaks: they have talked with nobody else';
    this.#dependencies.log.info({ conversation: conversationId }, message);
  }

  async #hint(subject: string, origin: Origin, words: string): Promise<void> {
    const { store, clock, deliver } = this.#dependencies;
    const hint = { subject, origin, message: noticeTo(origin, words), at: clock.now(), again };
    if (await store.hint(hint)) deliver([origin.conversationId]);
  }
}
