/** A request, as far as it is spoken of. */
export interface ApiRequest {
  readonly method: string;
  readonly route: string;
  /** Whether the bot's token goes with it. */
  readonly auth: boolean;
  readonly hasFiles: boolean;
}

interface Deed {
  readonly method: string;
  readonly route: RegExp;
  /** What it does, before the name of the channel if there is one. */
  readonly words: string;
  /** What the bot must be allowed to do for it. */
  readonly permissions: readonly string[];
}

/** The first group of each pattern is the id of the channel. None of them has an interaction's token in a group. */
const deeds: readonly Deed[] = [
  {
    method: 'POST',
    route: /^\/channels\/(\d+)\/messages$/,
    words: 'sending a message to',
    permissions: ['View Channel', 'Send Messages', 'Send Messages in Threads (in a thread)', 'Read Message History'],
  },
  {
    method: 'PATCH',
    route: /^\/channels\/(\d+)\/messages\/\d+$/,
    words: 'changing a message in',
    permissions: ['View Channel', 'Send Messages', 'Send Messages in Threads (in a thread)'],
  },
  {
    method: 'DELETE',
    route: /^\/channels\/(\d+)\/messages\/\d+$/,
    words: 'removing a message from',
    permissions: ['View Channel'],
  },
  {
    method: 'PUT',
    route: /^\/channels\/(\d+)\/messages\/\d+\/reactions\//,
    words: 'marking a message in',
    permissions: ['View Channel', 'Read Message History', 'Add Reactions'],
  },
  {
    method: 'DELETE',
    route: /^\/channels\/(\d+)\/messages\/\d+\/reactions\//,
    words: 'taking a mark from a message in',
    permissions: ['View Channel', 'Read Message History'],
  },
  {
    method: 'POST',
    route: /^\/channels\/(\d+)\/typing$/,
    words: 'showing that the bot is typing in',
    permissions: ['View Channel', 'Send Messages', 'Send Messages in Threads (in a thread)'],
  },
  {
    method: 'GET',
    route: /^\/channels\/(\d+)\/messages/,
    words: 'reading',
    permissions: ['View Channel', 'Read Message History'],
  },
  {
    method: 'PATCH',
    route: /^\/channels\/(\d+)$/,
    words: 'opening again',
    permissions: ['View Channel', 'Send Messages in Threads', 'Manage Threads'],
  },
  { method: 'GET', route: /^\/channels\/(\d+)$/, words: 'looking at', permissions: ['View Channel'] },
  { method: 'POST', route: /^\/users\/@me\/channels$/, words: 'opening a direct chat', permissions: [] },
  { method: 'PUT', route: /^\/applications\/\d+\/commands$/, words: 'writing the slash commands', permissions: [] },
  { method: 'GET', route: /^\/gateway/, words: 'asking for the gateway', permissions: [] },
  { method: 'POST', route: /^\/interactions\//, words: 'answering a press or a command', permissions: [] },
];

/** What the request does, in words that hold nothing secret. */
export function deedWords(request: ApiRequest): string {
  const deed = deedOf(request);
  if (deed !== undefined) {
    const place = channelOf(request);
    return place === undefined ? deed.words : `${deed.words} the channel ${place}`;
  }
  if (request.route.startsWith('/webhooks/')) return 'answering a command for one person';
  return `${request.method} ${request.route.replaceAll(/\/[^/]*\d[^/]*/g, '/…')}`;
}

/** What the bot must be allowed to do for the request, by the names that Discord's settings have for it. */
export function neededPermissions(request: ApiRequest): readonly string[] {
  const needed = deedOf(request)?.permissions ?? [];
  return request.hasFiles ? [...needed, 'Attach Files'] : needed;
}

/** The channel or thread that it is about. */
export function channelOf(request: ApiRequest): string | undefined {
  return deedOf(request)?.route.exec(request.route)?.[1];
}

function deedOf({ method, route }: ApiRequest): Deed | undefined {
  return deeds.find((deed) => deed.method === method && deed.route.test(route));
}
