/* The ways out of this machine: its clock, proxies and certificates. */

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { enabledChannels } from '../../config/extension-settings.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { ProxyServer } from '../../lib/network/proxy-settings.ts';
import { ask, type CheckContext, channelSettings, doubt, fault, type Problem, type Seen, said } from './check.ts';
import { doctorWords } from './words.ts';

/** In s. Slack refuses signatures that are 300 s old. */
const mostOff = 60;

/** This clock beside that of a server that the config names: https and HTTP tell the time of the server in each answer. */
export async function checkClock(context: CheckContext): Promise<Seen | undefined> {
  const address = context.loaded && addressToAsk(context.loaded);
  if (address === undefined) return undefined;
  const answer = await ask(context, address, { method: 'HEAD' });
  const date = typeof answer === 'function' ? Number.NaN : Date.parse(answer.headers.get('date') ?? '');
  // That it cannot be reached is said of the model or the channel.
  if (Number.isNaN(date)) return undefined;
  const seconds = Math.round((context.clock.now() - date) / 1000);
  const gap = { seconds, host: new URL(address).host };
  return {
    name: 'clock',
    state: (language) => doctorWords[language].clockRight,
    problems: Math.abs(seconds) > mostOff ? [fault(said((language) => doctorWords[language].clockOff, gap))] : [],
  };
}

/** A server of others: that of a channel, else of a model. */
function addressToAsk(loaded: LoadedConfig): string | undefined {
  const { channels, models } = loaded.config;
  const ofChannels = [...enabledChannels(channels).keys()].flatMap((name) => {
    const settings = channelSettings({ loaded }, name);
    return settings === undefined ? [] : [settings.api_root, settings.api_url];
  });
  const ofModels = Object.values(models).map((model) => model.base_url);
  return [...ofChannels, ...ofModels]
    .find((address) => typeof address === 'string' && URL.canParse(address))
    ?.toString();
}

/** Whether each proxy takes connections. */
export async function checkProxies({ loaded }: CheckContext): Promise<Seen | undefined> {
  const { http, https } = loaded?.network.proxies ?? {};
  const proxies = [http, https].filter((proxy) => proxy !== undefined);
  const each = [...new Map(proxies.map((proxy) => [nameOf(proxy), proxy] as const)).values()];
  if (each.length === 0) return undefined;
  const problems = await Promise.all(each.map(proxyProblems));
  return {
    name: 'proxy',
    state: (language) => doctorWords[language].proxyReached({ proxies: each.map(nameOf) }),
    problems: problems.flat(),
  };
}

function nameOf({ scheme, host, port }: ProxyServer): string {
  return `${scheme}://${host}:${port}`;
}

/** In ms. */
const longestConnect = 5_000;

async function proxyProblems(proxy: ProxyServer): Promise<readonly Problem[]> {
  const socket = connect({ host: proxy.host, port: proxy.port });
  socket.setTimeout(longestConnect, () => socket.destroy(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })));
  try {
    await once(socket, 'connect');
    return [];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    const down = { proxy: nameOf(proxy), source: proxy.source, code };
    return [fault(said((language) => doctorWords[language].proxyDown, down))];
  } finally {
    socket.destroy();
  }
}

/** More than a company has. */
const mostOwn = 10;
/** In ms. */
const soon = 30 * 86_400_000;

/** Whether the certificates that are trusted beside Node's are valid, and stay so for a month. */
export async function checkCertificates({ loaded, clock }: CheckContext): Promise<Seen | undefined> {
  const trusted = loaded?.network.certificates ?? [];
  if (trusted.length === 0) return undefined;
  const now = clock.now();
  // A file of the system has all authorities of the world, of which some are always over.
  const own = trusted.length > mostOwn ? [] : trusted;
  const ending = own.map((pem) => new X509Certificate(pem)).filter(({ validTo }) => Date.parse(validTo) < now + soon);
  return {
    name: 'certificates',
    state: (language) => doctorWords[language].certificatesValid({ count: trusted.length }),
    problems: ending.slice(0, 5).map((certificate) => endingProblem(certificate, now)),
  };
}

function endingProblem({ validTo, subject }: X509Certificate, now: number): Problem {
  const isOver = Date.parse(validTo) < now;
  const name = /^(?:CN|O)=(.*)$/m.exec(subject)?.[1] ?? subject.split('\n')[0] ?? '';
  const day = new Date(validTo).toISOString().slice(0, 10);
  const words = said((language) => doctorWords[language].certificateOver, { subject: name, day, isOver });
  return isOver ? fault(words) : doubt(words);
}
