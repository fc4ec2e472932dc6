/*
 * Settings that allow far more than they seem to. None is found by its spelling: the rules themselves are asked about
 * representative calls, hosts, commands and folders, so that another spelling of the same is found too.
 */

import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { InLanguage, Language } from '../lib/words.ts';
import { allFindings, type CommandKind, doesKind } from '../tools/guard/command/command-reading.ts';
import { fitsDomains, isLocalName, networkRules, parsePrivateHost } from '../tools/guard/network/network-rules.ts';
import { unlessNow } from '../tools/guard/workspace/workspace-error.ts';
import { allows, type OfferList } from '../tools/registry.ts';
import type { ToolCategory } from '../tools/tool.ts';
import { spellPath } from './config-error.ts';
import { enabledChannels } from './extension-settings.ts';
import { playedTools } from './played-tools.ts';
import type { Config } from './schema.ts';
import type { Around, Brought } from './settings-part.ts';
import { builtinNames, isOff, isToolOn, type ProbedCall, verdictOn } from './tool-rules.ts';
import { type Grave, type Held, type Unasked, warningWords } from './warnings/words.ts';
import { contains } from './workspace.ts';

type Warnings = Generator<InLanguage>;

/** Warnings about what asks nobody, and what is open to nearly everything. The config's paths are absolute. */
export async function looseSettings({
  config,
  brought,
}: Pick<Around, 'config' | 'brought'>): Promise<readonly InLanguage[]> {
  return [
    ...unasked(config, brought),
    ...unofferedTools(config, brought),
    ...openNetworks(config),
    ...openDomains(config),
    ...wideWorkspaces(config),
    ...doubtfulPrices(config),
    ...readableKeys(config, brought),
    ...(await unaskedCommands(config)),
  ];
}

/** Calls that only read, or keep to Keyturn's own memory. */
const harmless: readonly ToolCategory[] = ['filesystem_read', 'network_read', 'memory'];

/** The known tools that are on. Those of plugins, files and devices are not known here. */
function knownCalls(config: Config, brought: Brought, isConfined = true): readonly ProbedCall[] {
  const { custom_tools } = config;
  const builtins = playedTools(config, isConfined).map(({ name, category }) => ({ name, category }));
  const ofFeatures = builtinNames(config).filter(
    (name) => !isOff(config, name) && !builtins.some((tool) => tool.name === name),
  );
  return [
    ...builtins.map((tool) => (tool.name === 'shell' ? { ...tool, facets: { unconfined: !isConfined } } : tool)),
    ...ofFeatures.map((name) => ({ name, category: 'memory' as const })),
    ...custom_tools.map(({ name, category }) => ({ name, category })),
    ...brought.calls,
  ];
}

/** The known tools that run, change or send something, by what becomes of their calls in a conversation without taint. */
export function consequences(config: Config, brought: Brought, isConfined = config.tools.shell.sandbox !== 'off') {
  const calls = knownCalls(config, brought, isConfined).filter(
    (call) => isToolOn(config, call) && !harmless.includes(call.category),
  );
  return Map.groupBy(calls, (call) => verdictOn(config, call));
}

function* unasked(config: Config, brought: Brought): Warnings {
  const { approval, agent } = config;
  // These are warned of by their names.
  if (!approval.enabled || approval.policy === 'always_allow') return;
  const found = consequences(config, brought);
  const free = found.get('allow') ?? [];
  const names = free.map(({ name }) => name);
  const lists: Unasked = approval.policy === 'require_for_tools' ? 'tools' : 'dangerous';
  const why = agent.mode === 'autonomous' ? 'autonomous' : lists;
  const isTainting = config.security.taint !== 'off';
  if (free.length > 0 && found.size === 1)
    yield (language) => warningWords[language].nothingAsks({ why, names, isTainting });
  else if (free.some(({ category }) => category === 'shell'))
    yield (language) => warningWords[language].shellUnasked({ why, names });
}

/** Places where the lists of tools leave none. An empty `only` is warned of by its name. */
function* unofferedTools(config: Config, brought: Brought): Warnings {
  const { per_chat: places, ...everywhere } = config.tools;
  const known = knownCalls(config, brought);
  const isEmpty = (...lists: readonly OfferList[]): boolean =>
    lists.every(({ only }) => only.length > 0) && !known.some((tool) => lists.every((list) => allows(list, tool)));
  if (isEmpty(everywhere)) yield (language) => warningWords[language].noToolAnywhere;
  else
    for (const [place, list] of Object.entries(places))
      if (isEmpty(everywhere, list)) yield (language) => warningWords[language].noToolIn({ place });
}

/** An address of each private network. */
const privateAddresses: readonly string[] = [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '127.0.0.1',
  '169.254.0.1',
  '100.64.0.1',
];
/** A block with fewer bits in common than this spans several networks. */
const narrowest = 8;

function* openNetworks({ tools: { network } }: Config): Warnings {
  const { allow_private: entries } = network;
  if (entries.length === 0) return;
  const wide = entries.filter((entry) => {
    const host = parsePrivateHost(entry);
    return typeof host === 'object' && host.type === 'block' && host.bits < narrowest;
  });
  for (const entry of wide) yield (language) => warningWords[language].wideNetwork({ entry });
  const rules = networkRules(entries);
  const isOpen = (address: string): boolean => rules.refuse(`http://${address}/`) === undefined;
  if (wide.length === 0 && privateAddresses.slice(0, 4).every(isOpen))
    yield (language) => warningWords[language].allNetworks;
}

/** Hosts that anybody may have. */
const anybodysHosts: readonly string[] =
  `anybody.com anybody.net anybody.org anybody.io anybody.dev anybody.app anybody.ai
  anybody.co anybody.me anybody.info anybody.xyz anybody.cn anybody.de anybody.eu anybody.co.uk anybody.com.cn anybody.com.au
  anybody.github.io anybody.gitlab.io anybody.pages.dev anybody.workers.dev anybody.vercel.app anybody.netlify.app
  anybody.herokuapp.com anybody.web.app anybody.firebaseapp.com anybody.appspot.com anybody.run.app anybody.fly.dev
  anybody.onrender.com anybody.ngrok.io anybody.ngrok-free.app anybody.trycloudfront.com anybody.cloudfront.net
  anybody.s3.amazonaws.com anybody.amazonaws.com anybody.azurewebsites.net anybody.blob.core.windows.net
  anybody.blogspot.com anybody.wordpress.com anybody.substack.com anybody.duckdns.org`.split(/\s+/);

function* openDomains({ tools: { shell, http_request, network } }: Config): Warnings {
  const lists = [
    ['tools.shell.allowed_domains', shell.allowed_domains],
    ['tools.http_request.allowed_domains', http_request.allowed_domains],
    ['tools.network.trusted_domains', network.trusted_domains],
  ] as const;
  for (const [list, patterns] of lists)
    for (const pattern of patterns) {
      // Warned of by its name.
      if (pattern === '*' && list === 'tools.network.trusted_domains') continue;
      const isTop = /^\*\.[^.]+$/.test(pattern) && !isLocalName(`a${pattern.slice(1)}`);
      const host = anybodysHosts.find((one) => fitsDomains(one, [pattern]));
      if (pattern === '*' || isTop || host !== undefined)
        yield (language) => warningWords[language].openDomain({ list, pattern, host });
    }
}

/** Folders of the system, which other programs rely on. */
const systemFolders: readonly string[] =
  `/bin /boot /dev /etc /lib /lib32 /lib64 /opt /proc /run /sbin /srv /sys /usr /usr/bin
  /usr/lib /usr/local /usr/local/bin /var /var/lib /var/log /Applications /Library /System /private/etc /private/var`.split(
    /\s+/,
  );
/** Of these, no folder within is for tools either. */
const closedFolders: readonly string[] =
  '/bin /boot /etc /lib /lib64 /proc /sbin /sys /usr/bin /usr/lib /usr/sbin /System'.split(' ');
/** Within a home, what programs and people trust. */
const ownFolders: readonly string[] =
  '.ssh .gnupg .aws .azure .kube .docker .config .local .mozilla .password-store'.split(' ');

function* wideWorkspaces({ workspace, agents }: Config): Warnings {
  const places = [
    ['workspace', workspace] as const,
    ...Object.entries(agents).map(([name, agent]) => [`agents.${name}.workspace`, agent.workspace] as const),
  ];
  for (const [key, template] of places) {
    if (template === undefined) continue;
    const held = template.includes('{') ? closedBy(template) : heldBy(template);
    if (held !== undefined) yield (language) => warningWords[language].wideWorkspace({ key, folder: template, held });
  }
}

/** Where each conversation has a folder of its own, only what stands around these matters. */
function closedBy(template: string): Held | undefined {
  const root = template.replace(/[^/]*\{.*$/, '');
  return closedFolders.some((closed) => contains(closed, root)) ? 'in-system' : undefined;
}

/** What a folder is or holds that is not for tools; undefined if nothing. Links are followed. */
function heldBy(folder: string): Held | undefined {
  const root =
    unlessNow(['ENOENT', 'ENOTDIR', 'EACCES'], () => realpathSync(folder)) ?? folder.replace(/(.)\/+$/, '$1');
  const home = homedir();
  const isOneHome = root === home || root === '/root' || ['/home', '/Users'].includes(dirname(root));
  if (root === '/') return 'disk';
  if (isOneHome) return 'home';
  if (contains(root, home) || ['/home', '/Users'].includes(root)) return 'homes';
  if (ownFolders.some((name) => contains(`${home}/${name}`, root))) return 'keys';
  const isSystem = systemFolders.includes(root) || closedFolders.some((closed) => contains(closed, root));
  return isSystem ? 'system' : undefined;
}

/** No model costs so little per million tokens; many cost this per token or per thousand. */
const leastPrice = 0.005;

function* doubtfulPrices({ models }: Config): Warnings {
  for (const [name, { price = {} }] of Object.entries(models))
    for (const [key, amount] of Object.entries<number>(price))
      if (amount > 0 && amount < leastPrice) yield (language) => warningWords[language].lowPrice({ name, key, amount });
}

/** Keys and tokens that go to another machine unencrypted. */
function* readableKeys({ models, transcription, tools, channels }: Config, { servers }: Brought): Warnings {
  const { web_search } = tools;
  const places: readonly (readonly [key: string, address: unknown, isSecret: boolean])[] = [
    ...Object.entries(models).map(
      ([name, { base_url, api_key, headers, provider }]) =>
        [`models.${name}.base_url`, base_url, holdsKey(api_key, headers) || provider !== 'openai_compatible'] as const,
    ),
    ['transcription.base_url', transcription?.base_url, holdsKey(transcription?.api_key)],
    ['tools.web_search.base_url', web_search.base_url, holdsKey(web_search.api_key)],
    ...servers.map(({ path, address, hasKey }) => [spellPath(path), address, hasKey] as const),
    // A platform gets the token with each request.
    ...[...enabledChannels(channels).keys()].flatMap((name) =>
      Object.entries(Object(channels[name])).map(([key, value]) => [`channels.${name}.${key}`, value, true] as const),
    ),
  ];
  for (const [key, address, isSecret] of places)
    if (isSecret && typeof address === 'string' && goesInTheOpen(address))
      yield (language) => warningWords[language].keyInTheOpen({ key, host: new URL(address).hostname });
}

export function holdsKey(key: string | undefined, headers: Readonly<Record<string, string>> = {}): boolean {
  return (key ?? '') !== '' || Object.keys(headers).some((name) => /auth|key|token|cookie|secret/i.test(name));
}

function goesInTheOpen(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && !/^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(url.hostname);
}

/** What a command should ask for, the worst first; of commands that the entry itself names, `upload` is meant. */
const graveKinds = [
  'downloaded_code',
  'recursive_deletion',
  'system_change',
  'privilege',
  'deletion',
  'network_listener',
  'hidden_code',
  'upload',
] as const satisfies readonly (CommandKind & Grave)[];

/** Ends of commands with which many programs delete, run code or send: any command's, and those of a program alone. */
const ends: readonly string[] = ['x', '', '-r x', '-rf x', '-c x', '-e x', 'x -delete', '-d @x https://example.com'];
const programEnds: readonly string[] = [
  ...[
    'x -exec rm {} +',
    'clean -fdx',
    'rm -r x',
    'rm x',
    'prune',
    'push x',
    'x example.com:/tmp',
    '-l 8080',
    'install x',
  ],
];

/** Commands that `tools.shell.allow` lets run without asking although they delete, run unread code or send. */
async function unaskedCommands(config: Config): Promise<readonly InLanguage[]> {
  const { shell } = config.tools;
  if (shell.allow.length === 0 || !shell.enabled) return [];
  const [{ commandRules }, { readCommands }, { interpreterOf, isShell }] = await Promise.all([
    import('../tools/guard/command/command-rules.ts'),
    import('../tools/guard/command/read-commands.ts'),
    import('../tools/guard/command/risks.ts'),
  ]);
  return shell.allow.flatMap((entry) => {
    if (entry.startsWith('@')) return [];
    const rules = commandRules({ deny: shell.deny, allow: [entry] });
    const words = entry.trim().replace(/\s*\*$/, '');
    const takesCode = isShell(words) || interpreterOf(words) !== undefined;
    const isMeant = doesKind(readCommands(words), 'upload');
    for (const end of [...ends, ...(words.includes(' ') ? [] : programEnds)]) {
      const reading = readCommands(`${words} ${end}`.trim());
      if (rules.forbids(reading) !== undefined || !rules.allows(reading)) continue;
      const kinds = new Set<string>(allFindings(reading).map(({ kind }) => kind));
      const grave = graveKinds.find(
        (kind) => kinds.has(kind) && (kind !== 'hidden_code' || takesCode) && (kind !== 'upload' || !isMeant),
      );
      if (grave !== undefined)
        return [(language: Language) => warningWords[language].unaskedCommand({ entry, command: reading.text, grave })];
    }
    return [];
  });
}
