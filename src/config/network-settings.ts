import { besidesNodes, readCertificates } from '../lib/network/certificates/certificates.ts';
import { type ProxySettings, proxySecrets, proxySettings } from '../lib/network/proxy-settings.ts';
import { messageOf } from '../lib/plain-text.ts';
import { ConfigError, type Fault, type Finding } from './config-error.ts';
import { type Environment, type ReadFile, readIfThere } from './environment.ts';
import type { Config } from './schema.ts';

/** How the network is reached, as the config and the environment say. */
export interface NetworkSettings {
  readonly proxies: ProxySettings;
  /** Trusted beside those of Node: PEM. */
  readonly certificates: readonly string[];
}

/** Variables of other programs that name files of certificates. Node reads the second one itself, but not from `.env`. */
const certificateVariables = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'] as const;

/**
 * Reads the settings. `findings` are of the config. A variable with a proxy that cannot be used is a fault, because without
 * it everything would go another way than the operator wants; a file that a variable names is only warned of, since it is
 * meant for other programs too.
 */
export async function readNetwork(
  { network }: Pick<Config, 'network'>,
  environment: Environment,
  read: ReadFile,
): Promise<{
  readonly settings: NetworkSettings;
  readonly findings: readonly Finding[];
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
  readonly secrets: readonly string[];
}> {
  const { settings: proxies, faults } = proxySettings(network.proxy, environment);
  const own = network.ca_file === undefined ? [] : await certificatesIn(network.ca_file, read);
  const named = await Promise.all(
    certificateVariables.map(async (name) => {
      const path = environment[name] ?? '';
      return { name, path, found: path === '' ? [] : await certificatesIn(path, read) };
    }),
  );
  const known = [own, ...named.map(({ found }) => found)].flatMap((found) => (typeof found === 'string' ? [] : found));
  return {
    settings: { proxies, certificates: besidesNodes(known) },
    findings: [
      ...(typeof own === 'string' ? [{ path: ['network', 'ca_file'], text: `${own}.` }] : []),
      // Not by the schema, whose faults quote the value, and so its password.
      ...faults.flatMap(({ source, text }) =>
        source === 'network.proxy' ? [{ path: ['network', 'proxy'], text }] : [],
      ),
    ],
    faults: faults
      .filter(({ source }) => source !== 'network.proxy')
      .map(({ source, text }) => ({
        key: '',
        text: `The variable ${source} cannot be used: ${text} To use no proxy, set network.proxy to "none".`,
      })),
    warnings: named.flatMap(({ name, path, found }) =>
      typeof found === 'string' ? [`${name} has no effect here: ${path}: ${found}.`] : [],
    ),
    secrets: proxySecrets(proxies),
  };
}

async function certificatesIn(path: string, read: ReadFile): Promise<readonly string[] | string> {
  try {
    const bytes = await readIfThere(path, read);
    if (bytes === undefined) return 'there is no such file';
    const found = readCertificates(new TextDecoder().decode(bytes));
    return typeof found === 'function' ? found('en') : found;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ text }) => text.replace(/\.$/, '')).join(', ') || messageOf(error);
  }
}
