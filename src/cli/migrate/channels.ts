import { partsOf } from '../../contract.ts';
import type { JsonValue } from '../../lib/json.ts';
import type { FoundChannel, FoundGroup, Left, Secret } from './findings.ts';
import { type Gathering, idsOf } from './gathering.ts';
import { expand, type Variables } from './secrets.ts';
import { migrateWords } from './words.ts';

/** What a program's config says of a channel that both have. */
export interface WrittenChannel {
  readonly channel: FoundChannel['channel'];
  readonly file: string;
  readonly isOn: boolean;
  /** Whether the program's settings let in everybody, besides `*` in the list. */
  readonly isOpen?: boolean;
  /** By the key of our config. */
  readonly tokens: Readonly<Record<string, JsonValue | undefined>>;
  readonly people: JsonValue | undefined;
  readonly owners?: JsonValue | undefined;
  readonly groups?: Readonly<Record<string, WrittenGroup>>;
  readonly variables: Variables;
}

export interface WrittenGroup {
  readonly needsMention: boolean;
  readonly people: JsonValue | undefined;
}

interface Shape {
  /** Of people's ids, without what programs write before them. */
  readonly id: RegExp;
  readonly group: RegExp;
  /** By the key of our config: the form of the token, and its variable. */
  readonly tokens: Readonly<Record<string, readonly [RegExp, string]>>;
}

const shapes: Readonly<Record<FoundChannel['channel'], Shape>> = {
  telegram: {
    id: /^\d{1,20}$/,
    group: /^-\d{1,20}$/,
    tokens: { token: [/^\d+:[\w-]+$/, 'TELEGRAM_BOT_TOKEN'] },
  },
  slack: {
    id: /^[TE][A-Z0-9]+\/[UWB][A-Z0-9]+$/,
    group: /^[CG][A-Z0-9]+$/,
    tokens: {
      bot_token: [/^xoxb-[\w-]+$/, 'SLACK_BOT_TOKEN'],
      app_token: [/^xapp-[\w-]+$/, 'SLACK_APP_TOKEN'],
    },
  },
  discord: {
    id: /^(?:role:)?\d{5,20}$/,
    group: /^(?:\d{5,20}\/)?\d{5,20}$/,
    tokens: { token: [/^[\w-]{10,}\.[\w-]{3,}\.[\w-]{10,}$/, 'DISCORD_BOT_TOKEN'] },
  },
};

/** The channel as it can be taken. What would let in more people than are named is left out, and said. */
export function channelOf(written: WrittenChannel, gathered: Gathering): FoundChannel {
  const { channel, file, isOn } = written;
  const tokens = tokensOf(written, gathered);
  const isComplete = Object.keys(tokens).length === Object.keys(shapes[channel].tokens).length;
  return {
    channel,
    file,
    isOn: isOn && isComplete,
    isOpen: isOpenOf(written, gathered),
    tokens,
    people: peopleOf(written.people, `${channel}: allow`, written, gathered),
    owners: peopleOf(written.owners, `${channel}: owners`, written, gathered),
    groups: groupsOf(written, gathered),
  };
}

/** The `*` in the list is named where the list is read. */
function isOpenOf({ channel, file, isOpen = false, people }: WrittenChannel, gathered: Gathering): boolean {
  if (isOpen)
    gathered.left.push({ what: `${channel}: open`, file, why: (language) => migrateWords[language].everybody });
  return isOpen || idsOf(people).includes('*');
}

function tokensOf(written: WrittenChannel, gathered: Gathering): Readonly<Record<string, Secret>> {
  const { channel, file, variables } = written;
  const found = Object.entries(shapes[channel].tokens).flatMap(([key, [shape, variable]]) => {
    const what = `${channel}: ${key}`;
    const before = gathered.left.length;
    const value = expand(written.tokens[key], { gathered, variables, what, file })?.replace(/^Bot\s+/i, '');
    if (value !== undefined && shape.test(value)) return [[key, { variable, value }] as const];
    if (gathered.left.length === before) {
      const isThere = value !== undefined;
      gathered.left.push({ what, file, why: (language) => migrateWords[language].noToken({ isThere, variable }) });
    }
    return [];
  });
  return Object.fromEntries(found);
}

function peopleOf(
  list: JsonValue | undefined,
  what: string,
  { channel, file }: WrittenChannel,
  gathered: Gathering,
): readonly string[] {
  return idsOf(list).flatMap((written) => {
    const id = written.replace(/^(?:telegram|tg|discord|slack|user|pk):/i, '').replace(/^<@!?(\w+)>$/, '$1');
    if (shapes[channel].id.test(id)) return [id];
    const why = whyNot(written, channel);
    gathered.left.push({ what: written === '*' ? `${what}: "*"` : `${what}: ${written}`, file, why });
    return [];
  });
}

function whyNot(written: string, channel: FoundChannel['channel']): Left['why'] {
  if (written === '*') return (language) => migrateWords[language].everybody;
  if (channel === 'slack') return (language) => migrateWords[language].slackTeam;
  return (language) => migrateWords[language].noId;
}

function groupsOf(written: WrittenChannel, gathered: Gathering): FoundChannel['groups'] {
  const { channel, file, groups = {} } = written;
  const found = Object.entries(groups).flatMap(([id, group]): readonly (readonly [string, FoundGroup])[] => {
    const what = `${channel}: ${id}`;
    if (shapes[channel].group.test(id)) {
      const people = peopleOf(group.people, what, written, gathered);
      return [[id, { needsMention: group.needsMention, people }]];
    }
    gathered.left.push({ what, file, why: (language) => migrateWords[language].anyGroup });
    return [];
  });
  return Object.fromEntries(found);
}

/** Whether an account has the form of its channel; that of others is not known. */
export function isAccount(principal: string): boolean {
  if (!principal.includes(':')) return false;
  const { channel, senderId } = partsOf(principal);
  const shape = new Map(Object.entries(shapes)).get(channel);
  return shape === undefined ? /^[a-z][\w-]*$/.test(channel) && /^\S+$/.test(senderId) : shape.id.test(senderId);
}

/** Names the channels of a program that are not among ours. */
export function leaveChannels(names: readonly string[], file: string, gathered: Gathering): void {
  const ours = Object.keys(shapes);
  for (const what of names.filter((name) => !ours.includes(name)))
    gathered.left.push({ what, file, why: (language) => migrateWords[language].otherChannel });
}
