import type { Origin } from '../../approval/approval.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { type Command, firstWord } from '../command.ts';
import { deviceChannel } from '../devices/device-accounts.ts';
import type { DeviceBook } from '../devices/device-book.ts';
import { codeWords, devicesReport } from '../devices/device-words.ts';
import type { CommandBook } from './command-book.ts';

/** What devices can be paired with, while the door for them is open. */
export interface DeviceDoor {
  readonly devices: DeviceBook;
  /** How long a code is good for, in milliseconds. */
  readonly codeLifetime: number;
  /** How many devices one person may have. */
  readonly most: number;
  readonly isOnline: (deviceId: string) => boolean;
  /** Told after somebody was given a code. */
  readonly codeGiven: () => void;
  /** Who may come in, or whose a session is, may be another matter than before: ends what may go on no longer. */
  readonly review: () => void;
}

export interface DeviceCommandDependencies {
  /** Undefined where the config has no door for devices. */
  readonly door: DeviceDoor | undefined;
  readonly accountsOf: (principal: string) => readonly string[];
  /** Whether a device of this account would be let in: one comes in for somebody who is known, not for everybody. */
  readonly mayBring: (principal: string) => boolean;
  /** Told that a conversation's run was ended by a person. */
  readonly stop: (conversationId: string) => void;
  readonly book: CommandBook;
  readonly clock: Clock;
}

/** 39 bits: the door takes few guesses. */
const codeLength = 8;
const longestName = 60;

/** Everybody's commands about his own devices. */
export class DeviceCommands {
  readonly #dependencies: DeviceCommandDependencies;

  constructor(dependencies: DeviceCommandDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether devices can be paired at all. */
  get isOpen(): boolean {
    return this.#dependencies.door !== undefined;
  }

  async obey(command: Command, origin: Origin): Promise<void> {
    const { door, book } = this.#dependencies;
    if (door === undefined) return book.answer(command, origin, noDoor);
    if (origin.conversation.kind === 'group') return book.answer(command, origin, notHere);
    if (command.name !== 'devices') return this.#offer(command, origin, door);
    const { word, rest } = firstWord(command.argument);
    if (word === 'revoke') return this.#revoke(firstWord(rest).word, command, origin, door);
    if (word !== '') return book.answer(command, origin, usage);
    return book.answer(command, origin, devicesReport(this.#own(origin, door), door.isOnline, this.#now()));
  }

  async #offer(command: Command, origin: Origin, door: DeviceDoor): Promise<void> {
    const { book, mayBring } = this.#dependencies;
    // Whoever has stolen a device should not be able to make more of it.
    if (origin.conversation.channel === deviceChannel) return book.answer(command, origin, notFromDevice);
    if (!mayBring(origin.principal)) return book.answer(command, origin, unknown(origin.principal));
    if (this.#own(origin, door).length >= door.most) return book.answer(command, origin, full(door.most));
    const name = oneLine(command.argument, longestName);
    const code = newId(codeLength);
    const offer = { code, expiresAt: this.#now() + door.codeLifetime, ...(name === '' ? {} : { name }) };
    const obeyed = await book.obey(command, origin, {
      effect: { type: 'offer-device', code: offer },
      words: () => codeWords(code, offer.name, door.codeLifetime),
    });
    if (obeyed.status === 'done') door.codeGiven();
  }

  async #revoke(id: string, command: Command, origin: Origin, door: DeviceDoor): Promise<void> {
    const { book, stop } = this.#dependencies;
    const device = this.#own(origin, door).find((own) => own.id === id.toLowerCase());
    if (device === undefined) return book.answer(command, origin, none);
    let ended: readonly string[] = [];
    await door.devices.revoke(device.id, async () => {
      const obeyed = await book.obey(command, origin, {
        effect: { type: 'revoke-device', id: device.id },
        words: (result) =>
          result.device === undefined ? none : `Revoked: **${escapeMarkdown(device.name)}** is cut off.`,
      });
      if (obeyed.status !== 'done') return undefined;
      ended = obeyed.ended ?? [];
      return obeyed.settled ?? [];
    });
    for (const conversationId of ended) stop(conversationId);
  }

  #own({ principal }: Origin, { devices }: DeviceDoor) {
    return devices.all(this.#dependencies.accountsOf(principal));
  }

  #now(): number {
    return this.#dependencies.clock.now();
  }
}

const noDoor =
  'No device can be paired: the gateway is off. The operator turns it on with `gateway.enabled` in my config.';
const notHere = 'Write that to me in a chat of our own: the code is not for a group to read.';
const notFromDevice = 'Ask for that in another chat, not on a device that was paired itself.';
const none = `You have no device with that id. ${inlineCode('/devices')} shows those that you have.`;
const usage = 'Say `/devices`, or `/devices revoke ID`.';

function unknown(principal: string): string {
  const [channel = '', id] = principal.split(/:(.*)/s);
  return [
    'You may talk with me because everybody may, and a device is let in only for somebody whom I know.',
    `An owner can let you in by your id: ${inlineCode(`"${id}"`)} in ${inlineCode(`channels.${channel}.allow_from`)} of my config. Then ask me again.`,
  ].join(' ');
}

function full(most: number): string {
  return `You have ${most} devices, which is as many as may be. End one first: ${inlineCode('/devices')} shows them.`;
}
