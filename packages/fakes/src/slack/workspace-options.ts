/** One workspace and the app in it. What is not given is made up; what two workspaces share makes them of one app. */
export interface WorkspaceOptions {
  readonly teamId?: string;
  readonly name?: string;
  readonly botToken?: string;
  readonly botUserId?: string;
  readonly botId?: string;
  readonly botName?: string;
  readonly appId?: string;
  readonly appToken?: string;
  readonly signingSecret?: string;
  /** What the bot was granted when the app was installed last. All that the methods ask for, if not set. */
  readonly scopes?: readonly string[];
}

/** Who the app is in a workspace. */
export type Installation = Required<Omit<WorkspaceOptions, 'scopes'>>;

/** Every scope that a method of the fake asks for, and those that events and downloads need. */
export const allScopes: readonly string[] = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'mpim:history',
  'mpim:read',
  'mpim:write',
  'reactions:read',
  'reactions:write',
  'team:read',
  'users:read',
];

export function installationOf({ scopes: _granted, ...options }: WorkspaceOptions, index: number): Installation {
  return {
    teamId: `T0000000${index + 1}`,
    name: `Testers ${index + 1}`,
    botToken: `xoxb-1000000000${index}-2000000000${index}-${'b'.repeat(24)}`,
    botUserId: `U0BOT000${index + 1}`,
    botId: `B0BOT000${index + 1}`,
    botName: 'keyturn',
    appId: 'A00000001',
    appToken: `xapp-1-A00000001-3000000000-${'a'.repeat(64)}`,
    signingSecret: '0123456789abcdef0123456789abcdef',
    ...options,
  };
}
