/* The search: through all that the person may see, from the newest on, as far as one request may look. */

import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import type { Hit, HitPage } from '../../wire/activity.ts';
import { namedPlace } from '../runs/run-list.ts';
import type { RunListStore } from '../runs/tables.ts';
import type { Seer } from '../seer.ts';
import { excerptOf, rangesOf, wantedIn } from './matcher.ts';
import type { SearchedMessage, SearchedTurn, SearchStore, Window } from './tables.ts';

export interface SearchParts {
  readonly store: SearchStore;
  readonly places: Pick<RunListStore, 'placeOf'>;
  readonly redact: (text: string) => string;
}

export interface SearchAsked {
  readonly words: string;
  readonly seer: Seer;
  readonly before: SearchPlace;
  readonly most: number;
  readonly gone: AbortSignal;
}

/** How far a search has come, in both of what it looks through. */
export interface SearchPlace {
  readonly turn: number;
  readonly message: number;
}

/** Rows that are read before others get their turn. */
const window = 200;
/** So many windows at most for one request. */
const mostWindows = 60;
const longestText = 240;

/** A text of a run, and where it stands. */
interface Text extends Omit<Hit, 'text' | 'found' | 'place'> {
  readonly conversationId: string;
  readonly text: string;
}

/** Where one of the two has come to. */
interface Stream<Found> {
  readonly rows: readonly Found[];
  /** From here on, more is to be read. */
  readonly from: number;
  readonly isOver: boolean;
}

export async function search(asked: SearchAsked, parts: SearchParts): Promise<HitPage> {
  const wanted = wantedIn(asked.words);
  const hits: Hit[] = [];
  let turns: Stream<SearchedTurn> = { rows: [], from: asked.before.turn, isOver: false };
  let messages: Stream<SearchedMessage> = { rows: [], from: asked.before.message, isOver: false };
  let searchedTo: number | undefined;
  for (let read = 0; wanted.length > 0 && !asked.gone.aborted; ) {
    const isDry = (turns.rows.length === 0 && !turns.isOver) || (messages.rows.length === 0 && !messages.isOver);
    if (isDry && (read === mostWindows || hits.length >= asked.most)) break;
    if (isDry) {
      read += 1;
      turns = await filled(turns, (from) => parts.store.turnsBefore(from, window, asked.seer));
      messages = await filled(messages, (from) => parts.store.messagesBefore(from, window, asked.seer));
      await nextTurnOfLoop();
      continue;
    }
    const [turn, message] = [turns.rows[0], messages.rows[0]];
    if (turn === undefined && message === undefined) return { hits, next: undefined, searchedTo };
    if (hits.length >= asked.most) break;
    const isTurn = message === undefined || (turn !== undefined && turn.at >= message.at);
    if (isTurn && turn !== undefined) {
      hits.push(...(await hitsIn(await textsOfTurn(turn, parts), wanted, parts)));
      turns = { ...turns, rows: turns.rows.slice(1) };
    } else if (message !== undefined) {
      for (const hit of await hitsIn([textOfMessage(message)], wanted, parts))
        hits.push({ ...hit, runId: await parts.store.runThatRead(message) });
      messages = { ...messages, rows: messages.rows.slice(1) };
    }
    searchedTo = isTurn ? turn?.at : message?.at;
  }
  return { hits, next: nextOf(turns, messages, wanted), searchedTo };
}

async function filled<Found>(
  stream: Stream<Found>,
  read: (from: number) => Promise<Window<Found>>,
): Promise<Stream<Found>> {
  if (stream.rows.length > 0 || stream.isOver) return stream;
  const { found, end } = await read(stream.from);
  return { rows: found, from: end ?? stream.from, isOver: end === undefined };
}

/** The same place again: after what was looked at, before what was only read. */
function nextOf(
  turns: Stream<SearchedTurn>,
  messages: Stream<SearchedMessage>,
  wanted: readonly string[],
): string | undefined {
  if (wanted.length === 0) return undefined;
  const [turn, message] = [turns.rows[0], messages.rows[0]];
  return `${turn === undefined ? turns.from : turn.id + 1}.${message === undefined ? messages.from : message.seq + 1}`;
}

/** Undefined: it is no place of a search. */
export function searchPlaceOf(text: string | null): SearchPlace | undefined {
  if (text === null) return { turn: Number.MAX_SAFE_INTEGER, message: Number.MAX_SAFE_INTEGER };
  const [, turn, message] = /^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  return turn === undefined ? undefined : { turn: Number(turn), message: Number(message) };
}

/** Its calls come after what it said. */
async function textsOfTurn(turn: SearchedTurn, { store }: SearchParts): Promise<readonly Text[]> {
  const { at, conversationId, runId, id, model = '' } = turn;
  const here = { runId, at, conversationId };
  const calls = await store.callsOf(turn);
  const ofCalls = calls.flatMap((call): readonly Text[] => [
    ...(call.result === undefined
      ? []
      : [{ ...here, anchor: call.id, kind: 'output' as const, by: call.name, text: call.result }]),
    { ...here, anchor: call.id, kind: 'arguments', by: call.name, text: call.arguments },
  ]);
  return [...ofCalls, { ...here, anchor: `turn-${id}`, kind: 'answer', by: model, text: turn.text }];
}

function textOfMessage({ seq, at, conversationId, name, text }: SearchedMessage): Text {
  return { runId: undefined, anchor: `message-${seq}`, kind: 'message', at, by: name, conversationId, text };
}

/** Secrets are removed before it is searched, so that nobody finds out by searching which there are. */
async function hitsIn(
  texts: readonly Text[],
  wanted: readonly string[],
  { places, redact }: SearchParts,
): Promise<readonly Hit[]> {
  const hits: Hit[] = [];
  for (const { text, conversationId, ...rest } of texts) {
    if (rangesOf(text, wanted).length === 0) continue;
    const shown = redact(text);
    const ranges = rangesOf(shown, wanted);
    if (ranges.length === 0) continue;
    const place = await namedPlace(conversationId, places);
    hits.push({ ...rest, place, ...excerptOf(shown, ranges, longestText) });
  }
  return hits;
}
