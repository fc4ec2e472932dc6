import { spellPath } from '../../config/config-error.ts';
import type { ConfigChange, FeatureCore, PartFault } from '../../feature-points.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';
import { type InLanguage, type Language, type Words, wordsIn } from '../../lib/words.ts';
import { changesOf } from './changes.ts';
import { code } from './rights/right.ts';
import { rightWords } from './rights/words.ts';
import type { ConfigEdit } from './tables.ts';
import { editWords } from './words.ts';

/** In one part of the message. */
const mostTold = 10;

/**
 * The message to owners after an edit: what it allows and forbids, which of its parts do not work, and what of it may be
 * a mistake. `faults`: of all parts that run. Undefined if there is nothing to tell.
 */
export async function noticeOf(
  { from, to, warnings = [] }: ConfigChange,
  faults: readonly PartFault[],
  { redact, lookAround }: Pick<FeatureCore, 'redact' | 'lookAround'>,
): Promise<InLanguage | undefined> {
  const changed = changesOf(from, to);
  // Parts that run tell more of themselves than a look at them.
  const looked = (await lookAround(to)).filter(({ path }) => !ownTellers.some((key) => key === path[0]));
  const found = looked.map(({ path: place, text }) => {
    return { place, words: (language: Language) => `${spellPath(place)}: ${wordsIn(language, text)}` };
  });
  const broken = [...faults, ...found].filter(({ place }) => changed.some((edit) => isAbout(edit, place)));
  const told = changed.filter((edit) => !broken.some(({ place }) => isStart(edit, place)));
  if (told.every(({ effect }) => effect === 'other') && broken.length + warnings.length === 0) return undefined;
  return (language) => noticeIn(language, { told, broken: broken.map(({ words }) => words), warnings, redact });
}

interface NoticeFacts {
  readonly told: readonly ConfigEdit[];
  readonly broken: readonly Words[];
  readonly warnings: readonly Words[];
  readonly redact: FeatureCore['redact'];
}

function noticeIn(language: Language, { told, broken, warnings, redact }: NoticeFacts): string {
  const words = editWords[language];
  const wordsOf = (effect: ConfigEdit['effect']): readonly string[] =>
    told.filter((edit) => edit.effect === effect).map((edit) => redact(edit.words(language)));
  const plain = (one: Words): string => escapeMarkdown(oneLine(redact(wordsIn(language, one)), 700));
  const parts = [
    ...part(words.allowsMore, wordsOf('widens'), language),
    ...part(words.allowsLess, wordsOf('narrows'), language),
    ...part(words.doesNotWork, broken.map(plain), language),
    ...part(words.mayBeMistake, warnings.map(plain), language),
  ];
  return [words.configChanged, ...parts].join('\n\n');
}

/** The keys whose parts report their own faults. */
const ownTellers = ['tool_modules', 'mcp_servers', 'channel_plugins', 'plugins'] as const;

/** Whether the edit concerns this part, or something in it. */
function isAbout(edit: ConfigEdit, place: PartFault['place']): boolean {
  const [own, path] = [spellPath(place), pathOf(edit)];
  if (path === '') return false;
  // Of this list, each member is a part.
  if (path === 'tool_modules') return edit.words('en').includes(code(String(place.at(-1)))) && place[0] === path;
  return isWithin(path, own) || isWithin(own, path);
}

/** A channel of others is a part with two places in the config. */
function pathOf({ path }: ConfigEdit): string {
  return path.replace(/^channel_plugins\b/, 'channels');
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}

/** Whether the edit says that the part is there or on, which did not happen. */
function isStart(edit: ConfigEdit, place: PartFault['place']): boolean {
  const starts = [spellPath(place), spellPath([...place, 'enabled']), spellPath(place.slice(0, -1))];
  return starts.includes(pathOf(edit)) && isAbout(edit, place);
}

function part(title: string, all: readonly string[], language: Language): readonly string[] {
  if (all.length === 0) return [];
  const rest = all.length > mostTold ? [rightWords[language].more({ count: all.length - mostTold })] : [];
  return [`${title}\n${[...all.slice(0, mostTold), ...rest].map((words) => `- ${words}`).join('\n')}`];
}
