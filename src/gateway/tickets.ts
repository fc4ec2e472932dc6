import { randomBytes } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { Perishable } from '../lib/perishable.ts';
import { Remembered } from '../lib/remembered.ts';

/** How long a ticket is good for, in milliseconds. */
export const ticketLifetime = 30_000;

/** Of one device; a further one ends the oldest of its own. */
const mostTickets = 20;
const mostDevices = 10_000;

/** What lets a browser in, which can set no headers: good once, and not for long. */
export class Tickets {
  readonly #clock: Clock;
  /** By device: however many one asks for, those of another are left alone. */
  readonly #tickets = new Remembered<string, Perishable<string, true>>(mostDevices);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 192 bits, for the device. */
  issue(deviceId: string): string {
    const own = this.#tickets.get(deviceId) ?? new Perishable({ clock: this.#clock, most: mostTickets });
    const secret = randomBytes(24).toString('base64url');
    this.#tickets.set(deviceId, own);
    own.set(secret, true, ticketLifetime);
    return `${deviceId}.${secret}`;
  }

  /** Whose it is; undefined if it is good no more. Uses it up. */
  redeem(ticket: string): string | undefined {
    const [deviceId = '', secret = ''] = ticket.split('.');
    const own = this.#tickets.get(deviceId);
    const isGood = own?.get(secret) === true;
    own?.delete(secret);
    return isGood ? deviceId : undefined;
  }
}
