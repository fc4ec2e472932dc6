/*
 * Which tools a request declares. All of them in full while that takes little of the window. Else all in short, if that
 * takes little. Else a few in short: the builtin tools that are needed most, and what this conversation has found or called;
 * `find_tools` leads to the rest. Whoever declares fewer allows no less: a call of any tool of the conversation is judged
 * as always. The transcript says what was found, so the next process declares the same, and the bytes stay the same from
 * turn to turn, until something is found: that stands behind the others.
 */

import { finderName, foundNames } from '../../tools/found-tools.ts';
import { nameOfSource, type ToolRegistry, type ToolSource } from '../../tools/registry.ts';
import type { ToolScope } from '../../tools/tool.ts';
import type { ToolDefinition, TranscriptEntry } from '../../transcript.ts';
import { bytesPerToken, type TokenGauge } from './token-gauge.ts';

/**
 * `auto`: by size · `always`: all in short · `few`: a few in short, and `find_tools` · `never`: all in full, and the
 * instructions as well.
 */
export type CompactTools = 'auto' | 'always' | 'few' | 'never';

export interface ToolOffer {
  readonly tools: readonly ToolDefinition[];
  /** The others that the conversation may use, in full. */
  readonly undeclared: readonly ToolDefinition[];
  readonly form: 'whole' | 'short' | 'few';
  /** How many tools the conversation may use, without `find_tools`. */
  readonly count: number;
  /** What all of them take in full, in tokens. */
  readonly wholeSize: number;
  /** Whether `find_tools` is declared. */
  readonly canFind: boolean;
}

interface OfferWish {
  readonly scope: ToolScope;
  /** Of the request with its answer, in tokens. */
  readonly limit: number;
  readonly compact: CompactTools;
  readonly entries: readonly TranscriptEntry[];
}

interface OfferParts {
  readonly registry: Pick<ToolRegistry, 'definitions' | 'inShort' | 'list'>;
  readonly gauge: Pick<TokenGauge, 'ofTools'>;
}

export async function offerTools(wish: OfferWish, parts: OfferParts): Promise<ToolOffer> {
  const { registry, gauge } = parts;
  const definitions = await registry.definitions(wish.scope);
  const finder = definitions.find(({ name }) => name === finderName);
  const all = definitions.filter((one) => one !== finder);
  const wholeSize = gauge.ofTools(all);
  const short = all.map(registry.inShort);
  const form = formOf({ ...wish, wholeSize, shortSize: gauge.ofTools(short), canFind: finder !== undefined });
  const canFind = form !== 'whole' && finder !== undefined;
  const told = { form, count: all.length, wholeSize, canFind, undeclared: [] };
  switch (form) {
    case 'whole':
      return { ...told, tools: all };
    case 'short':
      return { ...told, tools: finder === undefined ? short : [registry.inShort(finder), ...short] };
    case 'few': {
      if (finder === undefined) return { ...told, tools: short };
      const tools = fewTools(all, finder, wish, parts);
      const declared = new Set(tools.map(({ name }) => name));
      return { ...told, tools, undeclared: all.filter(({ name }) => !declared.has(name)) };
    }
  }
}

interface Sizes {
  readonly wholeSize: number;
  readonly shortSize: number;
  readonly canFind: boolean;
}

function formOf({ compact, limit, wholeSize, shortSize, canFind }: OfferWish & Sizes): ToolOffer['form'] {
  if (compact === 'never' || wholeSize === 0) return 'whole';
  if (compact === 'always' || !canFind)
    return compact !== 'auto' || wholeSize > roomForWhole(limit) ? 'short' : 'whole';
  if (compact === 'few') return 'few';
  if (wholeSize <= roomForWhole(limit)) return 'whole';
  return shortSize <= roomForShort(limit) ? 'short' : 'few';
}

/** Below it, also the instructions are short. In tokens. */
export const smallWindow = 8000;
const narrowWindow = 16_000;
/** With the short instructions, at most 900 tokens. */
const roomInSmall = 560;

function roomForWhole(limit: number): number {
  if (limit < smallWindow) return roomForFew(limit);
  return limit < narrowWindow ? limit / 8 : Math.min(limit / 4, 12_000);
}

function roomForShort(limit: number): number {
  return limit < smallWindow ? roomForFew(limit) : Math.min(limit / 6, 4000);
}

function roomForFew(limit: number): number {
  return limit < smallWindow ? Math.min(limit / 4, roomInSmall) : Math.min(limit / 8, 2000);
}

/** `find_tools`, the tools that are needed most, and behind them what was found and called here. */
function fewTools(
  all: readonly ToolDefinition[],
  finder: ToolDefinition,
  { scope, limit, entries }: OfferWish,
  { registry, gauge }: OfferParts,
): readonly ToolDefinition[] {
  const sources = new Map(registry.list(scope).map((tool) => [tool.name, tool.source]));
  const isSmall = limit < smallWindow;
  const wanted = all
    .map((definition) => ({ definition, rank: rankOf(definition.name, sources.get(definition.name)) }))
    .sort((one, other) => one.rank - other.rank);
  const mostWords = isSmall ? 120 : 400;
  let left = roomForFew(limit) - gauge.ofTools([registry.inShort(finder)]) - mostWords / bytesPerToken;
  const isNeeded = ({ rank }: { readonly rank: number }): boolean => rank < mostNeeded.length;
  const base = wanted.filter(isNeeded).flatMap(({ definition }) => {
    const size = gauge.ofTools([registry.inShort(definition)]);
    if (size > left) return [];
    left -= size;
    return [definition];
  });
  const others = wanted.flatMap(({ definition }) => (base.includes(definition) ? [] : [definition]));
  return [
    finderFor(registry.inShort(finder), others, sources, mostWords),
    ...base.map(registry.inShort),
    ...foundTools(others, entries, limit / 8, { registry, gauge }),
  ];
}

/** The rank of a tool that others have written. */
const foreign = 1000;

/** Keyturn's tools by how often people need them, and the operator's own. All others are declared once they were found. */
function rankOf(name: string, source: ToolSource | undefined): number {
  switch (source?.type) {
    case 'builtin': {
      const rank = mostNeeded.indexOf(name);
      return rank < 0 ? mostNeeded.length : rank;
    }
    case 'custom':
      return mostNeeded.indexOf('shell') + 0.5;
    case 'composed':
    case 'delegate':
      return mostNeeded.indexOf('memory_store') + 0.5;
    case 'plugin':
    case 'mcp':
    case 'remote':
    case undefined:
      return foreign;
  }
}

const mostNeeded: readonly string[] = [
  ...['attempt_completion', 'read_file', 'write_file', 'shell', 'web_search', 'remind', 'web_fetch', 'memory_store'],
  ...['memory_search', 'schedule', 'list_dir', 'edit_file', 'send_file', 'read_document', 'find_files', 'ask'],
  ...['search_files', 'message', 'memory_forget', 'http_request'],
];

/** Of a source, fewer are told by name. */
const mostBrought = 4;

/** Tells which tools there are besides: by name, or how many of a source. In at most `most` characters. */
function finderFor(
  finder: ToolDefinition,
  others: readonly ToolDefinition[],
  sources: ReadonlyMap<string, ToolSource>,
  most: number,
): ToolDefinition {
  const groups = Map.groupBy(others, ({ name }) => {
    const source = sources.get(name);
    return source === undefined || rankOf(name, source) < foreign ? '' : nameOfSource(source);
  });
  const named = (groups.get('') ?? []).map(({ name }) => name);
  groups.delete('');
  const brought = [...groups].flatMap(([source, tools]) =>
    tools.length > mostBrought ? [`${tools.length} of ${source}`] : tools.map(({ name }) => name),
  );
  const words: string[] = [];
  let left = most;
  for (const word of [...brought, ...named]) {
    left -= word.length + 2;
    if (left < 0) break;
    words.push(word);
  }
  if (words.length === 0) return finder;
  const rest = words.length < brought.length + named.length ? ' …' : '';
  return { ...finder, description: `${finder.description} Others: ${words.join(', ')}${rest}` };
}

/** The names that each call has found or called, the oldest call first. */
function foundIn(entries: readonly TranscriptEntry[]): readonly (readonly string[])[] {
  const calls = entries.flatMap((entry) => (entry.type === 'turn' ? entry.calls : []));
  return calls.map(({ name, result }) => (name === finderName ? foundNames(result?.text ?? '') : [name]));
}

/**
 * Of the others, those that were found or called, in the order in which that happened first. In full if all fit, else as
 * many in short as fit: the ones that were of use last, and of one search the best.
 */
function foundTools(
  others: readonly ToolDefinition[],
  entries: readonly TranscriptEntry[],
  room: number,
  { registry, gauge }: OfferParts,
): readonly ToolDefinition[] {
  const named = foundIn(entries);
  const byName = new Map(others.map((definition) => [definition.name, definition]));
  const first = [...new Set(named.flat())].flatMap((name) => byName.get(name) ?? []);
  if (gauge.ofTools(first) <= room) return first;
  const latest = new Set(named.toReversed().flat());
  let left = room;
  const kept = new Set<ToolDefinition>();
  for (const name of latest) {
    const definition = byName.get(name);
    if (definition === undefined) continue;
    left -= gauge.ofTools([registry.inShort(definition)]);
    if (left < 0 && kept.size > 0) break;
    kept.add(definition);
  }
  return first.filter((definition) => kept.has(definition)).map(registry.inShort);
}
