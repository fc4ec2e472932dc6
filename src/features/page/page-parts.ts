import type { Signal } from '../../lib/live.ts';
import type { PageCore } from './page-route.ts';
import type { BuildOutcome } from './server/build.ts';
import type { SignInTickets } from './tickets.ts';

/** What the page's server is made from. */
export interface PageParts extends PageCore {
  readonly tickets: SignInTickets;
  /** Somebody was given a link. */
  readonly issued: Signal<void>;
  /** The config was edited. */
  readonly edited: Signal<void>;
  /** Builds the page from its sources, if they are here and newer. Never rejects. */
  readonly build: () => Promise<BuildOutcome>;
}
