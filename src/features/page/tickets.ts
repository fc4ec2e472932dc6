import type { Acquaintance } from '../../conversation/access/access.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { Perishable } from '../../lib/remembered.ts';

/** How long a ticket is good, in ms. */
export const ticketLifetime = 600_000;

/** 196 bits. */
const ticketLength = 40;
/** What stands before a ticket in an address. */
export const beforeTicket = '#ticket=';
/** Of texts that were cut, the beginning: too long for anybody to find out a ticket by guessing at what is hidden. */
const ticketInText = new RegExp(`${beforeTicket}(\\w{10,${ticketLength}})`, 'g');
/** More at a time end the oldest: of one person, and of all. */
const mostOfPerson = 10;
const most = 500;

/** Somebody who is given a link. */
export interface Invited extends Acquaintance {
  /** Where they are given it: there they are told that it was used. */
  readonly conversationId?: string;
  /** The browser that asked for it, for another one: with it, the link ends. */
  readonly deviceId?: string;
}

interface Ticket {
  readonly code: string;
  readonly person: Invited;
}

/** What signs a person in, once, for ten minutes. In memory alone: a restart ends them all. */
export class SignInTickets {
  readonly #tickets: Perishable<string, Ticket>;

  constructor(clock: Clock) {
    this.#tickets = new Perishable({ clock, most });
  }

  issue(person: Invited): string {
    const theirs = this.#tickets.values().filter((ticket) => ticket.person.principal === person.principal);
    for (const { code } of theirs.slice(0, Math.max(0, theirs.length - mostOfPerson + 1))) this.#tickets.delete(code);
    const code = newId(ticketLength);
    this.#tickets.set(code, { code, person }, ticketLifetime);
    return code;
  }

  /** Whom it signs in. It is used up. */
  redeem(code: string): Invited | undefined {
    const ticket = this.#tickets.get(code);
    this.#tickets.delete(code);
    return ticket?.person;
  }

  /** The text without what signs anybody in, as it must be shown to those who have got in themselves. */
  hiddenIn(text: string): string {
    const codes = this.#tickets.values().map(({ code }) => code);
    if (codes.length === 0) return text;
    const begun = text.replaceAll(ticketInText, (link, begins: string) =>
      codes.some((code) => code.startsWith(begins)) ? `${beforeTicket}…` : link,
    );
    return codes.reduce((hidden, code) => hidden.replaceAll(code, '…'), begun);
  }
}
