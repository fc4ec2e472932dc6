import type { FeatureCore, Refused } from '../../feature-points.ts';
import type { Signal } from '../../lib/live.ts';
import { pageSettings } from './settings.ts';
import { beforeTicket, type Invited, type SignInTickets, ticketLifetime } from './tickets.ts';
import { pageWords } from './words.ts';

/** A link that signs a person in. */
export interface SignInLinks {
  /** For this machine. */
  readonly here: string;
  /** For others, with the same ticket; undefined if they cannot reach it. */
  readonly elsewhere: string | undefined;
  /** The port of the config, which another program has. */
  readonly instead: number | undefined;
  /** In ms since 1970. */
  readonly goodUntil: number;
}

export interface LinkParts extends Pick<FeatureCore, 'webDoor' | 'clock' | 'settings'> {
  readonly tickets: SignInTickets;
  /** Somebody was given a link. */
  readonly issued: Signal<void>;
}

/** Opens the door, if it is closed, and makes a link for the person. */
export async function linksFor(person: Invited, parts: LinkParts): Promise<SignInLinks | Refused> {
  const { webDoor, clock, settings, tickets, issued } = parts;
  if (!settings(pageSettings).page.enabled) return { refusal: (language) => pageWords[language].isOff };
  const places = await webDoor.open();
  if ('refusal' in places) return places;
  const ticket = tickets.issue(person);
  issued.tell();
  const { here, elsewhere, instead } = places;
  return {
    here: linkTo(here, ticket),
    elsewhere: elsewhere === undefined ? undefined : linkTo(elsewhere, ticket),
    instead,
    goodUntil: clock.now() + ticketLifetime,
  };
}

/** Behind `#`: browsers send it to nobody, and what shows previews of links does not use it up. */
function linkTo(origin: string, ticket: string): string {
  return `${origin}/${beforeTicket}${ticket}`;
}
