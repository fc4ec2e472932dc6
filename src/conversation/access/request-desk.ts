/* Decides the requests to owners: by the buttons of their cards, and when their time is over. */

import { ChannelError } from '../../contract.ts';
import type { Origin } from '../../engine/message.ts';
import { Background } from '../../lib/background.ts';
import { type Signal, signal } from '../../lib/live.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { CommandEffects, Effect } from '../effects.ts';
import type { InboxStore } from '../inbox.ts';
import type { AskedGroup, GroupChoices } from './group-choices.ts';
import { parseRequestAction, type RequestAction } from './owner-requests.ts';
import type { PeopleStore } from './pairing.ts';
import { requestWords, strangerWords } from './words.ts';

/** Nobody is asked again about somebody who was refused, for so long. In ms. */
export const refusalLasts = 30 * 24 * 3_600_000;

interface DeskParts extends ConversationCore {
  readonly inbox: Pick<InboxStore, 'obey'>;
  readonly effects: Pick<CommandEffects, 'pair' | 'refuse' | 'chooseGroup'>;
  readonly store: Pick<PeopleStore, 'endLate'>;
  readonly paired: Set<string>;
  readonly groupChoices: GroupChoices;
}

export interface RequestDesk {
  /** Tell it when owners were asked something that ends by itself. */
  readonly asked: Signal<void>;
  /**
   * Handles a press of a card's button. Resolves with words for the person who pressed; undefined if the card says enough.
   * Returns undefined for the buttons of others.
   */
  press(origin: Origin, actionId: string): Promise<string | undefined> | undefined;
  /** Ends what is too old, now and later. */
  begin(): void;
  /** A channel is connected: groups that owners wanted to be left, and perhaps were not, are left soon. */
  connected(channel: string): void;
  stop(): Promise<void>;
}

interface Desk extends DeskParts {
  readonly background: Background;
  /** Calls off the end of the next request. */
  callOff: () => void;
  isOver: boolean;
  /** Calls off the leaving of groups, by channel. */
  readonly leaving: Map<string, () => void>;
  /** The requests whose groups this process has left. */
  readonly left: Set<string>;
}

export function createRequestDesk(parts: DeskParts): RequestDesk {
  const desk: Desk = {
    ...parts,
    background: new Background(parts.log),
    callOff: () => {},
    isOver: false,
    leaving: new Map(),
    left: new Set(),
  };
  const asked = signal<void>();
  asked.listen(() => endLateSoon(desk));
  return {
    asked,
    press(origin, actionId) {
      const action = parseRequestAction(actionId);
      return action && press(origin, action, desk);
    },
    begin: () => endLateSoon(desk),
    connected: (channel) => leaveSoon(channel, desk),
    async stop() {
      desk.isOver = true;
      desk.callOff();
      for (const callOff of desk.leaving.values()) callOff();
      await desk.background.settled();
    },
  };
}

async function press(origin: Origin, action: RequestAction, desk: Desk): Promise<string | undefined> {
  const words = requestWords[desk.readerOf(origin).language];
  if (!desk.owners.isOwner(origin.principal)) return words.toastOnlyOwners;
  return (await decide(origin, action, desk)) ? undefined : words.toastOver;
}

/** False if the request is over. */
function decide(origin: Origin, { requestId, verb }: RequestAction, desk: Desk): Promise<boolean> {
  const { effects, languages, clock } = desk;
  switch (verb) {
    case 'let-in': {
      const welcome = (principal: string): string => strangerWords[languages.of({ principal }).language].welcome;
      return apply(origin, effects.pair({ requestId }, welcome), desk, ({ principal }) => desk.paired.add(principal));
    }
    case 'refuse':
      return apply(origin, effects.refuse({ requestId }, clock.now() + refusalLasts), desk, () => {});
    case 'mentioned':
    case 'everything':
    case 'leave': {
      const effect = effects.chooseGroup({ of: { requestId }, choice: verb, isOpen: false });
      return apply(origin, effect, desk, (group) => chosen(group, desk));
    }
  }
}

/** An owner has chosen what to do in a group: it holds from here on. */
export function chosen(
  group: AskedGroup,
  {
    groupChoices,
    rightsChanged,
    adapters,
    log,
  }: Pick<DeskParts, 'groupChoices' | 'rightsChanged' | 'adapters' | 'log'>,
): void {
  groupChoices.note(group);
  rightsChanged.tell();
  if (group.choice !== 'leave') return;
  leave(group, adapters).catch((err: unknown) =>
    log.warn({ channel: group.channel, err }, 'a group could not be left, which is tried again; nothing is said there'),
  );
}

async function leave({ channel, tenant, chatId }: AskedGroup, adapters: DeskParts['adapters']): Promise<void> {
  await adapters.get(channel)?.leave?.({ channel, tenant, chatId, kind: 'group' });
}

/** What has happened meanwhile is heard before: somebody may have added the bot again. In ms. */
const hearingTime = 10_000;

/** So long after the choice, a group is left again at a start: the process may have died before it was. In ms. */
const leavingLasts = 7 * 24 * 3_600_000;

function leaveSoon(channel: string, desk: Desk): void {
  desk.leaving.get(channel)?.();
  const due = (): void => {
    desk.leaving.delete(channel);
    desk.background.run('groups could not be left', () => leaveAgain(channel, desk));
  };
  desk.leaving.set(channel, desk.clock.after(hearingTime, due));
}

/** Leaving twice is no error. What fails is tried again with the next connection. */
async function leaveAgain(channel: string, { groupChoices, adapters, clock, left, log }: Desk): Promise<void> {
  for (const group of groupChoices.all()) {
    const { requestId, choice, chosenAt = 0 } = group;
    const isDue = group.channel === channel && choice === 'leave' && clock.now() - chosenAt < leavingLasts;
    if (!isDue || left.has(requestId)) continue;
    left.add(requestId);
    try {
      await leave(group, adapters);
    } catch (err) {
      left.delete(requestId);
      if (!(err instanceof ChannelError)) throw err;
      log.warn({ channel, err }, 'a group could not be left again; nothing is said there');
    }
  }
}

/** Stores a decision. Resolves with whether it was made, now or before. */
async function apply<Result>(
  origin: Origin,
  effect: Effect<Result | undefined>,
  { inbox, clock, deliver, crashPoint }: Desk,
  holds: (result: Result) => void,
): Promise<boolean> {
  const command = { origin, name: effect.name, effect, answer: () => undefined, at: clock.now() };
  const obeyed = await inbox.obey(command);
  if (obeyed.status === 'repeated') return true;
  if (obeyed.result === undefined) return false;
  holds(obeyed.result);
  crashPoint?.('decision-stored');
  deliver(obeyed.conversationIds);
  return true;
}

function endLateSoon(desk: Desk): void {
  if (!desk.isOver) desk.background.run('requests to owners that are too old could not be ended', () => endLate(desk));
}

/** Ends what is too old, and comes back when the next one is. */
async function endLate(desk: Desk): Promise<void> {
  const { store, clock, deliver } = desk;
  const { conversationIds, next } = await store.endLate(clock.now());
  deliver(conversationIds);
  desk.callOff();
  if (next === undefined || desk.isOver) return;
  const rest = next - clock.now();
  if (rest <= 0) endLateSoon(desk);
  else desk.callOff = clock.after(rest, () => endLateSoon(desk));
}
