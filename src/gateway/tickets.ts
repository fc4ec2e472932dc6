import { randomBytes } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import { Perishable } from '../lib/perishable.ts';

/** How long a ticket is good for, in milliseconds. */
export const ticketLifetime = 30_000;

const mostTickets = 1000;

/** What lets a browser in, which can set no headers: good once, and not for long. */
export class Tickets {
  readonly #tickets: Perishable<string, string>;

  constructor(clock: Clock) {
    this.#tickets = new Perishable({ clock, most: mostTickets });
  }

  /** 192 bits, for the device. */
  issue(deviceId: string): string {
    const ticket = randomBytes(24).toString('base64url');
    this.#tickets.set(ticket, deviceId, ticketLifetime);
    return ticket;
  }

  /** Whose it is; undefined if it is good no more. Uses it up. */
  redeem(ticket: string): string | undefined {
    const deviceId = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    return deviceId;
  }
}
