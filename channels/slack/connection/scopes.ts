/** What an app must be allowed to do for each method of the Web API that is called here. */
export const methodScopes: Readonly<Record<string, readonly string[]>> = {
  'auth.test': [],
  'bots.info': ['users:read'],
  'users.info': ['users:read'],
  'chat.postMessage': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.startStream': ['chat:write'],
  'chat.appendStream': ['chat:write'],
  'chat.stopStream': ['chat:write'],
  'assistant.threads.setStatus': ['assistant:write'],
  'assistant.threads.setSuggestedPrompts': ['assistant:write'],
  'conversations.info': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  'views.open': [],
  'files.getUploadURLExternal': ['files:write'],
  'files.completeUploadExternal': ['files:write'],
  'files.delete': ['files:write'],
  'files.info': ['files:read'],
};

/** What an app must be allowed to do to be told of each event that is taken here. */
export const eventScopes: Readonly<Record<string, readonly string[]>> = {
  app_mention: ['app_mentions:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  assistant_thread_started: ['assistant:write'],
  agent_session_stopped: ['assistant:write'],
};

/** Without these, what people write cannot be answered. */
const talking = 'chat:write';
const listening = ['im:history', 'app_mentions:read', 'channels:history', 'groups:history', 'mpim:history'] as const;

/** What does not work without a scope. */
const features: Readonly<Record<string, string>> = {
  'im:history': 'talking in direct messages',
  'app_mentions:read': 'being called by a mention',
  'channels:history': 'reading public channels',
  'groups:history': 'reading private channels',
  'mpim:history': 'reading direct messages of several people',
  'channels:read': 'knowing the names of public channels',
  'groups:read': 'knowing the names of private channels',
  'im:read': 'knowing direct messages',
  'mpim:read': 'knowing direct messages of several people',
  'reactions:write': 'marking messages with reactions',
  'files:read': 'reading the files that people send',
  'files:write': 'sending files',
  'users:read': 'knowing the names of people',
  'assistant:write': 'the status and the suggestions in the pane of the assistant',
  commands: 'the slash command',
};

export interface LostFeature {
  readonly feature: string;
  readonly missing: string;
}

/** What the bot cannot do with what was granted, beside which it works. */
export function lostFeatures(granted: ReadonlySet<string>): readonly LostFeature[] {
  return Object.entries(features).flatMap(([missing, feature]) => (granted.has(missing) ? [] : [{ feature, missing }]));
}

/** In words for the operator, why the bot cannot talk to anybody with what was granted. Undefined if it can. */
export function missingToTalk(granted: ReadonlySet<string>): string | undefined {
  const missing = [
    ...(granted.has(talking) ? [] : [talking]),
    ...(listening.some((scope) => granted.has(scope)) ? [] : listening),
  ];
  if (missing.length === 0) return undefined;
  return `The app may not talk to anybody: it lacks ${missing.join(', ')}. Add the scopes (api.slack.com/apps → your app → OAuth & Permissions) and reinstall the app. It is looked at again and again.`;
}
