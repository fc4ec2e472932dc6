import { realpath, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { directNetwork, type Network } from '../../../lib/network/network.ts';
import { type Words, wordsIn } from '../../../lib/words.ts';
import { systemLookup } from '../network/network-rules.ts';
import { contains } from '../workspace/place.ts';
import { absent, unless } from '../workspace/workspace-error.ts';
import {
  type BareCommand,
  type BoundedCommand,
  BoundsError,
  type CommandLimits,
  type CommandOutput,
  filterDescriptor,
  unconfined,
  withinLimits,
} from './bounds.ts';
import { type CommandShell, plainShell, shellWords, withoutShellState } from './command-shell.ts';
import { createProtectedNames, type HeldNames, type ProtectedNames } from './protected-places.ts';
import { type CommandNetwork, relayPort, SandboxNetwork } from './sandbox-network.ts';
import { boundsErrorWords } from './words.ts';

/** Parts of the sandbox. Programs are absolute paths. */
export interface SandboxPrograms {
  readonly wrap: string;
  /** See `seccompFilter`. */
  readonly filter: Uint8Array;
  /** socat, which forwards a command's requests to the proxy. Undefined if it is not installed. */
  readonly relay?: string;
}

/** What a sandbox hides besides homes and the machine's usual secrets. */
export interface HiddenPlaces {
  /** Keyturn's own files and folders: absolute paths. */
  readonly privatePaths: readonly string[];
  /** The folder of all workspaces, if each conversation has its own. */
  readonly workspaceRoot?: string;
}

/** Whether commands can run in a sandbox here; if not, the reason and the remedy, as half a sentence. */
export type SandboxState =
  | { readonly holds: true; readonly programs: SandboxPrograms }
  | {
      readonly holds: false;
      readonly reason: Words;
      /** Words before a command that make all its processes end with it, if available: see `findWrapper`. */
      readonly wrapper?: readonly string[];
    };

export interface ProcessBoundsOptions {
  readonly sandbox: SandboxState;
  /** Commands run only in a sandbox. */
  readonly isRequired: boolean;
  /** Default: `sh`. */
  readonly shell?: CommandShell;
  readonly hidden: HiddenPlaces;
  /** Hosts that commands may reach. Empty: no network. */
  readonly allowedDomains: readonly string[];
  /** How their requests get out. Default: directly. */
  readonly network?: Network;
  /** Resource limits of a command. Default: none. */
  readonly limits?: CommandLimits;
  /** Names that commands may not write in a workspace: see `createProtectedNames`. */
  readonly protectedNames?: readonly string[];
}

/** The proxy's socket inside the sandbox. */
const socketPlace = '/run/keyturn/proxy';

/**
 * Chooses the bounds by the state found at start. If a sandbox fails later, the command does not run: there is no
 * fallback.
 */
export interface ProcessBounds {
  /** Rejects with `BoundsError` if the command must not run. */
  bounds(command: BareCommand): Promise<BoundedCommand>;
  /** Whether a sandbox confines commands, rather than only a person's review. */
  isConfined(): boolean;
  /** What reads the commands. */
  shell(): CommandShell;
  /** Closes the network proxy of the commands. */
  stop(): Promise<void>;
}

interface BoundsContext {
  readonly options: ProcessBoundsOptions;
  readonly names: ProtectedNames;
  readonly proxy: SandboxNetwork;
}

/** Options are read for each command, so they may come from a config that is edited. */
export function processBounds(options: ProcessBoundsOptions): ProcessBounds {
  const proxy = new SandboxNetwork(systemLookup, () => options.network ?? directNetwork);
  const context: BoundsContext = { options, names: createProtectedNames(), proxy };
  return {
    bounds: (command) => boundsOf(command, context),
    isConfined: () => options.sandbox.holds,
    shell: () => options.shell ?? plainShell,
    stop: () => proxy.stop(),
  };
}

async function boundsOf(command: BareCommand, context: BoundsContext): Promise<BoundedCommand> {
  const { sandbox, isRequired, limits, shell } = context.options;
  if (sandbox.holds) return confine(command, sandbox.programs, context);
  if (!isRequired) return unconfined(limits, sandbox.wrapper, shell)(command);
  throw new BoundsError((language) =>
    boundsErrorWords[language].noSandbox({ reason: wordsIn(language, sandbox.reason) }),
  );
}

/**
 * Confines a command with bubblewrap: it changes only its workspace, or nothing if it only reads, sees nothing of
 * Keyturn, homes and other processes, reaches only allowed hosts, and ends with all that it started, even processes
 * that hide.
 */
async function confine(
  bare: BareCommand,
  programs: SandboxPrograms,
  { options, names, proxy }: BoundsContext,
): Promise<BoundedCommand> {
  const { hidden, allowedDomains, limits, protectedNames = [], shell = plainShell } = options;
  const isOffline = allowedDomains.length === 0;
  if (!isOffline && programs.relay === undefined)
    throw new BoundsError((language) => boundsErrorWords[language].noSocat);
  const { directory, workspace = directory, args = [], isReadOnly = false } = bare;
  const { mounts, seals } = await viewOf(bare, hidden);
  const network = isOffline ? undefined : await proxy.open(allowedDomains);
  const holding = isReadOnly
    ? names.readOnly(protectedNames, workspace)
    : names.hold(protectedNames, workspace, bare.isFinished === true);
  const held = await holding.catch((cause: unknown) => {
    network?.close();
    throw cause;
  });
  return {
    file: programs.wrap,
    args: [
      ...namespaces(!isOffline),
      ...mounts,
      ...held.mounts,
      ...(network === undefined ? [] : ['--bind', network.socket, socketPlace]),
      ...seals,
      ...(isOffline ? [] : withRelay(programs, directory)),
      ...['--seccomp', String(filterDescriptor), '--chdir', directory, '--'],
      ...withinLimits(limits, true),
      ...shellWords(shell, bare.command, args),
    ],
    environment: { ...withoutShellState(bare.environment), ...network?.environment, TMPDIR: '/tmp' },
    filter: programs.filter,
    endsAsOne: true,
    minFree: limits?.minFree,
    leavesNothing: isReadOnly,
    made: held.made,
    refusals: (output) => refusals(output, { network, held, isReadOnly }),
    finished() {
      network?.close();
      held.release();
    },
  };
}

/**
 * The relay needs a Unix socket, which the filter refuses. So it starts in the sandbox, and the command starts in a
 * second bubblewrap inside, which has the same view, loads the filter and makes a user namespace: from there, the
 * command can't inspect the relay. The shell that starts the relay becomes that bubblewrap and is the first process: it
 * survives a SIGTERM, and nothing survives it.
 */
function withRelay({ wrap, relay = '' }: SandboxPrograms, directory: string): readonly string[] {
  return [
    ...['--as-pid-1', '--chdir', directory, '--'],
    ...['/bin/sh', '-c', startRelay, relay],
    ...[wrap, '--unshare-user', '--cap-drop', 'ALL', '--dev-bind', '/', '/'],
  ];
}

/**
 * Starts the relay, which is `$0`, waits until it listens, and becomes the rest. It listens when a TCP socket is in
 * use: there are no others yet. The relay does not get the filter.
 */
const startRelay = `
"$0" TCP4-LISTEN:${relayPort},bind=127.0.0.1,fork,reuseaddr,backlog=256 UNIX-CONNECT:${socketPlace} >/dev/null 2>&1 ${filterDescriptor}<&- &
listens() {
  while read -r kind _ count _; do
    if [ "$kind" = TCP: ]; then [ "$count" -gt 0 ]; return; fi
  done < /proc/net/sockstat
}
until listens; do
  if ! kill -0 $! 2>/dev/null; then echo 'The command did not run: the relay of the sandbox has ended.' >&2; exit 126; fi
done
exec "$@"
`;

interface Confinement {
  readonly network: CommandNetwork | undefined;
  readonly held: HeldNames;
  readonly isReadOnly: boolean;
}

function refusals({ stdout, stderr }: CommandOutput, { network, held, isReadOnly }: Confinement): readonly string[] {
  const lines = (network?.refused() ?? []).map(
    (host) => `The sandbox does not allow reaching ${host}. The operator can add hosts to tools.shell.allowed_domains.`,
  );
  lines.push(...(network?.faults() ?? []));
  if (network === undefined && unresolved.test(stderr))
    lines.push('In the sandbox there is no network. The operator can name hosts in tools.shell.allowed_domains.');
  if (/read-only file system/i.test(stderr)) lines.push(isReadOnly ? onlyScratch : onlyWorkspace);
  const listed = listedIn(stdout, held.standIns());
  if (listed.length > 0)
    lines.push(
      `These are not files: ${listed.join(', ')}. The sandbox holds the names while a command runs, so that it cannot write them (tools.shell.protected).`,
    );
  return lines;
}

const onlyWorkspace =
  'In the sandbox only the workspace and /tmp can be written, and /tmp ends with the command. In the workspace, the names in tools.shell.protected cannot be written.';
const onlyScratch =
  'This command was taken for one that only reads, so in the sandbox it could write only to /tmp, which ends with it.';

/** So many of the names show that it is a listing, and not a text that mentions one. */
const leastListed = 3;

/** The names that the output lists; none if it only mentions some. */
function listedIn(output: string, names: readonly string[]): readonly string[] {
  const words = new Set(output.split(/[\s/'"]+/));
  const listed = names.filter((name) => name.split('/').every((part) => part === '' || words.has(part)));
  return listed.length < Math.min(leastListed, names.length) ? [] : listed;
}

/** How programs report a missing network. */
const unresolved =
  /could not resolve|name resolution|name or service not known|EAI_AGAIN|ENETUNREACH|network is unreachable|unable to resolve/i;

/** Maximum size of each temporary folder, in bytes. */
const scratchSize = String(512 * 2 ** 20);

/** Kinds of places, in the order of mounting for the same path. */
const order = ['empty', 'scratch', 'shown', 'given', 'workspace', 'hidden'] as const;

interface Place {
  readonly kind: (typeof order)[number];
  readonly path: string;
  readonly isFile: boolean;
}

/**
 * Arguments of bubblewrap that do not depend on the command: they take away the machine's network and processes.
 * `holdsAnother`: a second bubblewrap starts inside.
 */
function namespaces(holdsAnother: boolean): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    ...wordsOf(`--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try
      --die-with-parent --cap-drop ALL`),
    // A user namespace with a root needs this.
    ...(holdsAnother && isRoot ? ['--cap-add', 'CAP_SETFCAP'] : []),
    ...wordsOf(`--ro-bind / / --dev /dev --size ${scratchSize} --tmpfs /dev/shm --remount-ro /dev --proc /proc`),
    // Root owns them, and may write to them even without capabilities.
    ...(isRoot ? kernelSettings.flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]) : []),
  ];
}

function wordsOf(line: string): readonly string[] {
  return line.split(/\s+/);
}

/** Kernel settings for the whole machine: one of them names a program that the kernel runs as root. */
const kernelSettings = wordsOf('sys fs driver acpi scsi mtrr sysrq-trigger pressure');

/**
 * What a command sees, as arguments of bubblewrap: the machine, read only, without homes, sockets, other people's
 * temporary files, secrets and Keyturn's own files; its workspace, writable unless it only reads; and an empty home and
 * temporary folders that last as long as the command. Folders of a home that are on the PATH are shown. Mounts between
 * `mounts` and `seals` can still go into sealed folders.
 */
async function viewOf(
  { directory, workspace = directory, shown: given = [], environment, isReadOnly = false }: BareCommand,
  { privatePaths, workspaceRoot }: HiddenPlaces,
) {
  const home = environment.HOME === sep ? undefined : environment.HOME;
  const kept = homeSecrets.map((name) => join(environment.HOME ?? '/', name));
  const wanted: Readonly<Record<Place['kind'], readonly string[]>> = {
    empty: ['/home', '/root', '/run', '/var/tmp'],
    scratch: ['/tmp', ...(home === undefined ? [] : [home])],
    shown: toolFolders(environment),
    given,
    workspace: [workspace, ...foldersOnTheWay(workspace, [...privatePaths, ...kept])],
    hidden: [...privatePaths, ...(workspaceRoot === undefined ? [] : [workspaceRoot]), ...systemSecrets, ...kept],
  };
  const found = order.flatMap((kind) => wanted[kind].map((path) => find(kind, path)));
  const places = needed((await Promise.all(found)).flat());
  return {
    mounts: places.flatMap((place) => mount(place, isReadOnly)),
    // After all mounts: a write to a folder that only looks empty then fails, rather than being lost.
    seals: places.flatMap(({ kind, path, isFile }) =>
      (kind === 'empty' || kind === 'hidden') && !isFile ? ['--remount-ro', path] : [],
    ),
  };
}

/** A mount point can't be moved. Otherwise private files inside could be found under another name. */
function foldersOnTheWay(workspace: string, privatePaths: readonly string[]): readonly string[] {
  const inside = privatePaths.filter((path) => path !== workspace && contains(workspace, path));
  return inside.flatMap((path) => {
    const names = relative(workspace, path).split(sep).slice(0, -1);
    return names.map((_, index) => join(workspace, ...names.slice(0, index + 1)));
  });
}

/** By its real path: a mount on a link would be missing under its other names. */
async function find(kind: Place['kind'], path: string): Promise<readonly Place[]> {
  const real = isAbsolute(path) ? await unless(absent, realpath(path)) : undefined;
  const found = real === undefined ? undefined : await unless(absent, stat(real));
  if (real === undefined || found === undefined) return [];
  const paths = kind === 'shown' || kind === 'given' ? [...new Set([path, real])] : [real];
  return paths.map((each) => ({ kind, path: each, isFile: !found.isDirectory() }));
}

/** Outer places first, without those that an outer one already hides. */
function needed(places: readonly Place[]): readonly Place[] {
  const sorted = places.toSorted(
    (one, other) => depth(one.path) - depth(other.path) || order.indexOf(one.kind) - order.indexOf(other.kind),
  );
  const kept: Place[] = [];
  for (const place of sorted) {
    const around = kept.findLast(({ path }) => contains(path, place.path));
    const isSame = around?.path === place.path;
    const isEmpty = around?.kind === 'empty' || around?.kind === 'scratch';
    // A PATH that names a whole home shows nothing of it.
    if (place.kind === 'shown' && (!isEmpty || isSame)) continue;
    // It is visible anyway.
    if (place.kind === 'given' && !isEmpty && around?.kind !== 'hidden') continue;
    if (place.kind === 'hidden' && (isEmpty || around?.kind === 'hidden')) continue;
    if (place.kind === 'empty' && around !== undefined) continue;
    if (around !== undefined && isSame) kept.splice(kept.indexOf(around), 1);
    kept.push(place);
  }
  return kept;
}

function depth(path: string): number {
  return path === sep ? 0 : path.split(sep).length;
}

function mount({ kind, path, isFile }: Place, isReadOnly: boolean): readonly string[] {
  switch (kind) {
    case 'scratch':
      return ['--size', scratchSize, '--tmpfs', path];
    case 'shown':
    case 'given':
      return ['--ro-bind', path, path];
    case 'workspace':
      return [isReadOnly ? '--ro-bind' : '--bind', path, path];
    case 'empty':
    case 'hidden':
      // A device that can't be opened there: reads fail, rather than returning nothing.
      return isFile ? ['--ro-bind', '/dev/null', path] : ['--tmpfs', path];
  }
}

/**
 * The folders of the PATH. For one named bin or shims, its parent with the libraries instead, if that belongs to a
 * tool: `~/.pyenv`, `~/.nvm/versions/node/v24`, but neither `~/.local` nor `~/project`.
 */
function toolFolders({ PATH = '', HOME = sep }: BareCommand['environment']): readonly string[] {
  return PATH.split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => {
      const isInner = ['bin', 'shims'].includes(basename(folder));
      return isInner && isToolFolder(dirname(folder), HOME) ? dirname(folder) : folder;
    });
}

function isToolFolder(folder: string, home: string): boolean {
  const base = [home, '/run', '/tmp', '/var/tmp'].find((each) => each !== sep && contains(each, folder));
  if (base === undefined) return false;
  const [first = '', ...deeper] = relative(base, folder).split(sep);
  if (base !== home) return deeper.length > 0;
  const names = ['.local', '.config', '.cache'].includes(first) && deeper.length === 0 ? [] : [first, ...deeper];
  return names.some((name) => name.startsWith('.'));
}

const homeSecrets =
  wordsOf(`.ssh .aws .azure .gnupg .kube .docker .password-store .mozilla .thunderbird .netrc .npmrc .pypirc
  .pgpass .my.cnf .git-credentials .vault-token .env .bash_history .zsh_history .config/gcloud .config/gh
  .config/git/credentials .config/rclone .config/google-chrome .config/chromium .cargo/credentials
  .cargo/credentials.toml .local/share/keyrings`);

/** A daemon that runs as root could read them. */
const systemSecrets =
  wordsOf(`shadow shadow- gshadow gshadow- ssl/private letsencrypt wireguard kubernetes ssh/ssh_host_rsa_key
  ssh/ssh_host_ecdsa_key ssh/ssh_host_ed25519_key NetworkManager/system-connections`).map((name) => `/etc/${name}`);
