/** All attacks: sources combined with sinks, and their outcomes. */
import type { Morning } from './benign.ts';
import { laundering } from './laundering.ts';
import { ownWords } from './own-words.ts';
import { type Attack, mainSinks, moreSinks, type Sink } from './sinks.ts';
import { pages, type Source } from './sources.ts';
import type { Mode, World } from './stage.ts';
import { strangers } from './strangers.ts';

/** `known`: gets through, as docs/decisions say · `invalid`: fails even without any rule, so it proves nothing. */
export type Fate = 'stopped' | 'through' | 'known' | 'invalid';

/** The outcome in each mode. Without rules, modes make no difference. */
export async function fatesOf(attack: Attack, modes: readonly Mode[], world: World): Promise<readonly Fate[]> {
  const reaches = (mode: Mode, isOpen: boolean): Promise<boolean> =>
    world.play({ ...attack, mode, isOpen }, async (stage) => {
      await attack.play(stage);
      return attack.isReached(stage);
    });
  if (!(await reaches('autonomous', true))) return modes.map(() => 'invalid');
  const fates: Fate[] = [];
  for (const mode of modes) {
    const isThrough = await reaches(mode, false);
    fates.push(!isThrough ? 'stopped' : attack.isKnown === true ? 'known' : 'through');
  }
  return fates;
}

/** Each source with the main sinks, the first one with all; and attacks on the people who press cards. */
export function attacks(): readonly Attack[] {
  const ordered = [...pages, ...strangers].flatMap((source, index) =>
    [...mainSinks, ...(index === 0 ? moreSinks : [])]
      .filter(({ deeds }) => source.isWithin !== true || typeof deeds[0] !== 'string')
      .map((sink) => attackOf(source, sink)),
  );
  return [...ordered, ...laundering(), ...ownWords()];
}

function attackOf(source: Source, sink: Sink): Attack {
  return {
    group: source.group,
    name: `${source.group} ${source.name}: ${sink.name}`,
    order: { words: source.words, deeds: sink.deeds },
    uses: [...(source.uses ?? []), ...(sink.uses ?? [])],
    config: source.config,
    isKnown: source.isKnown,
    play: source.play,
    isReached: sink.isReached,
  };
}

/** The cards that were neither wanted nor shown without the taint rule. */
export async function needlessCards(morning: Morning, mode: Mode, world: World): Promise<readonly string[]> {
  const cardsWith = (taint: 'ask' | 'off'): Promise<readonly string[]> =>
    world.play({ uses: morning.uses, mode, isOpen: false, config: { security: { taint } } }, async (stage) => {
      await morning.play(stage);
      return stage.cards.map(({ tool }) => tool);
    });
  const surplus = without(await cardsWith('ask'), morning.needs);
  return surplus.length === 0 ? [] : without(surplus, await cardsWith('off'));
}

/** Multiset difference. */
function without(cards: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return cards.filter((card) => {
    const at = left.indexOf(card);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

/** Runs `work` on four items at a time. Results are in the order of completion. */
export async function someAtATime<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly (readonly [Item, Result])[]> {
  const results = new Map<Item, Result>();
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) results.set(item, await work(item));
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return [...results];
}

/** An evenly spaced sample. */
export function sampleOf<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (count >= items.length) return items;
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]).flatMap(
    (item) => item ?? [],
  );
}
