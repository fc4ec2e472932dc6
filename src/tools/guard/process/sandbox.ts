import { type BareCommand, type BoundedCommand, BoundsError } from './bounds.ts';
import { type CommandNetwork, relayPort, SandboxNetwork } from './sandbox-network.ts';
import type { SandboxPrograms } from './sandbox-trial.ts';
import { filterPlace, type HiddenPlaces, namespaces, viewOf } from './sandbox-view.ts';

export interface SandboxDependencies {
  readonly programs: SandboxPrograms;
  readonly hidden: HiddenPlaces;
  /** What commands may reach in the network; nothing where it is empty. */
  readonly allowedDomains: readonly string[];
}

/** Where the proxy's socket is to be found inside. */
const socketPlace = '/run/keyturn/proxy';

/**
 * Keeps commands in bubblewrap: they change their workspace alone, see nothing of Keyturn, of homes and of other
 * processes, reach only the hosts that are allowed, and end with all that they started, however it has hidden.
 */
export class Sandbox {
  readonly #dependencies: SandboxDependencies;
  readonly #network: SandboxNetwork | undefined;

  constructor(dependencies: SandboxDependencies) {
    this.#dependencies = dependencies;
    const { allowedDomains } = dependencies;
    this.#network = allowedDomains.length === 0 ? undefined : new SandboxNetwork(allowedDomains);
  }

  /** See `CommandBounds`. */
  async bound(bare: BareCommand): Promise<BoundedCommand> {
    const { programs, hidden } = this.#dependencies;
    const { relay } = programs;
    const network = await this.#network?.open();
    if (network !== undefined && relay === undefined) {
      throw new BoundsError(
        'The command did not run: the sandbox needs socat to reach the network, and it is missing.',
      );
    }
    const environment = { ...bare.environment, ...network?.environment, TMPDIR: '/tmp' };
    const { directory, workspace = directory, shown = [], args = [] } = bare;
    const { mounts, seals } = await viewOf({ ...hidden, workspace, given: shown, environment: bare.environment });
    return {
      file: programs.wrap,
      args: [
        ...namespaces(),
        ...mounts,
        ...['--ro-bind', programs.filter, filterPlace],
        ...(network === undefined ? [] : ['--bind', network.socket, socketPlace]),
        ...seals,
        ...['--chdir', directory, '--'],
        ...(relay === undefined || network === undefined ? [] : ['/bin/sh', '-c', startRelay, relay]),
        ...[filterPlace, '/bin/sh', '-c', bare.command, 'sh', ...args],
      ],
      environment,
      endsAsOne: true,
      refusals: (stderr) => refusals(stderr, network),
    };
  }

  async stop(): Promise<void> {
    await this.#network?.stop();
  }
}

/**
 * Starts the relay, which is `$0`, waits until it listens, and becomes the rest. That is seen in how many sockets are in
 * use: there are no others yet. No program is started meanwhile, since the filter is not on.
 */
const startRelay = `
"$0" TCP4-LISTEN:${relayPort},bind=127.0.0.1,fork,reuseaddr,backlog=256 UNIX-CONNECT:${socketPlace} >/dev/null 2>&1 &
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
  const hosts = network?.refused() ?? [];
  const unreached = hosts.map(
    (host) => `The sandbox does not allow reaching ${host}. The operator can add hosts to tools.shell.allowed_domains.`,
  );
  const isOffline = network === undefined && unresolved.test(stderr);
  const isSealed = /read-only file system/i.test(stderr);
  return [
    ...unreached,
    ...(isOffline
      ? ['In the sandbox there is no network. The operator can name hosts in tools.shell.allowed_domains.']
      : []),
    ...(isSealed ? ['In the sandbox only the workspace and /tmp can be written, and /tmp ends with the command.'] : []),
  ];
}

/** How programs say that they find no network. */
const unresolved =
  /could not resolve|name resolution|name or service not known|EAI_AGAIN|ENETUNREACH|network is unreachable|unable to resolve/i;
