import { isDeepStrictEqual } from 'node:util';
import {
  type AgentMode,
  agentModes,
  cleanLabels,
  type Labels,
  stricter,
  type Verdict,
} from '../../../../approval/verdict.ts';
import type { Config } from '../../../../config/schema.ts';
import { type ProbedCall, verdictOn } from '../../../../config/tool-rules.ts';
import type { InLanguage } from '../../../../lib/words.ts';
import { isToolCategory, type ToolCategory, toolCategories } from '../../../../tools/tool.ts';
import type { ConfigEdit } from '../../tables.ts';
import {
  amount,
  code,
  editWithChange,
  flag,
  members,
  type Place,
  plainEdit,
  type Right,
  type Rights,
  ranked,
} from '../right.ts';
import { askingWords, type Subject, type Subjects } from './words.ts';

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
      changed.length === 1 && isFirst(place)
        ? modeEdits(place, from, to, (mode) => (language) => askingWords[language].mode({ mode }))
        : says(place),
    'agents.*.mode': (place) =>
      modeEdits(
        place,
        inMode(from, place.was),
        inMode(to, place.is),
        (mode) => (language) => askingWords[language].agentMode({ agent: code(place.open.join('')), mode }),
      ),
    'security.taint': (place) => {
      const { looser, stricter: tighter } = played(from, to, afterWeb);
      if (looser.length + tighter.length === 0) return [plainEdit(place)];
      const { taint } = to.security;
      const words: InLanguage = (language) => askingWords[language].taint({ taint });
      return [editWithChange(place, words, looser.length > 0 ? 'widens' : 'narrows')];
    },
    ...Object.fromEntries(Object.entries(categories).map(([place, initial]) => [place, categoryRight(to, initial)])),
    'approval.approvers': members((words) => words.mayApprove, {
      all: 'owner',
      covers: (list, member, isAdded) => list.includes('owner') && (isAdded ? from : to).owners.includes(member),
    }),
    'approval.forward_to': members((words) => words.requestsShown),
    'approval.allow_own_words': flag((words) => words.ownWordsRun),
    'approval.timeout_secs': amount((words) => words.requestWaits),
    'approval.window_secs': amount((words) => words.windowAllows),
    'approval.execute_within_secs': amount((words) => words.approvalCounts),
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

const afterWeb: Labels = { ...cleanLabels, tainted: true, private: true, sources: ['a page'] };

/** The config as an agent of this mode works with it; without one, with the mode of its caller. */
function inMode(config: Config, mode: unknown): Config {
  const own = agentModes.find((known) => known === mode);
  return { ...config, agent: { ...config.agent, mode: stricter(config.agent.mode, own) } };
}

/** Says what the mode means now, if it is that simple. */
function modeEdits(
  place: Place,
  from: Config,
  to: Config,
  wordsOf: (mode: AgentMode) => InLanguage,
): readonly ConfigEdit[] {
  const { looser, stricter: tighter } = played(from, to);
  const isSimple = (looser.length === 0) !== (tighter.length === 0);
  if (!isSimple) return askingEdits(place, from, to);
  const mode = agentModes.find((known) => known === place.is) ?? 'autonomous';
  return [editWithChange(place, wordsOf(mode), looser.length > 0 ? 'widens' : 'narrows')];
}

interface Probe {
  /** Empty for a tool that no list names. */
  readonly name: string;
  readonly category: ToolCategory;
  readonly subject: Subject;
}

interface Played extends Probe {
  readonly was: Verdict['type'];
  readonly is: Verdict['type'];
}

interface Difference {
  /** The probes whose calls meet less than before. */
  readonly looser: readonly Played[];
  readonly stricter: readonly Played[];
  /** Whether a call still asks, or is refused. */
  readonly isLimited: boolean;
}

function played(from: Config, to: Config, labels = cleanLabels): Difference {
  const both = probesOf(from, to).map((probe) => {
    const was = verdictOn(from, callOf(probe, from), labels);
    return { ...probe, was, is: verdictOn(to, callOf(probe, to), labels) };
  });
  const rank = (verdict: Verdict['type']): number => ['deny', 'ask', 'allow'].indexOf(verdict);
  return {
    looser: covering(both.filter(({ was, is }) => rank(is) > rank(was))),
    stricter: covering(both.filter(({ was, is }) => rank(is) < rank(was))),
    isLimited: both.some(({ is }) => is !== 'allow'),
  };
}

/** What holds for every tool need not be said of each. */
function covering(changed: readonly Played[]): readonly Played[] {
  const every = changed.filter(({ name }) => name === '*');
  return every.length > 0 ? every : changed;
}

/** What is allowed now that was not, and the reverse. */
function askingEdits(place: Place, from: Config, to: Config): readonly ConfigEdit[] {
  const { looser, stricter: tighter, isLimited } = played(from, to);
  if (looser.length > 0 && !isLimited)
    return [editWithChange(place, (language) => askingWords[language].nothingAsks, 'widens')];
  const [asking, refused] = [tighter.filter(({ is }) => is === 'ask'), tighter.filter(({ is }) => is === 'deny')];
  const edits = [...loosenedEdit(place, looser), ...askingEdit(place, asking), ...refusedEdit(place, refused)];
  return edits.length === 0 ? [plainEdit(place)] : edits;
}

function loosenedEdit(place: Place, changed: readonly Played[]): readonly ConfigEdit[] {
  if (changed.length === 0) return [];
  const subjects = subjectsOf(changed);
  const wasRefused = changed.every(({ was, is }) => was === 'deny' && is === 'ask');
  const words: InLanguage = (language) =>
    wasRefused
      ? askingWords[language].mayBeAskedFor(subjects)
      : askingWords[language].asks({ ...subjects, isSo: false });
  return [editWithChange(place, words, 'widens')];
}

function askingEdit(place: Place, changed: readonly Played[]): readonly ConfigEdit[] {
  if (changed.length === 0) return [];
  const subjects = subjectsOf(changed);
  return [editWithChange(place, (language) => askingWords[language].asks({ ...subjects, isSo: true }), 'narrows')];
}

function refusedEdit(place: Place, changed: readonly Played[]): readonly ConfigEdit[] {
  if (changed.length === 0) return [];
  const subjects = subjectsOf(changed);
  return [editWithChange(place, (language) => askingWords[language].refused(subjects), 'narrows')];
}

function subjectsOf(changed: readonly Probe[]): Subjects {
  const named = changed.slice(0, 3).map(({ subject }) => subject);
  return { subjects: named, more: changed.length - named.length };
}

/** Everything that the lists name, the tools that ask by default, and each category. */
function probesOf(from: Config, to: Config): readonly Probe[] {
  const lists = [from.approval, to.approval].flatMap((one) => [...one.dangerous_tools, ...one.require_for]);
  const names = new Set([...builtin.keys(), ...lists, ...to.custom_tools.map(({ name }) => name)]);
  const tools = [...names].map((name): Probe => {
    const subject: Subject = name === '*' ? { type: 'every-tool' } : { type: 'tool', tool: code(name) };
    return { name, category: categoryOf(to, name), subject };
  });
  const categories = toolCategories.map((category): Probe => {
    return { name: '', category, subject: { type: 'category', category: code(category) } };
  });
  return [...tools, ...categories];
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
    (place, isMore, effect) => {
      const values = { tool: code(nameOf(place)), isSo: !isMore };
      return editWithChange(place, (language) => askingWords[language].toolAsks(values), effect);
    },
  );
}
