import {
  type BroughtCertificates,
  besidesNodes,
  broughtByNode,
  readCertificates,
} from '../lib/network/certificates/certificates.ts';
import { type ProxySettings, proxySecrets, proxySettings } from '../lib/network/proxy-settings.ts';
import { messageOf } from '../lib/plain-text.ts';
import { type InLanguage, type Language, type Words, wordsIn } from '../lib/words.ts';
import { ConfigError, type Fault, type Finding } from './config-error.ts';
import { type Environment, type ReadFile, readIfThere } from './environment.ts';
import type { Config } from './schema.ts';
import { configWords } from './words.ts';

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
  readonly warnings: readonly Words[];
  readonly secrets: readonly string[];
}> {
  const { settings: proxies, faults } = proxySettings(network.proxy, environment);
  const named = certificateVariables.map((name) => ({ name, path: environment[name] ?? '' }));
  const paths = [network.ca_file ?? '', ...named.map(({ path }) => path)].filter((path) => path !== '');
  // Node's own are not looked at where nothing is named: its part for TLS takes 10 ms to load.
  const brought = paths.length === 0 ? new Set<string>() : broughtByNode();
  const files = new Map<string, ReadCertificates>();
  for (const path of new Set(paths)) files.set(path, await certificatesIn(path, read, brought));
  const known = [...files.values()].flatMap(({ certificates = [] }) => certificates);
  const fault = files.get(network.ca_file ?? '')?.fault;
  return {
    settings: { proxies, certificates: besidesNodes(known, brought) },
    findings: [
      ...(fault === undefined
        ? []
        : [
            {
              path: ['network', 'ca_file'],
              text: (language: Language) => configWords[language].sentence({ text: wordsIn(language, fault) }),
            },
          ]),
      // Not by the schema, whose faults quote the value, and so its password.
      ...faults.flatMap(({ source, text }) =>
        source === 'network.proxy' ? [{ path: ['network', 'proxy'], text }] : [],
      ),
    ],
    faults: faults
      .filter(({ source }) => source !== 'network.proxy')
      .map(({ source, text }) => ({
        key: '',
        text: (language) => configWords[language].badVariable({ name: source, fault: text(language) }),
      })),
    warnings: named.flatMap(({ name, path }) => idleVariable(name, path, files.get(path)?.fault)),
    secrets: proxySecrets(proxies),
  };
}

function idleVariable(name: string, path: string, fault: Words | undefined): readonly InLanguage[] {
  if (fault === undefined) return [];
  return [(language) => configWords[language].variableIdle({ name, path, fault: wordsIn(language, fault) })];
}

/** What a file of certificates holds, or what is wrong with it, without a full stop. */
interface ReadCertificates {
  readonly certificates?: readonly string[];
  readonly fault?: Words;
}

async function certificatesIn(path: string, read: ReadFile, brought: BroughtCertificates): Promise<ReadCertificates> {
  try {
    const bytes = await readIfThere(path, read);
    if (bytes === undefined) return { fault: (language) => configWords[language].noSuchFile };
    const found = readCertificates(new TextDecoder().decode(bytes), brought);
    return typeof found === 'function' ? { fault: found } : { certificates: found };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { faults } = error;
    const said = (language: Language): string =>
      faults.map(({ text }) => wordsIn(language, text).replace(/[.。]$/, '')).join(', ');
    return { fault: faults.length === 0 ? messageOf(error) : said };
  }
}
