import { enabledChannels } from '../../config/extension-settings.ts';
import { type Config, peopleIn } from '../../config/schema.ts';
import { type Conversation, type InboundEvent, partsOf, principalOf } from '../../contract.ts';
import { createAccounts, createOwners } from './access.ts';
import { type ConfiguredAccess, createAccess } from './access-rules.ts';

/**
 * Whether somebody is heard. `code`: they get a code, with which an owner can let them in. `absent`: no owner of the config
 * has an account on the channel.
 */
export type Heard = 'yes' | 'when addressed' | 'code' | 'no' | 'absent';

/** Who is heard in one kind of conversation. */
export interface PlayedAccess {
  readonly channel: string;
  /** `directly`, a group of the config, or `other groups`. */
  readonly where: string;
  readonly owner: Heard;
  /** Somebody whom an owner has let in with a code. */
  readonly friend: Heard;
  readonly stranger: Heard;
}

/** Has an owner, a friend and a stranger write in each kind of conversation of the enabled channels, and tells who is heard. */
export function playAccess(config: Config): readonly PlayedAccess[] {
  return [...enabledChannels(config.channels)].flatMap(([channel, { groups }]) => {
    // The person at the machine needs no permission.
    if (channel === 'terminal') return [];
    const { accountsOf } = createAccounts(() => peopleIn(config).map(({ accounts }) => accounts), []);
    const known = config.owners.flatMap(accountsOf).find((owner) => partsOf(owner).channel === channel);
    const isAbsent = known === undefined && config.owners.length > 0;
    const people = {
      owner: known ?? principalOf(channel, 'keyturn:owner'),
      friend: principalOf(channel, 'keyturn:friend'),
    };
    const access = accessFor(config, people);
    const conversations: readonly (readonly [name: string, conversation: Conversation])[] = [
      ['directly', { channel, chatId: 'keyturn:direct', kind: 'direct' }],
      ...Object.keys(groups).map((name) => [`group ${name}`, { channel, chatId: name, kind: 'group' }] as const),
      ['other groups', { channel, chatId: 'keyturn:group', kind: 'group' }],
    ];
    return conversations.map(([where, conversation]) => {
      const heard = (principal: string) => heardBy(access, config, conversation, partsOf(principal).senderId);
      return {
        channel,
        where,
        owner: isAbsent ? 'absent' : heard(people.owner),
        friend: heard(people.friend),
        stranger: heard(principalOf(channel, 'keyturn:stranger')),
      };
    });
  });
}

/** The rules of the config, with an owner who has claimed it if it names none, and a friend. */
function accessFor(config: Config, { owner, friend }: { readonly owner: string; readonly friend: string }) {
  const { accountsOf } = createAccounts(() => peopleIn(config).map((person) => person.accounts), []);
  const channels = enabledChannels(config.channels);
  return createAccess({
    rules: () => channels,
    owners: createOwners({ fixed: () => config.owners, local: () => [], claimed: [owner], accountsOf }),
    paired: new Set([friend]),
    accountsOf,
    formerChats: () => [],
    groupChoice: () => undefined,
  });
}

function heardBy(access: ConfiguredAccess, { pairing }: Config, conversation: Conversation, id: string): Heard {
  const ask = (addressed: boolean) => access.accessOf(message(conversation, id, addressed)).type;
  if (ask(true) === 'refuse') return pairing.enabled ? 'code' : 'no';
  if (ask(true) !== 'welcome') return 'no';
  return ask(false) === 'welcome' ? 'yes' : 'when addressed';
}

function message(conversation: Conversation, id: string, addressed: boolean): InboundEvent {
  const sender = { id, name: 'Somebody', isPerson: true };
  return { type: 'message', key: '', conversation, sender, text: 'Hello.', addressed, sentAt: 0 };
}
