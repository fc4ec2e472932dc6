import {
  type BareCommand,
  type BoundedCommand,
  BoundsError,
  type CommandLimits,
  filterDescriptor,
  withinLimits,
} from './bounds.ts';
import { createProtectedNames } from './protected-places.ts';
import { type CommandNetwork, createSandboxNetwork, relayPort } from './sandbox-network.ts';
import { type HiddenPlaces, namespaces, type SandboxPrograms, viewOf } from './sandbox-view.ts';

export interface SandboxOptions {
  readonly hidden: HiddenPlaces;
  /** Hosts that commands may reach. Empty: no network. */
  readonly allowedDomains: readonly string[];
  /** Resource limits of a command. Default: none. */
  readonly limits?: CommandLimits;
  /** Names that commands may not write in a workspace: see `createProtectedNames`. */
  readonly protectedNames?: readonly string[];
}

/** The proxy's socket inside the sandbox. */
const socketPlace = '/run/keyturn/proxy';

/**
 * Confines commands with bubblewrap: they change only their workspace, see nothing of Keyturn, homes and other
 * processes, reach only allowed hosts, and end with all that they started, even processes that hide.
 */
export function createSandbox() {
  const names = createProtectedNames();
  const proxy = createSandboxNetwork();
  return {
    /** Confines one command; each may have other options. Rejects with `BoundsError`. */
    async bounds(bare: BareCommand, programs: SandboxPrograms, options: SandboxOptions): Promise<BoundedCommand> {
      const { hidden, allowedDomains, limits, protectedNames = [] } = options;
      const isOffline = allowedDomains.length === 0;
      if (!isOffline && programs.relay === undefined) {
        throw new BoundsError(
          'The command did not run: the sandbox needs socat to reach the network, and it is missing.',
        );
      }
      const { directory, workspace = directory, args = [] } = bare;
      const { mounts, seals } = await viewOf(bare, hidden);
      const network = isOffline ? undefined : await proxy.open(allowedDomains);
      const held = await names.hold(protectedNames, workspace, bare.isFinished === true).catch((cause: unknown) => {
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
          ...['/bin/sh', '-c', bare.command, 'sh', ...args],
        ],
        environment: { ...bare.environment, ...network?.environment, TMPDIR: '/tmp' },
        filter: programs.filter,
        endsAsOne: true,
        minFree: limits?.minFree,
        made: held.made,
        refusals: (stderr) => refusals(stderr, network),
        finished() {
          network?.close();
          held.release();
        },
      };
    },
    sweep: names.sweep,
    stop: proxy.stop,
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

function refusals(stderr: string, network: CommandNetwork | undefined): readonly string[] {
  const lines = (network?.refused() ?? []).map(
    (host) => `The sandbox does not allow reaching ${host}. The operator can add hosts to tools.shell.allowed_domains.`,
  );
  if (network === undefined && unresolved.test(stderr))
    lines.push('In the sandbox there is no network. The operator can name hosts in tools.shell.allowed_domains.');
  if (/read-only file system/i.test(stderr))
    lines.push(
      'In the sandbox only the workspace and /tmp can be written, and /tmp ends with the command. In the workspace, the names in tools.shell.protected cannot be written.',
    );
  return lines;
}

/** How programs report a missing network. */
const unresolved =
  /could not resolve|name resolution|name or service not known|EAI_AGAIN|ENETUNREACH|network is unreachable|unable to resolve/i;
