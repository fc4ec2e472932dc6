import type * as Library from '@anthropic-ai/sandbox-runtime';
import { BoundsError } from './bounds.ts';

type Manager = typeof Library.SandboxManager;

/** How a command gets to the hosts that are allowed. */
export interface CommandNetwork {
  /** Where the proxy listens: a socket that has to be brought into the sandbox. */
  readonly socket: string;
  /** What tells programs of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The hosts that it was refused so far, each with the reason. */
  refused(): readonly string[];
}

/** Where the relay listens inside. */
export const relayPort = 3128;

/**
 * The proxy through which commands reach the hosts on the operator's list, and nothing else: neither this machine nor
 * its network, whatever a name resolves to, but for addresses that stand on the list themselves. It is loaded with the
 * first command, and there is one in a process.
 */
export class SandboxNetwork {
  readonly #allowed: readonly string[];
  #opening: Promise<Manager> | undefined;

  constructor(allowedDomains: readonly string[]) {
    this.#allowed = allowedDomains;
  }

  /** Makes a way for one command. Rejects with `BoundsError`. */
  async open(): Promise<CommandNetwork> {
    this.#opening ??= startProxy(this.#allowed);
    const manager = await this.#opening.catch((cause: unknown) => {
      this.#opening = undefined;
      throw new BoundsError(
        `The command did not run: the proxy of the sandbox could not be started (${cause instanceof Error ? cause.message : String(cause)}).`,
        { cause },
      );
    });
    const socket = manager.getLinuxHttpSocketPath();
    const token = manager.getProxyAuthToken();
    if (socket === undefined || token === undefined) {
      throw new BoundsError('The command did not run: the proxy of the sandbox has been ended. Restart Keyturn.');
    }
    const id = crypto.randomUUID();
    return { socket, environment: proxyVariables(id, token), refused: () => refusedHosts(manager, id) };
  }

  /** Lets go of ports and sockets. */
  async stop(): Promise<void> {
    const [opened] = await Promise.allSettled([this.#opening]);
    this.#opening = undefined;
    if (opened.status === 'fulfilled') await opened.value?.reset();
  }
}

async function startProxy(allowed: readonly string[]): Promise<Manager> {
  const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime');
  const isAnyAllowed = allowed.includes('*');
  await SandboxManager.initialize(
    {
      network: {
        allowedDomains: allowed.filter((pattern) => pattern !== '*'),
        deniedDomains: [],
        deniedResolvedAddresses: privateAddresses,
      },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    },
    // "*" is every name, and no address: the library would take addresses of this machine for allowed.
    async ({ host }) => isAnyAllowed && isPublicName(host),
  );
  return SandboxManager;
}

/** Besides those that the library itself never lets a name lead to. */
const privateAddresses = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15', '192.0.0.0/24', '240.0.0.0/4'],
  ...['fc00::/7', 'fec0::/10'],
];

/** A name of two labels or more whose last one cannot be part of an address. */
function isPublicName(host: string): boolean {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  const last = labels.at(-1) ?? '';
  return labels.length > 1 && /^[a-z][a-z0-9-]+$/.test(last) && !['localhost', 'local', 'internal'].includes(last);
}

function proxyVariables(id: string, token: string): Readonly<Record<string, string>> {
  // The name tells the library whose requests these are, in the form that it writes itself.
  const user = encodeURIComponent(`srt.${Buffer.from(id).toString('base64')}`);
  const url = `http://${user}:${token}@127.0.0.1:${relayPort}`;
  const names = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  return {
    ...Object.fromEntries(names.map((name) => [name, url])),
    NODE_USE_ENV_PROXY: '1',
    // git would else ask the proxy first how to say who it is.
    GIT_CONFIG_PARAMETERS: "'http.proxyAuthMethod=basic'",
  };
}

function refusedHosts(manager: Manager, id: string): readonly string[] {
  const lines = manager.getSandboxViolationStore().getViolationsForCommand(id);
  const hosts = lines.flatMap(
    ({ line }) => /^deny network-outbound (.+):\d+ \((.*)\)$/.exec(line)?.slice(1, 3).join('\n') ?? [],
  );
  return [...new Set(hosts)].map((each) => {
    const [host = '', reason = ''] = each.split('\n');
    return reason.startsWith('resolved') ? `${host} (${reason})` : host;
  });
}
