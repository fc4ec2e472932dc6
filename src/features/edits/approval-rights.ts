import { cleanLabels, judge } from '../../approval/verdict.ts';
import type { Config } from '../../config/schema.ts';
import { approvalSettingsOf } from '../../config/tool-rules.ts';
import type { ConfigEdit } from '../../store/audit.ts';
import { isToolCategory, type ToolCategory, toolCategories } from '../../tools/tool.ts';
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
  steps,
} from './right.ts';

/**
 * Who approves, and what asks. Several keys together decide what asks: both configs are judged by the approval rules,
 * and the differences are reported once, at the first of these keys that changed.
 */
export function approvalRights(from: Config, to: Config): Rights {
  const first = asking.find((key) => JSON.stringify(from.approval[key]) !== JSON.stringify(to.approval[key]));
  const says = (place: Place) => (place.names.at(-1) === first ? askingEdits(place, from, to) : [plainEdit(place)]);
  return {
    [`approval.${asking.join('|')}`]: says,
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
    'agent.mode': steps({
      observer: 'I now only read',
      assistant: 'the approval policy now decides what asks',
      autonomous: 'I now ask only where I must',
    }),
    'agents.*.mode': steps(
      {
        observer: 'the agent `{1}` now only reads',
        assistant: 'for the agent `{1}`, the approval policy now decides what asks',
        autonomous: 'the agent `{1}` may now do what I may',
      },
      'autonomous',
    ),
  };
}

const asking = ['enabled', 'policy', 'require_for', 'dangerous_tools', 'dangerous_categories'] as const;

interface Probe {
  /** Empty for a tool that no list names. */
  readonly name: string;
  readonly category: ToolCategory;
  readonly words: string;
}

/** What no longer asks, and what asks now. */
function askingEdits(place: Place, from: Config, to: Config): readonly ConfigEdit[] {
  // A change of the mode is reported at its own key.
  const before = { ...from, agent: to.agent };
  const probes = probesOf(from, to);
  const relaxed = probes.filter((probe) => doesAsk(before, probe) && !doesAsk(to, probe));
  const tightened = probes.filter((probe) => !doesAsk(before, probe) && doesAsk(to, probe));
  const edits = [askingEdit(place, relaxed, 'widens'), askingEdit(place, tightened, 'narrows')].flat();
  return edits.length === 0 ? [plainEdit(place)] : edits;
}

function askingEdit(place: Place, changed: readonly Probe[], effect: 'widens' | 'narrows'): readonly ConfigEdit[] {
  if (changed.length === 0) return [];
  const named = changed.slice(0, 3).map(({ words }) => words);
  const who = changed.length > 3 ? [...named, `${changed.length - 3} more`] : named;
  const subject = who.length === 1 ? who.join('') : `${who.slice(0, -1).join(', ')} and ${who.at(-1)}`;
  const how = effect === 'widens' ? 'no longer' : 'now';
  return [edit(place, `${subject} ${how} ${who.length === 1 ? 'asks' : 'ask'}: ${plainWords(place)}`, effect)];
}

/** Everything that the lists name, the tools that ask by default, and each category. */
function probesOf(from: Config, to: Config): readonly Probe[] {
  const lists = [from.approval, to.approval].flatMap((one) => [...one.dangerous_tools, ...one.require_for]);
  const names = new Set([...builtin.keys(), ...lists, ...to.custom_tools.map(({ name }) => name)]);
  const tools = [...names].map((name) => ({ name, category: categoryOf(to, name), words: code(name) }));
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

/** For a conversation without taint and a person without grants. */
function doesAsk(config: Config, { name, category }: Pick<Probe, 'name' | 'category'>): boolean {
  const settings = approvalSettingsOf(config);
  return (
    judge({ toolName: name, category, hash: '', labels: cleanLabels, grants: [], settings, now: 0 }).type === 'ask'
  );
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
      Number(!doesAsk(config, { name: nameOf(place), category: isToolCategory(value) ? value : initial })),
    (place, isMore) => `${code(nameOf(place))} ${isMore ? 'no longer asks' : 'now asks'}: ${plainWords(place)}`,
  );
}
