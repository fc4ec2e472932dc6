import type { Core } from '../../engine/feature.ts';
import { noticeTo, type Origin } from '../../engine/message.ts';
import { laneOf } from '../../engine/outbox.ts';
import type { Strangers } from '../../engine/receive.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode } from '../../lib/plain-text.ts';
import { Remembered } from '../../lib/remembered.ts';
import type { GivenCode, PeopleStore } from '../people-store.ts';
import { groupNames } from './access.ts';
import { strangerWords } from './people.ts';

export interface PairingSettings {
  /** How long a code is valid. In ms. */
  readonly lifetime: number;
  /** How many codes may be valid at a time. */
  readonly most: number;
}

interface PairingParts extends Pick<Core, 'clock' | 'log' | 'deliver'> {
  readonly store: Pick<PeopleStore, 'knock' | 'hint'>;
  /** Undefined while strangers get no codes. */
  readonly pairing: () => PairingSettings | undefined;
}

/** How often each of these messages is repeated. In ms. */
const again = 3_600_000;

const rememberedStrangers = 1000;

/** Of 30 letters and digits that nobody mixes up: 39 bits. */
const codeLength = 8;

/** Tells people why they are ignored. What they wrote is not kept. */
export function strangers({ store, pairing, clock, log, deliver }: PairingParts): Strangers {
  /** Conversations in which programs are ignored. */
  const unheard = new Set<string>();
  /** When each stranger was last told that they may not talk in a group. */
  const turnedAway = new Remembered<string, number>(rememberedStrangers);

  async function hint(subject: string, origin: Origin, words: string): Promise<void> {
    const message = noticeTo(origin, words);
    if (await store.hint({ subject, origin, message, at: clock.now(), again })) deliver([origin.conversationId]);
  }

  return {
    /** Offers a code if there are any to give. */
    async refuse(origin) {
      const now = clock.now();
      const settings = pairing();
      const offer = settings && {
        code: newId(codeLength),
        expiresAt: now + settings.lifetime,
        most: settings.most,
      };
      const words = (given: GivenCode | undefined) => noticeTo(origin, strangerWords(origin.principal, given, now));
      const knocked = await store.knock({ origin, offer, words, at: now, again });
      if (knocked === 'silent') return;
      log.info({ principal: origin.principal, hasCode: knocked === 'given-code' }, 'a stranger was refused');
      deliver([origin.conversationId]);
    },

    refuseCommand(origin) {
      const words = 'You may talk to me here, but `/help` and `/status` are the only commands for you.';
      return hint(`command ${origin.principal}`, origin, words);
    },

    explainGroup(origin) {
      const [name] = groupNames(origin.conversation);
      const place = inlineCode(`channels.${origin.conversation.channel}.groups`);
      const entry = inlineCode(`${JSON.stringify(name)}: { "require_mention": true }`);
      const words = `This group is not in my config, so I say nothing here. To let me in, add ${entry} to ${place} and start me again.`;
      return hint(`group ${laneOf(origin.conversationId)}`, origin, words);
    },

    turnAway({ principal }) {
      const now = clock.now();
      const toldAt = turnedAway.get(principal);
      if (toldAt !== undefined && now - toldAt < again) return undefined;
      turnedAway.set(principal, now);
      return `You may not talk to me here. An owner can let you in: your id is ${inlineCode(principal)}.`;
    },

    /** Logs once that a program is ignored, until one is accepted again. */
    noteProgram({ conversationId }, isHeard) {
      if (isHeard) unheard.delete(conversationId);
      if (isHeard || unheard.has(conversationId)) return;
      unheard.add(conversationId);
      const message = 'programs are not heard here until a person speaks: they have talked with nobody else';
      log.info({ conversation: conversationId }, message);
    },
  };
}
