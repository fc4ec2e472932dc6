import { isDeepStrictEqual } from 'node:util';
import {
  type AgentMode,
  agentModes,
  cleanLabels,
  type Labels,
  stricter,
  type Verdict,
} from '../../../approval/verdict.ts';
import type { Config } from '../../../config/schema.ts';
import { type ProbedCall, verdictOn } from '../../../config/tool-rules.ts';
import { isToolCategory, type ToolCategory, toolCategories } from '../../../tools/tool.ts';
import type { ConfigEdit } from '../tables.ts';
import {
  amount,
  code,
  edit,
  flag,
  members,
  type Place,
  plainEdit,
  plainWords,
  type Right,
  type Rights,
  ranked,
} from './right.ts';

/**
 * Who approves, and what asks. Several keys together decide what asks: both configs are played by the approval rules,
 * and the differences are reported once, at the first of these keys that changed.
 */
export function approvalRights(from: Config, to: Config): Rights {
  const changed = asking.filter(([block, key]) => !isDeepStrictEqual(at(from, block, key), at(to, block, key)));
  const isFirst = ({ names }: Place): boolean => changed[0]?.join('.') === names.join('.');
  const says = (place: Place) => (isFirst(place) ? askingEdits(place, from, to) : [plainEdit(place)]);
  return {
    'approval.enabled|policy|require_for|dangerous_tools|dangerous_categories': says,
    'agent.mode': (place) =>
      changed.length === 1 && isFirst(place) ? modeEdits(place, from, to, modeWords) : says(place),
    'agents.*.mode': (place) =>
      modeEdits(place, inMode(from, place.was), inMode(to, place.is), {
        observer: `the agent ${code(place.names[1] ?? '')} now only reads`,
        assistant: `for the agent ${code(place.names[1] ?? '')}, the approval policy now decides what asks`,
        autonomous: `the agent ${code(place.names[1] ?? '')} may now do what I may`,
      }),
    'security.taint': (place) => {
      const { looser, stricter: tighter } = played(from, to, afterWeb);
      const words = `${taintWords[to.security.taint]}: ${plainWords(place)}`;
      if (looser.length + tighter.length === 0) return [plainEdit(place)];
      return [edit(place, words, looser.length > 0 ? 'widens' : 'narrows')];
    },
    ...Object.fromEntries(Object.entries(categories).map(([place, initial]) => [place, categoryRight(to, initial)])),
    'approval.approvers': members('{who} may now approve', {
      nameOf: (member) => (member === 'owner' ? 'each owner' : code(member)),
      covers: (list, member, isAdded) => list.includes('owner') && (isAdded ? from : to).owners.includes(member),
    }),
    'approval.forward_to': members('requests for approval are now shown in {who}'),
    'approval.allow_own_words': flag('what an approver has written themselves now runs without a card'),
    'approval.timeout_secs': amount('a request for approval waits longer', 'a request for approval waits less long'),
    'approval.window_secs': amount('the button for a while allows longer', 'the button for a while allows less long'),
    'approval.execute_within_secs': amount(
      'an approval from before a restart counts longer',
      'an approval from before a restart counts less long',
    ),
  };
}

/** The keys that decide together. */
const asking = [
  ['agent', 'mode'],
  ...(['enabled', 'policy', 'require_for', 'dangerous_tools', 'dangerous_categories'] as const).map(
    (key) => ['approval', key] as const,
  ),
] as const;

function at(config: Config, block: 'agent' | 'approval', key: string): unknown {
  return Object.entries(config[block]).find(([name]) => name === key)?.[1];
}

const modeWords: Readonly<Record<AgentMode, string>> = {
  observer: 'I now only read',
  assistant: 'the approval policy now decides what asks',
  autonomous: 'I now ask only where I must',
};

const taintWords: Readonly<Record<Config['security']['taint'], string>> = {
  deny: 'after untrusted content, what could harm or leak is now refused',
  ask: 'after untrusted content, what could harm or leak now asks',
  off: 'untrusted content no longer has anything ask',
};

const afterWeb: Labels = { ...cleanLabels, tainted: true, private: true, sources: ['a page'] };

/** The config as an agent of this mode works with it; without one, with the mode of its caller. */
function inMode(config: Config, mode: unknown): Config {
  const own = agentModes.find((known) => known === mode);
  return { ...config, agent: { ...config.agent, mode: stricter(config.agent.mode, own) } };
}

/** Says what the mode means now, if it is that simple. */
function modeEdits(place: Place, from: Config, to: Config, words: typeof modeWords): readonly ConfigEdit[] {
  const { looser, stricter: tighter } = played(from, to);
  const isSimple = (looser.length === 0) !== (tighter.length === 0);
  if (!isSimple) return askingEdits(place, from, to);
  const mode = agentModes.find((known) => known === place.is) ?? 'autonomous';
  return [edit(place, `${words[mode]}: ${plainWords(place)}`, looser.length > 0 ? 'widens' : 'narrows')];
}

interface Probe {
  /** Empty for a tool that no list names. */
  readonly name: string;
  readonly category: ToolCategory;
  readonly words: string;
}

/** The probes whose calls meet less, or more, than before. */
function played(from: Config, to: Config, labels = cleanLabels) {
  const both = probesOf(from, to).map((probe) => ({
    ...{ ...probe, was: verdictOn(from, callOf(probe, from), labels), is: verdictOn(to, callOf(probe, to), labels) },
  }));
  const rank = (verdict: Verdict['type']): number => ['deny', 'ask', 'allow'].indexOf(verdict);
  // What holds for every tool need not be said of each.
  const covering = (changed: typeof both) => {
    const every = changed.filter(({ name }) => name === '*');
    return every.length > 0 ? every : changed;
  };
  return {
    looser: covering(both.filter(({ was, is }) => rank(is) > rank(was))),
    stricter: covering(both.filter(({ was, is }) => rank(is) < rank(was))),
    /** Whether a call still asks, or is refused. */
    isLimited: both.some(({ is }) => is !== 'allow'),
  };
}

type Played = ReturnType<typeof played>['looser'][number];

/** What is allowed now that was not, and the reverse. */
function askingEdits(place: Place, from: Config, to: Config): readonly ConfigEdit[] {
  const { looser, stricter: tighter, isLimited } = played(from, to);
  if (looser.length > 0 && !isLimited) return [edit(place, `nothing asks any more: ${plainWords(place)}`, 'widens')];
  const edits = [
    askingEdit(place, looser, 'no longer', 'widens'),
    askingEdit(
      place,
      tighter.filter(({ is }) => is === 'ask'),
      'now',
      'narrows',
    ),
    refusedEdit(
      place,
      tighter.filter(({ is }) => is === 'deny'),
    ),
  ].flat();
  return edits.length === 0 ? [plainEdit(place)] : edits;
}

function askingEdit(
  place: Place,
  changed: readonly Played[],
  how: string,
  effect: ConfigEdit['effect'],
): readonly ConfigEdit[] {
  if (changed.length === 0) return [];
  const isRefusal = effect === 'widens' && changed.every(({ was, is }) => was === 'deny' && is === 'ask');
  if (isRefusal) return [edit(place, `${subjectOf(changed)} may now be asked for: ${plainWords(place)}`, effect)];
  return [
    edit(place, `${subjectOf(changed)} ${how} ${changed.length === 1 ? 'asks' : 'ask'}: ${plainWords(place)}`, effect),
  ];
}

function refusedEdit(place: Place, changed: readonly Played[]): readonly ConfigEdit[] {
  if (changed.length === 0) return [];
  const verb = changed.length === 1 ? 'is' : 'are';
  return [edit(place, `${subjectOf(changed)} ${verb} now refused: ${plainWords(place)}`, 'narrows')];
}

function subjectOf(changed: readonly Probe[]): string {
  const named = changed.slice(0, 3).map(({ words }) => words);
  const who = changed.length > 3 ? [...named, `${changed.length - 3} more`] : named;
  return who.length === 1 ? who.join('') : `${who.slice(0, -1).join(', ')} and ${who.at(-1)}`;
}

/** Everything that the lists name, the tools that ask by default, and each category. */
function probesOf(from: Config, to: Config): readonly Probe[] {
  const lists = [from.approval, to.approval].flatMap((one) => [...one.dangerous_tools, ...one.require_for]);
  const names = new Set([...builtin.keys(), ...lists, ...to.custom_tools.map(({ name }) => name)]);
  const tools = [...names].map((name) => ({
    name,
    category: categoryOf(to, name),
    words: name === '*' ? 'every tool' : code(name),
  }));
  return [...tools, ...toolCategories.map((category) => ({ name: '', category, words: `what is ${code(category)}` }))];
}

/** An unknown tool may be harmless; then it asks only by its name. */
function categoryOf({ custom_tools: custom }: Config, name: string): ToolCategory {
  return custom.find((tool) => tool.name === name)?.category ?? builtin.get(name) ?? 'memory';
}

const builtin: ReadonlyMap<string, ToolCategory> = new Map([
  ['shell', 'shell'],
  ['write_file', 'filesystem_write'],
  ['edit_file', 'filesystem_write'],
  ['message', 'messaging'],
]);

/** Without a sandbox, commands ask in the mode autonomous, too. */
function callOf({ name, category }: Pick<Probe, 'name' | 'category'>, { tools }: Config): ProbedCall {
  const isFree = category === 'shell' && name !== '' && tools.shell.sandbox === 'off';
  return { name, category, facets: isFree ? { unconfined: true } : {} };
}

/** The keys that set a tool's category, with the defaults. */
const categories: Readonly<Record<string, ToolCategory>> = {
  'custom_tools.*.category': 'shell',
  'mcp_servers.*.category': 'network_write',
  'mcp_servers.*.tools.*.category': 'network_write',
  'remote_tools.categories.*': 'hardware',
};

function categoryRight(config: Config, initial: ToolCategory): Right {
  const nameOf = ({ names }: Place): string => names.findLast((segment) => segment !== 'category') ?? '';
  return ranked(
    (value, place) =>
      Number(verdictOn(config, { name: nameOf(place), category: isToolCategory(value) ? value : initial }) !== 'ask'),
    (place, isMore) => `${code(nameOf(place))} ${isMore ? 'no longer asks' : 'now asks'}: ${plainWords(place)}`,
  );
}
