/*
 * Tells pages that something has changed, so that they ask again: topics, never what has changed. A person hears only of
 * what they may see. A hint that is lost costs nothing: a page asks for all again when it is back.
 */

import type { WebClient } from '../../feature-points.ts';
import { Background } from '../../lib/background.ts';
import type { TelemetryEvent } from '../../telemetry.ts';
import type { PageParts } from './page-parts.ts';
import { partsTaken } from './tables.ts';

/** Something has changed. Who takes part in the conversation may know, and owners; without one, owners alone. */
interface Hint {
  readonly topic: string;
  readonly conversationId?: string;
  /** Who decides what others ask may know, too. */
  readonly isForApprovers?: true;
  /** The person whom it is about may know, too. */
  readonly subject?: string;
}

export interface ChangesCore extends Pick<PageParts, 'clock' | 'log'> {
  readonly telemetry: Pick<PageParts['telemetry'], 'listen'>;
  readonly health: Pick<PageParts['health'], 'listen'>;
  readonly edited: Pick<PageParts['edited'], 'listen'>;
  readonly database: Pick<PageParts['database'], 'sql'>;
  readonly owners: Pick<PageParts['owners'], 'isOwner'>;
  readonly accounts: Pick<PageParts['accounts'], 'accountsOf'>;
  readonly approvals: Pick<PageParts['approvals'], 'isApprover'>;
}

interface FollowerParts extends ChangesCore {
  readonly background: Background;
}

/** What follows at once is told together, in ms. */
const pause = 100;
/** In one frame. */
const mostTopics = 200;

/** Tells the client from now on, as long as it is there. Asked twice, it is told once. */
export function createChanges(core: ChangesCore): (client: WebClient) => void {
  const followed = new WeakSet<WebClient>();
  const parts: FollowerParts = { ...core, background: new Background(core.log) };
  return (client) => {
    if (followed.has(client) || client.gone.aborted) return;
    followed.add(client);
    const follower = new Follower(client, parts);
    const unlisten = [
      core.telemetry.listen((event) => follower.hear(hintsOf(event))),
      core.health.listen(() => follower.hear([{ topic: 'channels' }])),
      core.edited.listen(() => follower.hear([{ topic: 'settings' }])),
    ];
    client.gone.addEventListener('abort', () => {
      for (const leave of unlisten) leave();
      follower.end();
    });
    // From now on nothing is missed.
    client.send({ type: 'page_changed', topics: [] });
  };
}

/** One page, and what it has not been told yet. */
class Follower {
  readonly #client: WebClient;
  readonly #parts: FollowerParts;
  #pending = new Map<string, Hint>();
  #callOff: (() => void) | undefined;

  constructor(client: WebClient, parts: FollowerParts) {
    this.#client = client;
    this.#parts = parts;
  }

  hear(hints: readonly Hint[]): void {
    if (hints.length === 0) return;
    for (const hint of hints) this.#pending.set(`${hint.topic} ${hint.conversationId ?? ''}`, hint);
    if (this.#pending.size >= mostTopics) this.#tell();
    else this.#callOff ??= this.#parts.clock.after(pause, () => this.#tell());
  }

  end(): void {
    this.#callOff?.();
    this.#pending.clear();
  }

  #tell(): void {
    this.#callOff?.();
    this.#callOff = undefined;
    const hints = [...this.#pending.values()];
    this.#pending = new Map();
    this.#parts.background.run('a page could not be told what has changed', () =>
      tell(this.#client, hints, this.#parts),
    );
  }
}

/** Of two that are told at once, any may come first: each topic says all that its page needs. */
async function tell(client: WebClient, hints: readonly Hint[], core: ChangesCore): Promise<void> {
  const topics = await topicsFor(client.visitor.principal, hints, core);
  if (topics.length > 0 && !client.gone.aborted) client.send({ type: 'page_changed', topics: [...topics] });
}

/** Their rights of now count: what may have changed while something was read is asked for behind it. */
async function topicsFor(principal: string, hints: readonly Hint[], core: ChangesCore): Promise<readonly string[]> {
  const own = core.owners.isOwner(principal) ? undefined : await ownPlaces(principal, hints, core);
  if (core.owners.isOwner(principal)) return [...new Set(hints.map(({ topic }) => topic))];
  const accounts = core.accounts.accountsOf(principal);
  const isApprover = core.approvals.isApprover(principal);
  const seen = hints.filter(
    ({ conversationId, isForApprovers, subject }) =>
      (conversationId !== undefined && own?.has(conversationId)) ||
      (isForApprovers === true && isApprover) ||
      (subject !== undefined && accounts.includes(subject)),
  );
  return [...new Set(seen.map(({ topic }) => topic))];
}

function ownPlaces(
  principal: string,
  hints: readonly Hint[],
  { accounts, database }: ChangesCore,
): Promise<ReadonlySet<string>> {
  const places = new Set(hints.flatMap(({ conversationId }) => conversationId ?? []));
  return partsTaken(database.sql, [...places], accounts.accountsOf(principal));
}

function hintsOf(event: TelemetryEvent): readonly Hint[] {
  switch (event.type) {
    case 'message_received':
      return [ofConversation(event)];
    case 'run_began':
    case 'run_ended':
      return [{ topic: 'runs', conversationId: event.conversationId }, ofRun(event), ofConversation(event)];
    case 'model_asked':
      return event.runId === '' ? [] : [ofRun(event)];
    case 'call_ended':
      return [ofRun(event), ofConversation(event)];
    case 'approval_requested':
    case 'approval_decided':
      return [{ topic: 'waiting', conversationId: event.conversationId, isForApprovers: true }, ofConversation(event)];
    case 'rights_changed':
      return [{ topic: 'people', subject: event.subject }, { topic: 'waiting' }];
    case 'message_delivered': {
      const { conversationId, outcome } = event;
      const stuck: readonly Hint[] = outcome === 'sent' ? [] : [{ topic: 'waiting', conversationId }];
      return [ofConversation(event), ...stuck];
    }
  }
}

function ofConversation({ conversationId }: { readonly conversationId: string }): Hint {
  return { topic: `conversation:${conversationId}`, conversationId };
}

function ofRun({ runId, conversationId }: { readonly runId: string; readonly conversationId: string }): Hint {
  return { topic: `run:${runId}`, conversationId };
}
